// Package doctor diagnoses problems that affect a question and its answer, and repairs
// the history. Each check is one file and one line in the table below. The command
// doctor runs all checks; login uses Reach and TryToken, which contact the service.
// The package prints only a progress spinner and never asks the user. Only
// RepairHistory changes anything.
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

// checks are run in this order. A check whose needs are not met is omitted. Each
// returns its last finding, or the zero Finding for none, and reports the other ones
// itself.
var checks = [...]struct {
	name  string
	needs func(*examination) bool // nil for no condition
	run   func(context.Context, *examination) Finding
}{
	{"config", nil, checkConfig},
	{"permissions", nil, checkPermissions},
	{"leftovers", nil, checkLeftovers},
	{"project", nil, checkProject},
	{"templates", nil, checkTemplates},
	{"profile", nil, checkProfile},
	{"agent", hasProfile, checkAgents},
	{"style", hasProfile, checkStyle},
	{"network", hasProfile, checkNetwork},
	{"proxy", hasRoute, checkProxy},
	{"dns", hasRoute, checkName},
	{"connect", hasRoute, checkConnection},
	{"tls", hasRoute, checkTLS},
	{"service", hasRoute, checkAnswer},
	{"clock", hasRoute, checkClock},
	{"keyring", hasProfile, checkKeyring},
	{"token", searchedToken, checkToken},
	{"listing", searchedToken, checkListing},
	{"terminal", nil, checkTerminal},
	{"built-in service", nil, checkBuiltIn},
	{"history", nil, checkHistory},
}

func hasProfile(e *examination) bool    { return e.profile != nil } // a valid profile
func hasRoute(e *examination) bool      { return e.route != nil }   // checkNetwork tried to connect
func searchedToken(e *examination) bool { return e.token != nil }   // checkKeyring searched for the token

// examination is one run of the checks.
type examination struct {
	f        *cli.Factory
	paths    config.Paths
	check    string // name of the next finding; initially the name in the table
	findings []Finding

	// Results for later checks.
	closed  map[string]bool // inaccessible paths that are already reported
	profile *config.Profile
	route   *api.Route
	blocked error // why the service was not reached, or nil
	token   *credential.Status
	trial   Trial // of the token; zero without a token or a service
}

// Run runs all checks and returns their findings in order. The error is the cause of
// the end of ctx, or the reason why the paths of the files are unknown.
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

// Finding is the result of a check. Its JSON form is stable. OK is false only for a
// problem, and true for a skipped check.
type Finding struct {
	Check   string  `json:"check"`
	OK      bool    `json:"ok"`
	Detail  string  `json:"detail"`
	Fix     *string `json:"fix"` // null if nothing needs to be done
	Skipped bool    `json:"skipped,omitempty"`
}

// report adds a finding unless it is zero. A second finding of the same check is added
// only if it is a problem.
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

// problemOf returns a problem with the text and the hint of err.
func (e *examination) problemOf(err error) Finding {
	return e.problem(failure.Of(err).Hint, "%v", err)
}

func (e *examination) skipped(why string) Finding {
	return Finding{Check: e.check, OK: true, Skipped: true, Detail: why}
}

// closedOff returns the finding of a check that needs an inaccessible path.
func (e *examination) closedOff(path string) Finding {
	return e.skipped("not checked: " + path + " is not accessible")
}

// String returns the finding as one line, safe to print on a terminal.
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
