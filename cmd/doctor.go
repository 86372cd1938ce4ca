package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/doctor"
	"github.com/hobnob-cli/hobnob/internal/failure"
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

func runDoctor(ctx context.Context, opts doctorOptions) error {
	f := opts.f
	if opts.History {
		found, recovery, err := doctor.RepairHistory(ctx, f, doctor.RepairOptions{DryRun: opts.DryRun, Confirm: opts.confirm})
		if err != nil {
			return err
		}
		return opts.report([]doctor.Finding{found}, recovery)
	}
	findings, err := doctor.Run(ctx, f)
	if err != nil {
		return err
	}
	return opts.report(findings, nil)
}

// confirm asks whether the recovered history replaces the damaged one.
func (opts doctorOptions) confirm(ctx context.Context, recovered string) (bool, error) {
	if opts.Yes {
		return true, nil
	}
	opts.f.Print.Note("the history is damaged; can be recovered: %s", recovered)
	yes, err := opts.f.IO.Confirm(ctx, "Put the recovered history in place, and keep the damaged one beside it?")
	if errors.Is(err, terminal.ErrNoTerminal) {
		return false, failure.Usagef("add --yes, or look first with --dry-run", "there is nobody to ask whether the recovered history (%s) may take the place of the damaged one", recovered)
	}
	return yes, err
}

func (opts doctorOptions) report(findings []doctor.Finding, recovery *doctor.Recovery) error {
	f := opts.f
	problems := 0
	var text strings.Builder
	for _, found := range findings {
		fmt.Fprintln(&text, found)
		if !found.OK {
			problems++
		}
	}
	var err error
	if f.Global.JSON {
		err = f.Print.JSON(map[string]any{"checks": findings, "repair": recovery})
	} else {
		err = f.Print.Printf("%s", text.String())
	}
	if err == nil && problems > 0 {
		err = fmt.Errorf("%s found", cli.Counted(problems, "problem"))
	}
	return err
}
