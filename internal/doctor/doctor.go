// Package doctor checks everything between a question and its answer, and repairs
// the history. Each check is a file of its own and a line in the table below.
// Command doctor runs them all; login uses those that go to the service, Reach and
// TryToken. The package knows no flags, prints nothing but a spinner and asks the
// user nothing. It changes nothing but the history, in RepairHistory.
package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// checks are run in this order; one that needs what an earlier one did not find
// is left out. Each returns what it found: nothing with a zero Finding, and what
// comes before the one returned it reports itself.
var checks = [...]struct {
	name  string
	needs func(*examination) bool // nil for nothing
	run   func(context.Context, *examination) Finding
}{
	{"config", nil, checkConfig},
	{"permissions", nil, checkPermissions},
	{"profile", nil, checkProfile},
	{"agent", aProfile, checkAgents},
	{"style", aProfile, checkStyle},
	{"network", aProfile, checkNetwork},
	{"proxy", aRoute, checkProxy},
	{"dns", aRoute, checkName},
	{"connect", aRoute, checkConnection},
	{"tls", aRoute, checkTLS},
	{"service", aRoute, checkAnswer},
	{"clock", aRoute, checkClock},
	{"keyring", aProfile, checkKeyring},
	{"token", aToken, checkToken},
	{"listing", aToken, checkListing},
	{"terminal", nil, checkTerminal},
	{"built-in service", nil, checkBuiltIn},
	{"history", nil, checkHistory},
}

func aProfile(e *examination) bool { return e.profile != nil } // a valid one
func aRoute(e *examination) bool   { return e.route != nil }   // to the service, as far as it goes
func aToken(e *examination) bool   { return e.token != nil }   // looked for, whether or not it was found

// examination is one run of the checks.
type examination struct {
	f        *cli.Factory
	paths    config.Paths
	check    string // what the next finding is about: at first the name in the table
	findings []Finding

	// What a check leaves for later ones.
	closed  map[string]bool // paths that the user cannot use, and that a finding names
	profile *config.Profile
	route   *api.Route
	blocked error // why the service is not reached, nil when it is
	token   *credential.Status
	trial   Trial // of the token, when there is one and the service is reached
}

// Run runs every check and returns what they found, in the order of the checks.
// The error is the cause by which ctx ended, or why it is not known where the
// files are.
func Run(ctx context.Context, f *cli.Factory) ([]Finding, error) {
	paths, err := f.Paths()
	if err != nil {
		return nil, err
	}
	e := &examination{f: f, paths: paths, closed: map[string]bool{}}
	for _, check := range checks {
		if ctx.Err() == nil && (check.needs == nil || check.needs(e)) {
			e.check = check.name
			e.report(check.run(ctx, e))
		}
	}
	return e.findings, context.Cause(ctx)
}

// Finding is what a check found; its JSON form is stable. OK is false for a problem
// alone: a check that was skipped is none by itself.
type Finding struct {
	Check   string  `json:"check"`
	OK      bool    `json:"ok"`
	Detail  string  `json:"detail"`
	Fix     *string `json:"fix"` // null when there is nothing to do
	Skipped bool    `json:"skipped,omitempty"`
}

// report adds a finding, unless it is zero. Where the same check found something
// already, only another problem is worth a line.
func (e *examination) report(found Finding) {
	sameCheck := func(f Finding) bool { return f.Check == found.Check }
	if found != (Finding{}) && (!found.OK || !slices.ContainsFunc(e.findings, sameCheck)) {
		e.findings = append(e.findings, found)
	}
}

func (e *examination) passed(format string, args ...any) Finding {
	return Finding{Check: e.check, OK: true, Detail: e.f.Print.Sprintf(format, args...)}
}

func (e *examination) problem(fix failure.Hint, format string, args ...any) Finding {
	return Finding{Check: e.check, Detail: e.f.Print.Sprintf(format, args...), Fix: cli.OrNull(e.f.Print.Sprintf("%s", fix))}
}

// problemOf is an error with the hint that a command which fails with it prints.
func (e *examination) problemOf(err error) Finding {
	return e.problem(failure.Of(err).Hint, "%v", err)
}

func (e *examination) skipped(why string) Finding {
	return Finding{Check: e.check, OK: true, Skipped: true, Detail: why}
}

// closedOff is the finding of a check that needs a path which cannot be used.
func (e *examination) closedOff(path string) Finding {
	return e.skipped("not checked, because " + path + " cannot be used")
}

// String returns one line that is safe for a terminal.
func (f Finding) String() string {
	state, text := "ok", f.Detail
	switch {
	case f.Skipped:
		state = "skipped"
	case !f.OK:
		state = "problem"
	}
	if f.Fix != nil {
		text += "; fix: " + *f.Fix
	}
	return fmt.Sprintf("%-7s  %-16s  %s", state, f.Check, terminal.CleanLine(text))
}
