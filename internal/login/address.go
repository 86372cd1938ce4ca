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

// reachLimit is the time limit for connecting to a service and receiving its answer.
const reachLimit = 10 * time.Second

// askAddress asks for the address until a service answers there.
func (d *dialogue) askAddress(ctx context.Context, name string) error {
	if err := d.f.IO.PrintTTY(
		"This connects hobnob to an Agent Chat Service: enter its address, then your token.",
		"Nothing is stored if the service rejects the token. Press Ctrl-D to cancel.",
	); err != nil {
		return failure.WithHint(fmt.Errorf("no address of the service: %w", err), "pass --base-url URL")
	}
	const example = "Address of the service (such as https://chat.example.com)"
	var problem error
	text, preset, helped := example, "", false
	for tries := 0; tries < maxAnswers; {
		answer, err := d.question(ctx, text, preset)
		if err != nil {
			return err
		}
		if answer == "" && !helped {
			helped = true
			_ = d.f.IO.PrintTTY(
				"If you use the service in a browser, it is the first part of the address bar;",
				"otherwise ask its operator. To try hobnob without a service, press Ctrl-D",
				`and run: hobnob chat "what can you do?"`,
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
			report.Hint = "" // refers to flags and files, which are not used here
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

// tryAddress sets the address of the profile if a service answers there.
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
	defer d.f.Print.Wait("connecting to the service")()
	route, err := doctor.Reach(ctx, d.f.ClientOptions(p), reachLimit)
	if route.Elsewhere != "" {
		d.f.Print.Note("%s redirects to %s; if the token is rejected, try that address", p.BaseURL, route.Elsewhere)
	}
	return err
}

// suggestAddress extends the hint of err with the way to replace a configured address
// that does not lead to a service.
func (d *dialogue) suggestAddress(err error) error {
	if d.f.Global.BaseURL != "" {
		return err
	}
	return failure.WithHint(err, "%s; to use another address: %s", failure.Of(err).Hint, failure.Run("hobnob login --base-url URL"))
}
