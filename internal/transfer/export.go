package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// ExportFormat returns the format with a name or, if the name is empty, the format of
// the extension of a path. If the extension has none, it returns the lossless format for
// structured output, and Markdown for a directory or a path without extension. Errors
// are *UnknownFormatError.
func ExportFormat(name, path string, structured bool) (Format, error) {
	if name != "" {
		if f, ok := find(func(f Format) bool { return f.Export != nil && f.Extensions[0] == name }); ok {
			return f, nil
		}
		return Format{}, &UnknownFormatError{Name: name, Known: ExportNames()}
	}
	base := strings.TrimLeft(filepath.Base(path), ".") // .notes has no extension
	extension := strings.ToLower(strings.TrimPrefix(filepath.Ext(base), "."))
	f, ok := find(func(f Format) bool { return f.Export != nil && slices.Contains(f.Extensions, extension) })
	switch {
	case ok:
		return f, nil
	case structured:
		return hobnobFormat, nil
	case extension == "" || isDirectory(path):
		return markdownFormat, nil
	}
	return Format{}, &UnknownFormatError{Name: extension, Path: path, Known: ExportNames()}
}

// Export writes conversations in a format.
type Export struct {
	Store         *history.Store
	Conversations []history.Conversation
	Format        Format
}

// Write writes the conversations as one document. As Markdown, each of them is one call
// of w.Write.
func (e Export) Write(ctx context.Context, w io.Writer) error {
	trees := e.paths(ctx)
	if e.Format.Lossless {
		trees = e.Store.Trees(ctx, e.ids()...)
	}
	return e.Format.Export(w, e.Conversations, trees)
}

// paths returns the conversations with the turns from the root to the head, or with all
// turns if there is no head.
func (e Export) paths(ctx context.Context) iter.Seq2[history.Tree, error] {
	return func(yield func(history.Tree, error) bool) {
		for _, c := range e.Conversations {
			tree := history.Tree{Conversation: c}
			var err error
			if tree.Turns, err = e.Store.Transcript(ctx, c, ""); err == nil {
				tree.Instructions, err = e.Store.Instructions(ctx, c.ID)
			}
			if !yield(tree, err) || err != nil {
				return
			}
		}
	}
}

func (e Export) ids() []string {
	ids := make([]string, len(e.Conversations))
	for i, c := range e.Conversations {
		ids[i] = c.ID
	}
	return ids
}

// File is a written file.
type File struct {
	Path          string   `json:"path"`
	Conversations []string `json:"conversations"` // ids
}

// ExistsError reports that a file exists at a path.
type ExistsError struct{ Path string }

func (e *ExistsError) Error() string { return e.Path + " already exists" }

// Failure implements failure.Explainer.
func (e *ExistsError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Other, Hint: failure.Plain("choose another name with -o, or replace it with --force")}
}

// WriteFiles writes the conversations to the file at path. If path is a directory or
// ends in a separator, it writes one file per conversation, named by title. Each file is
// written completely or not at all. If files exist, replace decides for all of them;
// without its consent WriteFiles writes nothing and returns nil.
func (e Export) WriteFiles(ctx context.Context, path string, replace Replace) ([]File, error) {
	exports, paths := []Export{e}, []string{path}
	if isDirectory(path) {
		exports, paths = nil, nil
		names := fileNames{extension: "." + e.Format.Extensions[0]}
		for _, c := range e.Conversations {
			exports = append(exports, Export{e.Store, []history.Conversation{c}, e.Format})
			paths = append(paths, filepath.Join(path, names.next(c)))
		}
	}
	existing, ok, err := replace.Allows(paths, !isDirectory(path))
	if err != nil || !ok {
		return nil, err
	}
	files := []File{}
	for i, p := range paths {
		write := atomicfile.Create
		if slices.Contains(existing, p) {
			write = atomicfile.Fill
		}
		err := write(p, func(w io.Writer) error { return exports[i].Write(ctx, w) })
		if errors.Is(err, fs.ErrExist) {
			err = &ExistsError{p}
		}
		if err != nil {
			return files, err
		}
		files = append(files, File{p, exports[i].ids()})
	}
	return files, nil
}

// Replace decides whether existing files may be replaced; nil means never. An error,
// such as an *ExistsError, means that there is no decision.
type Replace func(existing []string) (bool, error)

// Allows returns those of the paths where a regular file exists, and whether all of them
// may be replaced; ok is also true if there are none. Any other existing file is an
// error. So is a symbolic link, which could lead out of the directory, unless named
// reports that the user specified the path.
func (r Replace) Allows(paths []string, named bool) (existing []string, ok bool, err error) {
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err == nil && named {
			info, err = os.Stat(path)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if _, err := os.Lstat(path); err == nil { // a dangling link
				return nil, false, &ExistsError{path}
			}
			continue
		case err != nil:
			return nil, false, err
		case !info.Mode().IsRegular():
			return nil, false, failure.WithHint(fmt.Errorf("%s is not a regular file", path), "choose another name")
		}
		existing = append(existing, path)
	}
	switch {
	case len(existing) == 0:
		return nil, true, nil
	case r == nil:
		return nil, false, &ExistsError{existing[0]}
	}
	ok, err = r(existing)
	return existing, ok, err
}

// Question returns the question whether existing files may be replaced.
func Question(existing []string) string {
	if len(existing) == 1 {
		return existing[0] + " already exists. Replace it?"
	}
	return fmt.Sprintf("%d files already exist, such as %s. Replace them?", len(existing), existing[0])
}

// isDirectory reports whether a path is a directory or ends in a separator.
func isDirectory(path string) bool {
	if path != "" && os.IsPathSeparator(path[len(path)-1]) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
