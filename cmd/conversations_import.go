package cmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/transfer"
)

type conversationsImportOptions struct {
	f *cli.Factory

	Files  []string
	Name   string // of the format
	DryRun bool

	format transfer.Format
}

func newConversationsImportCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsImportOptions{f: f}
	cmd := &cobra.Command{
		Use:   "import FILE…",
		Short: "Take conversations from an export of hobnob, llm or aichat",
		Long: `Take conversations into the local history: from what hobnob conversations export
--format json wrote, from llm logs --json, or from a session file of aichat. The
file - is stdin. The service is told nothing.

Importing twice adds nothing. A conversation that is here already gets the turns
that it lacks and keeps its title and its head. A file that cannot be read wholly
is refused wholly.

Conversations of llm and aichat go to the selected profile, those of hobnob to the
profile in which they were, or with -p to that one.`,
		Example: `  hobnob conversations import backup.json
  llm logs -n 0 --json | hobnob conversations import -
  hobnob conversations import ~/.config/aichat/sessions/*.yaml --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			opts.Files = args
			if opts.format, err = transfer.ImportFormat(opts.Name); err != nil {
				return err
			}
			return runConversationsImport(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Name, "format", transfer.Auto, "`format` of the files: "+alternatives(transfer.ImportNames()))
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "say what would be imported and change nothing")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(transfer.ImportNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runConversationsImport(ctx context.Context, opts conversationsImportOptions) error {
	f := opts.f
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	var profiles []string
	done := []transfer.Imported{}
	for _, name := range opts.Files {
		one, err := opts.importFile(ctx, name, profile.Name)
		if err != nil {
			return err
		}
		done, profiles = append(done, one), append(profiles, one.Profiles...)
		if !f.Global.JSON {
			tellImport(f, one)
		}
	}
	if err := noteProfiles(f, profiles); err != nil || !f.Global.JSON {
		return err
	}
	return f.Print.JSON(done)
}

func (o conversationsImportOptions) importFile(ctx context.Context, name, profile string) (transfer.Imported, error) {
	if name == "-" && o.f.IO.InTTY {
		return transfer.Imported{}, failure.Usagef("pipe an export into it, or name a file", "there is nothing on stdin")
	}
	source, err := transfer.Open(name, o.f.IO.In, o.format)
	if err != nil {
		return transfer.Imported{}, err
	}
	defer source.Close()
	if source.Format.Lossless && o.f.Global.Profile == "" {
		profile = "" // its conversations have theirs
	}
	open := o.f.History
	if o.DryRun {
		open = o.f.ReadHistory
	}
	store, err := open(ctx)
	if err != nil {
		return transfer.Imported{}, err
	}
	return source.Import(ctx, store, profile, o.DryRun)
}

// noteProfiles names a profile whose imported conversations no list will show.
func noteProfiles(f *cli.Factory, profiles []string) error {
	c, err := f.Config()
	if err != nil {
		return err
	}
	for _, name := range profiles {
		if !slices.Contains(c.Profiles(), name) {
			f.Print.Note("there are conversations of the profile %q, which is not set up here; set it up with: hobnob login -p NAME", name)
			return nil // one is enough to understand
		}
	}
	return nil
}

func tellImport(f *cli.Factory, one transfer.Imported) {
	verb := "imported"
	if one.DryRun {
		verb = "would import"
	}
	text := fmt.Sprintf("%s %s with %s from %s", verb, cli.Counted(one.Conversations, "new conversation"), cli.Counted(one.Added, "new turn"), one.File)
	if one.Completed > 0 {
		text += fmt.Sprintf("; %s got the answer that was missing", cli.Counted(one.Completed, "turn"))
	}
	if one.Skipped > 0 {
		text += fmt.Sprintf("; %s skipped, here already", cli.Counted(one.Skipped, "turn"))
	}
	f.Print.Note("%s", text)
}
