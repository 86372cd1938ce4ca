package secrets

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Instructions is the name of the Source with the instructions of a question.
const Instructions = "the instructions"

// Source is a part of a question.
type Source struct {
	Name string // of the file, or in words
	Text string
}

// Guard decides whether a question that seems to contain secrets is sent. The zero Guard
// lets every question pass.
type Guard struct {
	f       *cli.Factory
	profile config.Profile
	policy  string
	rows    *atomic.Int64 // with a warning
	// tokenless is set if texts are not searched for the token.
	tokenless bool
}

// NewGuard returns the guard of questions to the service of a profile, which asks on the
// terminal. If allow is set, or if questions stay on this machine, it lets all pass.
func NewGuard(f *cli.Factory, profile config.Profile, allow bool) Guard {
	if allow || profile.Embedded() || f.Global.Replay != "" {
		return Guard{}
	}
	return Guard{f: f, profile: profile, policy: profile.Secrets, rows: new(atomic.Int64)}
}

// OnlyWarn returns a guard that prints warnings instead of errors.
func (g Guard) OnlyWarn() Guard {
	if g.policy == config.SecretsRefuse {
		g.policy = config.SecretsWarn
	}
	return g
}

// WithoutToken returns a guard that does not get the token, for questions that are not
// sent.
func (g Guard) WithoutToken() Guard {
	g.tokenless = true
	return g
}

// Check returns an error if a question must not be sent, and asks the user if there is a
// terminal. The text is what would be sent, and the sources are what it was made from: a
// secret in one of them is reported with its place there.
func (g Guard) Check(ctx context.Context, text Source, sources ...Source) error {
	if g.off() {
		return nil
	}
	found := locate(text, sources, g.token(ctx, text.Text))
	if len(found) == 0 || g.policy == config.SecretsWarn {
		g.warn(found)
		return nil
	}
	return g.confirm(ctx, found)
}

// CheckAll is like Check for texts that are sent as they are.
func (g Guard) CheckAll(ctx context.Context, sources ...Source) error {
	if g.off() {
		return nil
	}
	var all strings.Builder
	for _, source := range sources {
		all.WriteString(source.Text + "\n\n")
	}
	return g.Check(ctx, Source{Text: all.String()}, sources...)
}

// CheckRow is like Check for a row of a batch, with the input and the line of the row and
// the instructions that are sent with it, and does not ask.
func (g Guard) CheckRow(ctx context.Context, input string, line int, instructions string, texts ...string) error {
	if g.off() {
		return nil
	}
	found := locate(Source{Name: Instructions, Text: instructions}, nil, g.token(ctx, instructions))
	for _, text := range texts {
		for _, f := range locate(Source{Text: text}, nil, g.token(ctx, text)) {
			if f.Name, f.Line = input, line; !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	if g.policy != config.SecretsWarn {
		return &Error{found}
	}
	switch n := g.rows.Add(1); {
	case n <= maxRows:
		g.warn(found)
	case n == maxRows+1:
		g.f.Print.Warn("possible secrets in other rows are not listed")
	}
	return nil
}

func (g Guard) off() bool { return g.policy == "" || g.policy == config.SecretsOff }

func (g Guard) warn(found []Finding) {
	for _, line := range list(found) {
		g.f.Print.Warn("possible secret: %s", line)
	}
}

// confirm asks whether a question with findings is sent.
func (g Guard) confirm(ctx context.Context, found []Finding) error {
	lines := []string{"The question seems to contain " + noun(found) + ":"}
	for _, line := range list(found) {
		lines = append(lines, "- "+line)
	}
	if err := g.f.IO.PrintTTY(lines...); err != nil {
		return &Error{found}
	}
	yes, err := g.f.Print.Confirm(ctx, "Send it anyway?", &Error{found})
	if err == nil && !yes {
		return ErrDeclined
	}
	return err
}

// token returns the token that the question would be sent with, or "" if the text cannot
// contain it or if there is none. The request then reports why.
func (g Guard) token(ctx context.Context, text string) string {
	if g.tokenless || !mayHaveToken(text) {
		return ""
	}
	token, err := g.f.Token(ctx, g.profile)
	if err != nil {
		return ""
	}
	return token.Reveal()
}

// locate returns the secrets in a text, each with its first place in the sources that it
// comes from, or else in the text itself.
func locate(text Source, sources []Source, token string) []Finding {
	var found []Finding
	located := map[string]bool{}
	for _, source := range sources {
		var matches []match
		for _, m := range scan(source.Name, source.Text, token) {
			// The user may have removed it in the editor.
			if secret := source.Text[m.start:m.end]; strings.Contains(text.Text, secret) {
				matches = append(matches, m)
				located[secret] = true
			}
		}
		found = append(found, findings(source.Name, source.Text, matches)...)
		if isExample(source.Name) { // its values are no secrets in the text either
			for _, m := range scan("", source.Text, "") {
				located[source.Text[m.start:m.end]] = true
			}
		}
	}
	var rest []match
	for _, m := range scan(text.Name, text.Text, token) {
		if !located[text.Text[m.start:m.end]] {
			rest = append(rest, m)
		}
	}
	return append(found, findings(text.Name, text.Text, rest)...)
}

// String returns the finding, such as "deploy.env:3: value of DB_PASSWORD", as one clean
// line.
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s", terminal.CleanLine(f.Name), f.Line, f.What)
}

// maxListed is the maximum number of findings that are listed.
const maxListed = 10

// list returns findings as lines.
func list(found []Finding) []string {
	var lines []string
	for _, f := range found[:min(len(found), maxListed)] {
		lines = append(lines, f.String())
	}
	if more := len(found) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("%d more", more))
	}
	return lines
}

// maxRows is the maximum number of rows of a batch for which warnings are printed.
const maxRows = 20

func noun(found []Finding) string {
	if len(found) == 1 {
		return "a secret"
	}
	return plural.Count(len(found), "secret")
}

// ErrDeclined means that the user decided not to send a question.
var ErrDeclined error = failure.New(failure.Secret, failure.Hint{}, "the question was not sent")

// Error means that a question was not sent because it seems to contain secrets.
type Error struct{ Findings []Finding }

func (e *Error) Error() string {
	return fmt.Sprintf("the question seems to contain %s: %s", noun(e.Findings), strings.Join(list(e.Findings), "; "))
}

// Failure implements failure.Explainer.
func (e *Error) Failure() failure.Failure {
	it := "it"
	if len(e.Findings) > 1 {
		it = "them"
	}
	return failure.Failure{Kind: failure.Secret, Hint: failure.Plain("remove " + it + ", or send the question anyway with --allow-secrets")}
}
