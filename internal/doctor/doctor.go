// Package doctor checks everything between a question and its answer, and repairs
// the history. Each check is a file of its own and a line in the table below.
// Command doctor runs them all; login uses those that go to the service, Reach and
// TryToken. The package knows neither flags nor how findings are printed, and asks
// the user nothing. It changes nothing but the history, in RepairHistory.
package doctor

import (
	"context"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// checks are run in this order; one that needs what an earlier one did not find
// is left out.
var checks = [...]struct {
	needs need
	run   func(context.Context, *Examination) []Finding
}{
	{nothing, checkConfig},
	{nothing, checkPermissions},
	{nothing, checkProfile},
	{aProfile, checkAgents},
	{aProfile, checkStyle},
	{aProfile, checkNetwork},
	{aRoute, checkProxy},
	{aRoute, checkName},
	{aRoute, checkConnection},
	{aRoute, checkTLS},
	{aRoute, checkAnswer},
	{aRoute, checkClock},
	{aProfile, checkKeyring},
	{aToken, checkToken},
	{aToken, checkListing},
	{nothing, checkTerminal},
	{nothing, checkBuiltIn},
	{nothing, checkHistory},
}

// need is what a check needs of an Examination.
type need int

const (
	nothing  need = iota
	aProfile      // one that is valid
	aRoute        // the way to the service was gone
	aToken        // the token was looked for, whether or not it was found
)

func (e *Examination) has(n need) bool {
	return [...]bool{nothing: true, aProfile: e.profile != nil, aRoute: e.route != nil, aToken: e.token != nil}[n]
}

// Examination is one run of the checks. Its exported fields are what they look at.
type Examination struct {
	Paths    config.Paths
	Config   func() (*config.Config, error)
	Env      config.Env
	Terminal *terminal.Streams
	// Options returns how to reach the service of a profile, without a token.
	Options func(config.Profile) api.Options
	// Tokens returns where the token of a profile is looked up, and its key.
	Tokens func(config.Profile) (credential.Resolver, credential.Key, error)
	// Wait shows what takes time until stop is called.
	Wait func(label string) (stop func())

	// What a check leaves for later ones.
	closed  map[string]bool // paths that the user cannot use, and that a finding names
	profile *config.Profile
	route   *api.Route
	blocked error // why the service is not reached, nil when it is
	token   *credential.Status
	trial   Trial // of the token, when there is one and the service is reached
}

// Run runs every check and returns what they found, in the order of the checks.
// The error is the cause by which ctx ended.
func (e *Examination) Run(ctx context.Context) ([]Finding, error) {
	e.closed = map[string]bool{}
	var findings []Finding
	for _, check := range checks {
		if ctx.Err() == nil && e.has(check.needs) {
			findings = append(findings, check.run(ctx, e)...)
		}
	}
	return findings, context.Cause(ctx)
}

// Finding is what one check found. OK is false for a problem alone: a check that
// was skipped is none by itself.
type Finding struct {
	Check   string
	OK      bool
	Skipped bool
	Detail  failure.Hint
	Fix     failure.Hint // zero when there is nothing to do
}

func passed(check, format string, args ...any) Finding {
	return Finding{Check: check, OK: true, Detail: failure.Hintf(format, args...)}
}

func problem(check string, fix failure.Hint, format string, args ...any) Finding {
	return Finding{Check: check, Detail: failure.Hintf(format, args...), Fix: fix}
}

// problemOf is an error with the hint that a command which fails with it prints.
func problemOf(check string, err error) Finding {
	return problem(check, failure.Of(err).Hint, "%v", err)
}

func skipped(check, why string) Finding {
	return Finding{Check: check, OK: true, Skipped: true, Detail: failure.Plain(why)}
}

// closedOff is the finding of a check that needs a path which cannot be used.
func closedOff(check, path string) Finding {
	return skipped(check, "not checked, because "+path+" cannot be used")
}

// Report is a Finding as it is printed; its JSON form is stable.
type Report struct {
	Check   string  `json:"check"`
	OK      bool    `json:"ok"`
	Detail  string  `json:"detail"`
	Fix     *string `json:"fix"` // null when there is nothing to do
	Skipped bool    `json:"skipped,omitempty"`
}

// Report returns the finding with its commands for the profile that the user
// chose, "" for none.
func (f Finding) Report(profile string) Report {
	return Report{Check: f.Check, OK: f.OK, Detail: f.Detail.For(profile), Fix: cli.OrNull(f.Fix.For(profile)), Skipped: f.Skipped}
}

// String returns one line that is safe for a terminal.
func (r Report) String() string {
	state, text := "ok", r.Detail
	switch {
	case r.Skipped:
		state = "skipped"
	case !r.OK:
		state = "problem"
	}
	if r.Fix != nil {
		text += "; fix: " + *r.Fix
	}
	return fmt.Sprintf("%-7s  %-16s  %s", state, r.Check, terminal.CleanLine(text))
}
