package cmd

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/transfer"
)

type conversationsExportOptions struct {
	f *cli.Factory

	Refs   []string
	All    bool
	Name   string // of the format
	Output string
	Force  bool

	format transfer.Format
}

func newConversationsExportCommand(f *cli.Factory) *cobra.Command {
	opts := conversationsExportOptions{f: f}
	cmd := &cobra.Command{
		Use:   "export [ID|TITLE…]",
		Short: "Write conversations as Markdown, JSON or a web page",
		Long: `Write conversations to stdout, or with -o to a file that does not exist yet.
-o with a directory writes one file for each, named by its title.

  md    the path from the first question to the head, to read and to paste
  html  the same as one page that needs nothing else: it runs no script and loads
        nothing, and is dark or light as its reader wishes
  json  everything, branches and failures and what the service sent, without
        loss: hobnob conversations import reads it back

Without --format the name of the file decides, and else it is Markdown. --all means
every conversation, of one profile with -p or HOBNOB_PROFILE; in JSON those in the
trash too.`,
		Example: `  hobnob conversations export 3f2a > notes.md
  hobnob conversations export 3f2a 9b0c -o talk.html
  hobnob conversations export --all -o backup.json
  hobnob conversations export --all --format md -o notes/`,
		ValidArgsFunction: complete{f}.conversations,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Refs = args
			if slices.Contains(args, "") {
				return emptyArg(cmd, "ID|TITLE")
			}
			if cmd.Flags().Changed("output") && opts.Output == "" {
				return failure.Usagef("name it, or leave -o out to write to stdout", "--output names no file")
			}
			if err := opts.check(); err != nil {
				return err
			}
			return runConversationsExport(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.All, "all", false, "export every conversation")
	cmd.Flags().StringVar(&opts.Name, "format", "", "`format`: "+alternatives(transfer.ExportNames()))
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "", "write to this `file`, or into this directory")
	cmd.Flags().BoolVar(&opts.Force, "force", false, "replace files that exist")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(transfer.ExportNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check also chooses the format.
func (o *conversationsExportOptions) check() error {
	switch {
	case o.All && len(o.Refs) > 0:
		return failure.Usagef("see: hobnob conversations export --help", "--all and %q exclude each other", o.Refs[0])
	case !o.All && len(o.Refs) == 0:
		return failure.Usagef("name it by its id or title, or export every one with --all", "there is no conversation named to export")
	}
	if o.Output == "-" {
		o.Output = ""
	}
	var err error
	if o.format, err = transfer.ExportFormat(o.Name, o.Output, o.f.Global.JSON); err != nil {
		return err
	}
	if o.format.Name == "html" && o.Output == "" && o.f.IO.OutTTY {
		return failure.Usagef("write it to a file: -o talk.html", "a web page is nothing for a terminal")
	}
	return nil
}

func runConversationsExport(ctx context.Context, opts conversationsExportOptions) error {
	f := opts.f
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	conversations, err := opts.find(ctx, store)
	if err != nil {
		return err
	}
	export := transfer.Export{Store: store, Conversations: conversations, Format: opts.format}
	if opts.Output == "" {
		out := f.IO.Out
		if !opts.format.Lossless {
			out = cleaner{f}
		}
		return cli.OutputError(export.Write(ctx, out))
	}
	written, err := export.WriteFiles(ctx, opts.Output, opts.Force)
	if err != nil {
		return err
	}
	if f.Global.JSON {
		return f.Print.JSON(written)
	}
	f.Print.Note("exported %s to %s", cli.Counted(len(conversations), "conversation"), opts.Output)
	return nil
}

// cleaner cleans each text that is written to the terminal.
type cleaner struct{ f *cli.Factory }

func (c cleaner) Write(text []byte) (int, error) {
	_, err := io.WriteString(c.f.IO.Out, c.f.Print.Clean(string(text)))
	return len(text), err
}

func (o conversationsExportOptions) find(ctx context.Context, store *history.Store) ([]history.Conversation, error) {
	if o.All {
		if !store.Saved() {
			o.f.Print.Note("there are no conversations yet")
			return nil, nil
		}
		profile, err := o.f.NamedProfile(ctx, store)
		if err != nil {
			return nil, err
		}
		return store.All(ctx, profile, o.format.Lossless)
	}
	var found []history.Conversation
	for _, ref := range o.Refs {
		c, err := o.f.Conversation(ctx, store, ref)
		if errors.As(err, new(*history.NotFoundError)) {
			if deleted, derr := store.FindDeleted(ctx, ref); derr == nil {
				c, err = deleted, nil
			}
		}
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(found, func(other history.Conversation) bool { return other.ID == c.ID }) {
			found = append(found, c)
		}
	}
	return found, nil
}
