package cmd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/transfer"
	"github.com/hobnob-cli/hobnob/internal/view"
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
		Short: "Export conversations as Markdown, JSON or HTML",
		Long: `Export conversations to stdout or, with -o, to a file: the latest conversation,
or those that you name. If -o is a directory, each conversation gets a file
named after its title. Existing files are replaced only after confirmation or
with --force.

  md    the path from the first question to the head, for reading and pasting
  html  the same as one self-contained page, without scripts or external
        resources, light or dark as the browser prefers
  json  everything, including branches, failures and the service's responses;
        hobnob conversations import reads it back without loss

Without --format, the file name determines the format. The default is Markdown.
--all exports every conversation, or those of one profile with -p or
HOBNOB_PROFILE. In JSON, it includes the trash.`,
		Example: `  hobnob conversations export > notes.md
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
				return failure.Usagef("pass a file name, or omit -o to write to stdout", "--output is empty")
			}
			if err := opts.check(); err != nil {
				return err
			}
			return runConversationsExport(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVar(&opts.All, "all", false, "export every conversation")
	cmd.Flags().StringVar(&opts.Name, "format", "", "`format`: "+alternatives(transfer.ExportNames()))
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "", "write to this `file` or directory")
	cmd.Flags().BoolVar(&opts.Force, "force", false, "replace existing files without confirmation")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(transfer.ExportNames(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// check validates the options and sets o.format.
func (o *conversationsExportOptions) check() error {
	switch {
	case o.All && len(o.Refs) > 0:
		return failure.Usagef("see: hobnob conversations export --help", "--all and %q cannot be used together", o.Refs[0])
	}
	if o.Output == "-" {
		o.Output = ""
	}
	var err error
	if o.format, err = transfer.ExportFormat(o.Name, o.Output, o.f.Global.JSON); err != nil {
		return err
	}
	if o.f.Print.Filter != nil && o.Output == "" && !o.format.Lossless {
		return failure.Usagef("omit --jq, or use --format json", "--format %s and --jq cannot be used together", o.format.Name)
	}
	if o.format.Name == "html" && o.Output == "" && o.f.IO.OutTTY {
		return failure.Usagef("write it to a file: -o talk.html", "cannot write HTML to a terminal")
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
	if opts.Output == "" && f.Print.Filter != nil {
		var document bytes.Buffer
		if err := export.Write(ctx, &document); err != nil {
			return err
		}
		return f.Print.Row(document.Bytes())
	}
	if opts.Output == "" {
		out := f.IO.Out
		if !opts.format.Lossless {
			out = cleaner{f}
		}
		return cli.OutputError(export.Write(ctx, out))
	}
	written, err := export.WriteFiles(ctx, opts.Output, func(existing []string) (bool, error) {
		if opts.Force {
			return true, nil
		}
		return f.Print.Confirm(ctx, transfer.Question(existing), &transfer.ExistsError{Path: existing[0]})
	})
	if err != nil {
		return err
	}
	if written == nil {
		return f.Print.Done("nothing was written")
	}
	if f.Global.JSON {
		return f.Print.JSON(written)
	}
	f.Print.Note("exported %s to %s", plural.Count(len(conversations), "conversation"), opts.Output)
	return nil
}

// cleaner is a writer to stdout that cleans text for a terminal.
type cleaner struct{ f *cli.Factory }

func (c cleaner) Write(text []byte) (int, error) {
	_, err := io.WriteString(c.f.IO.Out, c.f.Print.Clean(string(text)))
	return len(text), err
}

func (o conversationsExportOptions) find(ctx context.Context, store *history.Store) ([]history.Conversation, error) {
	if o.All {
		if !store.Saved() {
			o.f.Print.Note("no conversations yet")
			return nil, nil
		}
		profile, err := o.f.NamedProfile(ctx, store)
		if err != nil {
			return nil, err
		}
		all, err := store.All(ctx, profile, o.format.Lossless)
		if err == nil && len(all) == 0 {
			counts, err := store.RoughProfiles(ctx, false)
			if err != nil {
				return nil, err
			}
			o.f.Print.Note("%s", view.NoConversations(profile, counts))
		}
		return all, err
	}
	if len(o.Refs) == 0 {
		o.Refs = []string{""} // the latest
	}
	var found []history.Conversation
	for _, ref := range o.Refs {
		c, err := cli.FindConversation(ctx, o.f, store, ref)
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
