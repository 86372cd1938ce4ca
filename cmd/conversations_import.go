package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/transfer"
)

type conversationsImportOptions struct {
	f *cli.Factory

	Files  []string
	Format string
	DryRun bool
}

var importFormats = []string{"auto", string(transfer.Hobnob), string(transfer.LLM), string(transfer.Aichat)}

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
		Args: someArgs("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Files = args
			if !slices.Contains(importFormats, opts.Format) {
				return failure.Usagef("formats: auto, hobnob, llm, aichat", "there is no format %q", opts.Format)
			}
			return runConversationsImport(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Format, "format", "auto", "`format` of the files: auto, hobnob, llm or aichat")
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "say what would be imported and change nothing")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(importFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// importedFile is what came of one file, in JSON.
type importedFile struct {
	File          string          `json:"file"`
	Format        transfer.Format `json:"format"`
	Conversations int             `json:"conversations"`
	Turns         int             `json:"turns"`
	Completed     int             `json:"completed"` // turns that got the answer they lacked
	Skipped       int             `json:"skipped"`
	DryRun        bool            `json:"dry_run"`
}

func runConversationsImport(ctx context.Context, opts conversationsImportOptions) error {
	f := opts.f
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	profiles := map[string]bool{}
	done := []importedFile{}
	for _, name := range opts.Files {
		one, err := opts.importFile(ctx, name, profile.Name, profiles)
		if err != nil {
			return opts.failed(name, one.Format, err)
		}
		done = append(done, one)
		if !f.Global.JSON {
			tellImport(f, one)
		}
	}
	if err := noteProfiles(f, profiles); err != nil || !f.Global.JSON {
		return err
	}
	return f.Print.JSON(done)
}

func (o conversationsImportOptions) importFile(ctx context.Context, name, profile string, profiles map[string]bool) (importedFile, error) {
	out := importedFile{File: name, DryRun: o.DryRun}
	file, closeFile, err := openImport(o.f, name)
	if err != nil {
		return out, err
	}
	defer closeFile()
	if out.Format = transfer.Format(o.Format); o.Format == "auto" {
		out.Format = transfer.Detect(bufio.NewReader(file))
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return out, err
		}
	}
	trees := transfer.ReadHobnob(file)
	if out.Format != transfer.Hobnob {
		if trees, err = transfer.ReadForeign(out.Format, file, originOf(name)); err != nil {
			return out, err
		}
	} else if o.f.Global.Profile == "" {
		profile = "" // they know theirs
	}
	if profile == "" {
		trees = noting(trees, profiles)
	}
	var did history.Imported
	if o.DryRun {
		store, err := o.f.ReadHistory(ctx)
		if err != nil {
			return out, err
		}
		did, err = store.CheckImport(ctx, trees)
		if err != nil {
			return out, err
		}
	} else {
		store, err := o.f.History(ctx)
		if err != nil {
			return out, err
		}
		if did, err = store.Import(ctx, trees, profile); err != nil {
			return out, err
		}
	}
	out.Conversations, out.Turns, out.Completed, out.Skipped = did.Conversations, did.Added, did.Completed, did.Skipped
	return out, nil
}

// failed names the file of an error, and how it was read.
func (o conversationsImportOptions) failed(name string, format transfer.Format, err error) error {
	var unreadable *history.ImportError
	if !errors.As(err, &unreadable) {
		return err
	}
	err = fmt.Errorf("%s: %w", name, err)
	if o.Format == "auto" {
		err = failure.WithHint(err, "nothing of this file was imported; it was taken for one of %s, which --format can change", format)
	}
	return err
}

// openImport opens a file that can be read twice: what cannot, a pipe, and what is
// UTF-16, as PowerShell writes it, is copied to a private temporary file first.
func openImport(f *cli.Factory, name string) (file *os.File, closeFile func(), err error) {
	var from io.Reader
	var regular bool
	if name == "-" {
		if f.IO.InTTY {
			return nil, nil, failure.Usagef("pipe an export into it, or name a file", "there is nothing on stdin")
		}
		from = f.IO.In
	} else {
		if file, err = os.Open(name); err != nil {
			return nil, nil, failure.Usagef("name a file that can be read, or - for stdin", "%v", err)
		}
		info, err := file.Stat()
		if err == nil && info.IsDir() {
			_ = file.Close()
			return nil, nil, failure.Usagef("name the files in it that are to be imported", "%s is a directory", name)
		}
		from, regular = file, err == nil && info.Mode().IsRegular()
	}
	text, was16 := transfer.FromUTF16(bufio.NewReader(from))
	if regular && !was16 {
		_, err = file.Seek(0, io.SeekStart)
		return file, func() { _ = file.Close() }, err
	}
	if name != "-" {
		defer func(original *os.File) { _ = original.Close() }(file)
	}
	if file, err = os.CreateTemp("", "hobnob-import-*"); err != nil {
		return nil, nil, err
	}
	closeFile = func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}
	if _, err = io.Copy(file, text); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		closeFile()
		return nil, nil, err
	}
	return file, closeFile, nil
}

// originOf is what the file itself tells of a foreign export.
func originOf(name string) transfer.Origin {
	origin := transfer.Origin{Name: filepath.Base(name), Time: time.Now()}
	if info, err := os.Stat(name); err == nil && name != "-" && info.Mode().IsRegular() {
		origin.Time = info.ModTime()
	}
	return origin
}

// noting notes the profiles of the trees that go through it.
func noting(trees iter.Seq2[history.Tree, error], profiles map[string]bool) iter.Seq2[history.Tree, error] {
	return func(yield func(history.Tree, error) bool) {
		for tree, err := range trees {
			if err == nil {
				profiles[tree.Conversation.Profile] = true
			}
			if !yield(tree, err) {
				return
			}
		}
	}
}

// noteProfiles tells which imported conversations no list will show.
func noteProfiles(f *cli.Factory, profiles map[string]bool) error {
	c, err := f.Config()
	if err != nil {
		return err
	}
	for _, known := range c.Profiles() {
		delete(profiles, known)
	}
	for name := range profiles {
		f.Print.Note("there are conversations of the profile %q, which is not set up here; set it up with: hobnob login -p NAME", name)
		break // one is enough to understand
	}
	return nil
}

func tellImport(f *cli.Factory, one importedFile) {
	verb := "imported"
	if one.DryRun {
		verb = "would import"
	}
	text := fmt.Sprintf("%s %s with %s from %s", verb, cli.Counted(one.Conversations, "new conversation"), cli.Counted(one.Turns, "new turn"), one.File)
	if one.Completed > 0 {
		text += fmt.Sprintf("; %s got the answer that was missing", cli.Counted(one.Completed, "turn"))
	}
	if one.Skipped > 0 {
		text += fmt.Sprintf("; %s skipped, here already", cli.Counted(one.Skipped, "turn"))
	}
	f.Print.Note("%s", text)
}
