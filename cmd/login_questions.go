package cmd

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/doctor"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// maxAnswers is how often login asks one question.
const maxAnswers = 3

// question asks and gives what a paste leaves around an answer away. With a
// default, Enter takes it.
func (l *login) question(ctx context.Context, text, preset string) (string, error) {
	if preset != "" {
		text += " [" + preset + "]"
	}
	answer, err := l.f.IO.Ask(ctx, text+":")
	if err != nil {
		return "", &notStoredError{err}
	}
	if answer = unquoted(answer); answer == "" {
		answer = preset
	}
	return answer, nil
}

// unquoted removes the quotes and brackets that documents and mails put around
// an address, and the marks of a bracketed paste.
func unquoted(text string) string {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, "\x1b[200~"), "\x1b[201~"))
	for _, pair := range []string{`""`, "''", "``", "<>", "“”"} {
		open, end := string([]rune(pair)[:1]), string([]rune(pair)[1:])
		if inner, ok := strings.CutPrefix(text, open); ok && strings.HasSuffix(inner, end) {
			return strings.TrimSpace(strings.TrimSuffix(inner, end))
		}
	}
	return text
}

// complain tells on the terminal why an answer was not taken.
func (l *login) complain(what, fix string) error {
	if fix == "" {
		return l.f.IO.Tell("! " + what)
	}
	return l.f.IO.Tell("! "+what, "! "+fix)
}

// askAddress asks for the address until the service behind it answers.
func (l *login) askAddress(ctx context.Context, name string) error {
	if err := l.f.IO.Tell(
		"This connects hobnob to an Agent Chat Service: its address, then your token.",
		"Nothing is stored before the token was accepted; Ctrl-D leaves.",
	); err != nil {
		return failure.WithHint(fmt.Errorf("the address of the service is missing: %w", err), "give it with --base-url")
	}
	const example = "Address of the service (like https://chat.example.com)"
	var problem error
	text, preset, helped := example, "", false
	for tries := 0; tries < maxAnswers; {
		answer, err := l.question(ctx, text, preset)
		if err != nil {
			return err
		}
		if answer == "" && !helped {
			helped = true
			if err := l.f.IO.Tell(
				"It is how the address bar begins where you use the service in a browser;",
				"whoever runs the service knows it. To try hobnob without a service, leave with",
				`Ctrl-D and type: hobnob chat "what can you do?"`,
			); err != nil {
				return err
			}
			continue
		}
		if problem = l.tryAddress(ctx, name, answer); problem == nil {
			return nil
		}
		if ctx.Err() != nil {
			return &notStoredError{problem}
		}
		text, preset = example, ""
		var bad *baseurl.Error
		if errors.As(problem, &bad) && bad.Suggestion != "" && bad.Suggestion != preset {
			text, preset = "Address of the service", bad.Suggestion
		} else {
			tries++
		}
		if err := l.complainOf(problem); err != nil {
			return err
		}
	}
	return &notStoredError{problem}
}

// tryAddress takes an address whose service answers.
func (l *login) tryAddress(ctx context.Context, name, address string) error {
	base, err := l.config.ParseBaseURL(name, address)
	if err != nil {
		return err
	}
	profile, err := l.config.WithBaseURL(base.String()).Profile(name)
	if err != nil {
		return err
	}
	if err := l.reach(ctx, profile); err != nil {
		return err
	}
	l.profile, l.reached = profile, true
	return nil
}

// askToken asks for the token until the service accepts it.
func (l *login) askToken(ctx context.Context) (string, error) {
	base, err := baseurl.Parse(l.profile.BaseURL, l.profile.AllowInsecureHTTP)
	if err != nil {
		return "", err
	}
	var problem error
	for range maxAnswers {
		token, err := l.f.IO.AskSecret(ctx, "Token for "+baseurl.Origin(base)+" (not shown):")
		if errors.Is(err, terminal.ErrNoTerminal) {
			return "", noTerminalForToken(err)
		}
		if err != nil {
			return "", &notStoredError{err}
		}
		token = credential.Pasted(token)
		outcome := doctor.Refused
		if problem = credential.Validate(token); problem == nil {
			outcome, problem = l.tryToken(ctx, token)
		}
		if problem == nil || outcome != doctor.Refused {
			return token, problem
		}
		if err := l.complainOf(problem); err != nil {
			return "", err
		}
	}
	return "", problem
}

func noTerminalForToken(err error) error {
	return failure.WithHint(fmt.Errorf("the token is missing: %w", err), "give it on standard input: %s < FILE", failure.Run("hobnob login --with-token"))
}

// asksAgent reports whether the agent is a question: for a new profile to which
// neither a flag, the environment nor the file gives one.
func (l *login) asksAgent() bool { return l.fresh && l.Agent == "" && l.profile.Agent == "" }

// askAgent asks for the agent of a new profile and for its alias.
func (l *login) askAgent(ctx context.Context) error {
	if l.asksAgent() {
		if err := l.askUUID(ctx); err != nil {
			return err
		}
	}
	if !l.fresh || l.Agent == "" || l.Alias != "" {
		return nil
	}
	preset := l.profile.AgentName(l.Agent)
	if preset == l.Agent {
		preset = ""
	}
	text := "Alias for this agent, like reviewer (Enter for none)"
	if preset != "" {
		text = "Alias for this agent"
	}
	for range maxAnswers {
		answer, err := l.question(ctx, text, preset)
		if err != nil || answer == "" {
			return err
		}
		answer = strings.ToLower(answer)
		problem := config.CheckName(answer)
		if problem == nil {
			problem = l.checkAlias(answer, l.Agent)
		}
		if problem == nil {
			l.Alias = answer
			return nil
		}
		if err := l.complain(problem.Error(), ""); err != nil {
			return err
		}
	}
	return l.f.IO.Tell(l.f.Print.Sprintf("The agent stays without an alias; one can be made later: %s", failure.Run("hobnob agents add NAME UUID")))
}

// uuids finds the UUID in an address of the client application, too.
var uuids = regexp.MustCompile(`(?i)\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`)

func (l *login) askUUID(ctx context.Context) error {
	text := "Agent, a UUID (Enter lets the service choose)"
	if l.Alias != "" {
		text = "Agent that is called " + l.Alias + ", a UUID"
	}
	for range maxAnswers {
		answer, err := l.question(ctx, text, "")
		if err != nil {
			return err
		}
		if answer == "" && l.Alias == "" {
			return nil
		}
		if ids := uuids.FindAllString(answer, -1); len(ids) == 1 {
			l.Agent = ids[0]
			return l.checkAlias(l.Alias, l.Agent)
		}
		if err := l.complain(fmt.Sprintf("%q is no UUID, like 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f", answer), "copy it from the agent's address in the client application"); err != nil {
			return err
		}
	}
	l.Alias = ""
	return l.f.IO.Tell(l.f.Print.Sprintf("The service chooses the agent; another is set later: %s", failure.Run("hobnob agents add NAME UUID")))
}
