package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/transfer"
)

type conversationsExportOptions struct {
	f *cli.Factory

	Refs   []string
	All    bool
	Format string
	Output string
	Force  bool
}

// exportFormats are the formats and the extensions of their files.
var exportFormats = []string{"md", "json", "html"}

// otherExtensions are more extensions by which files of a format are known.
var otherExtensions = map[string]string{"markdown": "md", "txt": "md", "htm": "html"}

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
	cmd.Flags().StringVar(&opts.Format, "format", "", "`format`: md, json or html")
	cmd.Flags().StringVarP(&opts.Output, "output", "o", "", "write to this `file`, or into this directory")
	cmd.Flags().BoolVar(&opts.Force, "force", false, "replace files that exist")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(exportFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (o *conversationsExportOptions) check() error {
	const help = "see: hobnob conversations export --help"
	switch {
	case o.All && len(o.Refs) > 0:
		return failure.Usagef(help, "--all and %q exclude each other", o.Refs[0])
	case !o.All && len(o.Refs) == 0:
		return failure.Usagef("name it by its id or title, or export every one with --all", "there is no conversation named to export")
	case o.Format != "" && !slices.Contains(exportFormats, o.Format):
		return failure.Usagef("formats: md, json, html", "there is no format %q", o.Format)
	}
	if o.Output == "-" {
		o.Output = ""
	}
	if o.Format == "" {
		if err := o.formatByName(); err != nil {
			return err
		}
	}
	if o.Format == "html" && o.Output == "" && o.f.IO.OutTTY {
		return failure.Usagef("write it to a file: -o talk.html", "a web page is nothing for a terminal")
	}
	return nil
}

// formatByName chooses the format by the name of the file.
func (o *conversationsExportOptions) formatByName() error {
	name := strings.TrimLeft(filepath.Base(o.Output), ".") // .notes has no extension
	extension := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	switch other := otherExtensions[extension]; {
	case slices.Contains(exportFormats, extension):
		o.Format = extension
	case other != "":
		o.Format = other
	case o.f.Global.JSON:
		o.Format = "json"
	case extension == "" || isFolder(o.Output):
		o.Format = "md"
	default:
		return failure.Usagef("choose one with --format: md, json, html", "%s: there is no format %q", o.Output, extension)
	}
	return nil
}

// exportedFile is a file that was written, in JSON.
type exportedFile struct {
	Path          string   `json:"path"`
	Conversations []string `json:"conversations"`
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
	if opts.Output == "" {
		return cli.OutputError(opts.write(ctx, f.IO.Out, store, conversations))
	}
	files := map[string][]history.Conversation{opts.Output: conversations}
	paths := []string{opts.Output}
	if isFolder(opts.Output) {
		names := transfer.FileNames{Extension: "." + opts.Format}
		files, paths = map[string][]history.Conversation{}, nil
		for _, c := range conversations {
			path := filepath.Join(opts.Output, names.Next(c))
			files[path], paths = []history.Conversation{c}, append(paths, path)
		}
	}
	for _, path := range paths {
		if err := opts.vacant(path); err != nil {
			return err
		}
	}
	written := []exportedFile{}
	for _, path := range paths {
		if err := opts.writeFile(ctx, path, store, files[path]); err != nil {
			return err
		}
		written = append(written, exportedFile{path, ids(files[path])})
	}
	if f.Global.JSON {
		return f.Print.JSON(written)
	}
	f.Print.Note("exported %s to %s", cli.Counted(len(conversations), "conversation"), opts.Output)
	return nil
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
		return store.All(ctx, profile, o.Format == "json")
	}
	seen := map[string]bool{}
	var found []history.Conversation
	for _, ref := range o.Refs {
		c, err := o.f.Conversation(ctx, store, ref)
		var missing *history.NotFoundError
		if errors.As(err, &missing) {
			if deleted, derr := store.FindDeleted(ctx, ref); derr == nil {
				c, err = deleted, nil
			}
		}
		if err != nil {
			return nil, err
		}
		if !seen[c.ID] {
			found = append(found, c)
		}
		seen[c.ID] = true
	}
	return found, nil
}

// isFolder reports whether an output is a directory, or is written like one.
func isFolder(path string) bool {
	if os.IsPathSeparator(path[len(path)-1]) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// vacant refuses a path where something is. With --force a file may be there, but in
// a directory no link, which might lead out of it.
func (o conversationsExportOptions) vacant(path string) error {
	info, err := os.Lstat(path)
	if err == nil && o.Force && path == o.Output {
		info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case o.Force && info.Mode().IsRegular():
		return nil
	case o.Force:
		return failure.WithHint(fmt.Errorf("%s is no file that can be replaced", path), "choose another name with -o")
	}
	return existsError(path)
}

func existsError(path string) error {
	return failure.WithHint(fmt.Errorf("%s exists", path), "choose another name with -o, or replace it with --force")
}

func (o conversationsExportOptions) writeFile(ctx context.Context, path string, store *history.Store, conversations []history.Conversation) error {
	write := atomicfile.Create
	if o.Force {
		write = atomicfile.Fill
	}
	err := write(path, func(w io.Writer) error { return o.write(ctx, w, store, conversations) })
	if errors.Is(err, fs.ErrExist) {
		return existsError(path)
	}
	return err
}

// write writes conversations as one document.
func (o conversationsExportOptions) write(ctx context.Context, w io.Writer, store *history.Store, conversations []history.Conversation) error {
	load := func(c history.Conversation) (transfer.Transcript, error) {
		turns, err := store.Path(ctx, c.Head, 0)
		if c.Head == "" {
			turns, err = store.Turns(ctx, c.ID)
		}
		return transfer.Transcript{Conversation: c, Turns: turns}, err
	}
	switch o.Format {
	case "json":
		return transfer.WriteHobnob(w, store.Trees(ctx, ids(conversations)...))
	case "html":
		return transfer.WriteHTML(w, conversations, load)
	}
	for i, c := range conversations {
		t, err := load(c)
		if err != nil {
			return err
		}
		var text strings.Builder
		if i > 0 {
			text.WriteString("\n")
		}
		if err := transfer.WriteMarkdown(&text, t); err != nil {
			return err
		}
		if _, err := io.WriteString(w, o.shown(text.String())); err != nil {
			return err
		}
	}
	return nil
}

// shown cleans what goes to the terminal.
func (o conversationsExportOptions) shown(text string) string {
	if o.Output == "" {
		return o.f.Print.Clean(text)
	}
	return text
}
