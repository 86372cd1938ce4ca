package cmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/plural"
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
		Short: "Import conversations from hobnob, llm or aichat",
		Long: `Import conversations into the local history: from hobnob conversations export
--format json, from llm logs --json, or from session files of aichat. The file -
is stdin. Nothing is sent to the service.

Importing a file again adds nothing. An existing conversation gets its missing
turns and keeps its title and its head. Each file is imported completely or, if
it is invalid or the import is stopped, not at all. Until a file is imported,
questions of other hobnob processes wait.

Conversations of llm and aichat go to the selected profile. Those of hobnob go
to the profile in the file, or to the one selected with -p.`,
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
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "print what would be imported and change nothing")
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
	for i, name := range opts.Files {
		one, err := opts.importFile(ctx, name, profile.Name)
		if err != nil && !opts.DryRun {
			err = &transfer.FilesError{Err: err, Done: done, Left: opts.Files[i:]}
		}
		if err != nil {
			return err
		}
		done, profiles = append(done, one), append(profiles, one.Profiles...)
		if !f.Global.JSON {
			printImported(f, one)
		}
	}
	if err := noteProfiles(f, profiles); err != nil || !f.Global.JSON {
		return err
	}
	return f.Print.JSON(done)
}

func (o conversationsImportOptions) importFile(ctx context.Context, name, profile string) (transfer.Imported, error) {
	if name == "-" && o.f.IO.InTTY {
		return transfer.Imported{}, failure.Usagef("pipe an export into it, or pass a file", "cannot import from a terminal")
	}
	source, err := transfer.Open(ctx, name, o.f.IO.In, o.format)
	if err != nil {
		return transfer.Imported{}, err
	}
	defer source.Close()
	if source.Format.Lossless && o.f.Global.Profile == "" {
		profile = "" // use the profiles in the file
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

// noteProfiles prints a note if imported conversations belong to a profile that does not
// exist, because no list shows them then.
func noteProfiles(f *cli.Factory, profiles []string) error {
	c, err := f.Config()
	if err != nil {
		return err
	}
	for _, name := range profiles {
		if !slices.Contains(c.Profiles(), name) {
			f.Print.Note("the profile %q of imported conversations does not exist; to create it: %s", name, failure.Run("hobnob login").In(name))
			return nil // one note is enough
		}
	}
	return nil
}

func printImported(f *cli.Factory, one transfer.Imported) {
	verb := "imported"
	if one.DryRun {
		verb = "would import"
	}
	text := fmt.Sprintf("%s %s with %s from %s", verb, plural.Count(one.Conversations, "new conversation"), plural.Count(one.Added, "new turn"), one.File)
	if one.Completed > 0 {
		text += fmt.Sprintf("; added the missing answers of %s", plural.Count(one.Completed, "turn"))
	}
	if one.Skipped > 0 {
		text += fmt.Sprintf("; skipped %s already in the history", plural.Count(one.Skipped, "turn"))
	}
	f.Print.Note("%s", text)
	short := history.Shorts(one.InTrash...)
	switch n := len(one.Trashed); {
	case n == 1:
		f.Print.Note("%s %q is in the trash; to restore it: hobnob conversations restore %s", short(one.InTrash[0]), one.Trashed[0].Title, short(one.InTrash[0]))
	case n > 1:
		f.Print.Note("%d of the conversations are in the trash; to list them: hobnob conversations list --deleted", n)
	}
}
