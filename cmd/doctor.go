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
	"github.com/hobnob-cli/hobnob/internal/plural"
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
		Use:         "doctor",
		Annotations: map[string]string{exitCodes: ""},
		Short:       "Diagnose problems and repair the history",
		Long: `Check everything that a question needs: the configuration, the permissions of
files, the profile and its agent, the proxy, the address, connection,
certificate and clock of the service, the keyring, the token, the conversation
listing, the terminal, the built-in service and the history. Each problem
comes with a fix; checks that depend on a failed one are skipped. The listing
is requested with and without the token. Nothing is changed. The exit code is
1 if there are problems.

With --history, check and repair only the history. An inconsistent search
index is rebuilt. All readable data of a damaged file is copied to a new file,
which replaces the damaged one after confirmation. The damaged file is
renamed, not deleted.`,
		Example: "  hobnob doctor\n  hobnob doctor -p work --json\n  hobnob doctor --history --dry-run",
		GroupID: groupMore,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !opts.History && (opts.Yes || opts.DryRun) {
				return failure.Usagef("pass --history", "--yes and --dry-run are only valid with --history")
			}
			return runDoctor(cmd.Context(), opts)
		},
	}
	flags := command.Flags()
	flags.BoolVar(&opts.History, "history", false, "check and repair only the history")
	flags.BoolVarP(&opts.Yes, "yes", "y", false, "replace a damaged history without confirmation")
	flags.BoolVar(&opts.DryRun, "dry-run", false, "show what could be recovered, without changing anything")
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

// confirm asks whether to replace the damaged history with the recovered one.
func (opts doctorOptions) confirm(ctx context.Context, recovered string) (bool, error) {
	if opts.Yes {
		return true, nil
	}
	opts.f.Print.Note("the history is damaged; recoverable: %s", recovered)
	yes, err := opts.f.IO.Confirm(ctx, "Replace the damaged history with the recovered one?")
	if errors.Is(err, terminal.ErrNoTerminal) {
		return false, failure.Usagef("to check it first, pass --dry-run", "replacing the damaged history needs confirmation: pass --yes")
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
		err = fmt.Errorf("%s found", plural.Count(problems, "problem"))
	}
	return err
}
