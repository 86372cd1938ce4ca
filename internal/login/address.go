package login

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/doctor"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// reachLimit bounds connecting to a service, and its answer.
const reachLimit = 10 * time.Second

// askAddress asks for the address until the service behind it answers.
func (d *dialogue) askAddress(ctx context.Context, name string) error {
	if err := d.f.IO.Tell(
		"This connects hobnob to an Agent Chat Service: its address, then your token.",
		"Nothing is stored before the token was accepted; Ctrl-D leaves.",
	); err != nil {
		return failure.WithHint(fmt.Errorf("the address of the service is missing: %w", err), "give it with --base-url")
	}
	const example = "Address of the service (like https://chat.example.com)"
	var problem error
	text, preset, helped := example, "", false
	for tries := 0; tries < maxAnswers; {
		answer, err := d.question(ctx, text, preset)
		if err != nil {
			return err
		}
		if answer == "" && !helped {
			helped = true
			_ = d.f.IO.Tell(
				"It is how the address bar begins where you use the service in a browser;",
				"whoever runs the service knows it. To try hobnob without a service, leave with",
				`Ctrl-D and type: hobnob chat "what can you do?"`,
			)
			continue
		}
		if problem = d.tryAddress(ctx, name, answer); problem == nil {
			return nil
		}
		if ctx.Err() != nil {
			return &notStoredError{problem}
		}
		report := d.f.Print.Explain(problem)
		var bad *baseurl.Error
		isAddress := errors.As(problem, &bad)
		if isAddress && !errors.As(problem, new(*failure.Error)) {
			report.Hint = "" // it is about flags and files
		}
		if isAddress && bad.Suggestion != "" {
			text, preset = "Address of the service", bad.Suggestion
		} else {
			text, preset = example, ""
			tries++
		}
		d.complain(report.Message, report.Hint)
	}
	return &notStoredError{problem}
}

// tryAddress selects an address whose service answers.
func (d *dialogue) tryAddress(ctx context.Context, name, address string) error {
	base, err := d.config.ParseBaseURL(name, address)
	if err != nil {
		return err
	}
	profile, err := d.config.WithBaseURL(base.String()).Profile(name)
	if err != nil {
		return err
	}
	if err := d.reach(ctx, profile); err != nil {
		return err
	}
	d.profile, d.reached = profile, true
	return nil
}

// reach returns an error unless the service of the profile answers.
func (d *dialogue) reach(ctx context.Context, p config.Profile) error {
	defer d.f.Print.Wait("reaching the service")()
	route, err := doctor.Reach(ctx, d.f.ClientOptions(p), reachLimit)
	if route.Elsewhere != "" {
		d.f.Print.Note("%s points to %s; if the token is not accepted, that may be the address", p.BaseURL, route.Elsewhere)
	}
	return err
}

// suggestAddress adds to the hint of err how to give another address than the
// configured one, which does not lead to a service.
func (d *dialogue) suggestAddress(err error) error {
	if d.f.Global.BaseURL != "" {
		return err
	}
	return failure.WithHint(err, "%s; another address is given by: %s", failure.Of(err).Hint, failure.Run("hobnob login --base-url URL"))
}
