package cmd

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type doctorOptions struct {
	f *cli.Factory

	History bool
	Yes     bool
	DryRun  bool
}

func newDoctorCommand(f *cli.Factory) *cobra.Command {
	opts := doctorOptions{f: f}
	command := &cobra.Command{
		Use:   "doctor",
		Short: "Find what is wrong and how to mend it, and repair the history",
		Long: `Check everything between a question and its answer: the configuration, who can
open what is private and whether you can, the profile and its agent, the proxy, the
name, the connection and the certificate of the service, the clock, the keyring, the
token, the listing, the terminal, what the built-in service keeps, and the history.
Each is one line; a problem has its fix beside it, and what cannot be checked before
another thing is mended is skipped. The service is asked for its listing, without
and with the token; nothing is changed. The exit code is 1 when a problem is left.

With --history the history alone is checked, and repaired. A search index that is
wrong is made anew. From a damaged file every row that can be read goes into a new
one, which takes its place after you agreed; the damaged file is kept beside it, as
it was.`,
		Example: "  hobnob doctor\n  hobnob doctor -p work --json\n  hobnob doctor --history --dry-run",
		GroupID: groupMore,
		Args:    exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !opts.History && (opts.Yes || opts.DryRun) {
				return failure.Usagef("add --history", "--yes and --dry-run are for the repair of the history")
			}
			return runDoctor(cmd.Context(), opts)
		},
	}
	flags := command.Flags()
	flags.BoolVar(&opts.History, "history", false, "check the history alone, and repair it")
	flags.BoolVarP(&opts.Yes, "yes", "y", false, "put a recovered history in place without asking")
	flags.BoolVar(&opts.DryRun, "dry-run", false, "say what could be recovered, and change nothing")
	return command
}

// finding is what one check found; its JSON form is stable. OK is false for a
// problem alone: what was skipped is none by itself.
type finding struct {
	Check   string  `json:"check"`
	OK      bool    `json:"ok"`
	Detail  string  `json:"detail"`
	Fix     *string `json:"fix"` // null when there is nothing to do
	Skipped bool    `json:"skipped,omitempty"`

	detail, fix failure.Hint // become Detail and Fix when they are printed
}

func fine(check, format string, args ...any) finding {
	return finding{Check: check, OK: true, detail: failure.Hintf(format, args...)}
}

func problem(check string, fix failure.Hint, format string, args ...any) finding {
	return finding{Check: check, detail: failure.Hintf(format, args...), fix: fix}
}

// problemOf tells an error as a command that it ends would.
func problemOf(check string, err error) finding {
	return problem(check, failure.Of(err).Hint, "%v", err)
}

func skipped(check, why string) finding {
	return finding{Check: check, OK: true, detail: failure.Plain(why), Skipped: true}
}

func runDoctor(ctx context.Context, opts doctorOptions) error {
	f := opts.f
	paths, err := f.Paths()
	if err != nil {
		return err
	}
	var findings []finding
	if !opts.History {
		told := map[string]bool{}
		findings = append(findings, checkConfig(f, paths.ConfigFile, told))
		findings = append(findings, checkPermissions(paths, told)...)
		account, err := checkService(ctx, f)
		if err != nil {
			return err
		}
		findings = append(findings, account...)
		findings = append(findings, checkTerminal(f.IO, f.Env("TERM")))
		findings = append(findings, checkBuiltIn(ctx, filepath.Join(paths.DataDir, service.FileName))...)
	}
	found, repair, err := checkHistory(ctx, opts, paths.DataDir)
	if err != nil {
		return err
	}
	return opts.report(append(findings, found), repair)
}

// checkTerminal tells what is known of the terminal; nothing of it is a problem.
func checkTerminal(s *terminal.Streams, name string) finding {
	what := "standard output is no terminal"
	if s.OutTTY {
		what = fmt.Sprintf("TERM=%s, %s", name, cli.Counted(s.Columns(), "column"))
	}
	color, charset, also := "no colour", "ASCII", ""
	if s.OutColor {
		color = "colour"
	}
	if s.UTF8 {
		charset = "UTF-8"
	}
	if s.OutTTY && s.Dumb {
		also += ", dumb"
	}
	if s.Accessible {
		also += ", for a screen reader (ACCESSIBLE)"
	}
	return fine("terminal", "%s, %s, %s%s", what, color, charset, also)
}

func (opts doctorOptions) report(findings []finding, repair *repairReport) error {
	f := opts.f
	bad := 0
	for i, found := range findings {
		findings[i].Detail = f.Print.Sprintf("%s", found.detail)
		if !found.fix.IsZero() {
			findings[i].Fix = cli.OrNull(f.Print.Sprintf("%s", found.fix))
		}
		if !found.OK {
			bad++
		}
	}
	var err error
	if f.Global.JSON {
		err = f.Print.JSON(struct {
			Checks []finding     `json:"checks"`
			Repair *repairReport `json:"repair"`
		}{findings, repair})
	} else {
		err = opts.print(findings)
	}
	if err == nil && bad > 0 {
		err = fmt.Errorf("%s found", cli.Counted(bad, "problem"))
	}
	return err
}

func (opts doctorOptions) print(findings []finding) error {
	for _, found := range findings {
		state, text := "ok", found.Detail
		switch {
		case found.Skipped:
			state = "skipped"
		case !found.OK:
			state = "problem"
		}
		if found.Fix != nil {
			text += "; fix: " + *found.Fix
		}
		if err := opts.f.Print.Printf("%-7s  %-16s  %s\n", state, found.Check, terminal.CleanLine(text)); err != nil {
			return err
		}
	}
	return nil
}
