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

// ExportFormat returns the format with a name or, when it is empty, the one that the
// extension of a path shows. Where there is no such, it is the lossless one if the
// output is structured, and Markdown for a directory and a path without extension.
// Errors are *UnknownFormatError.
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

// Export is conversations to be written in a format.
type Export struct {
	Store         *history.Store
	Conversations []history.Conversation
	Format        Format
}

// Write writes the conversations as one document. Markdown is written with one call
// of w.Write for each of them.
func (e Export) Write(ctx context.Context, w io.Writer) error {
	trees := e.paths(ctx)
	if e.Format.Lossless {
		trees = e.Store.Trees(ctx, e.ids()...)
	}
	return e.Format.Export(w, e.Conversations, trees)
}

// paths are the conversations with the turns from the root to the head, or with every
// turn when there is no head.
func (e Export) paths(ctx context.Context) iter.Seq2[history.Tree, error] {
	return func(yield func(history.Tree, error) bool) {
		for _, c := range e.Conversations {
			turns, err := e.Store.Transcript(ctx, c, "")
			if !yield(history.Tree{Conversation: c, Turns: turns}, err) || err != nil {
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

// File is a file that was written.
type File struct {
	Path          string   `json:"path"`
	Conversations []string `json:"conversations"` // ids
}

// ExistsError is a path where an export would replace something.
type ExistsError struct{ Path string }

func (e *ExistsError) Error() string { return e.Path + " exists" }

// Failure implements failure.Explainer.
func (e *ExistsError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Other, Hint: failure.Plain("choose another name with -o, or replace it with --force")}
}

// WriteFiles writes the conversations to the file at path or, when it is a directory or
// ends like one, a file for each of them into it, named by their titles. Each file is
// written completely or not at all. A path where something exists is an *ExistsError,
// and nothing is written; with replace only regular files are replaced.
func (e Export) WriteFiles(ctx context.Context, path string, replace bool) ([]File, error) {
	exports, paths := []Export{e}, []string{path}
	if isDirectory(path) {
		exports, paths = nil, nil
		names := fileNames{extension: "." + e.Format.Extensions[0]}
		for _, c := range e.Conversations {
			exports = append(exports, Export{e.Store, []history.Conversation{c}, e.Format})
			paths = append(paths, filepath.Join(path, names.next(c)))
		}
	}
	for _, p := range paths {
		if err := vacant(p, replace, p == path); err != nil {
			return nil, err
		}
	}
	write := atomicfile.Create
	if replace {
		write = atomicfile.Fill
	}
	files := []File{}
	for i, p := range paths {
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

// isDirectory reports whether a path is a directory, or is written like one.
func isDirectory(path string) bool {
	if path != "" && os.IsPathSeparator(path[len(path)-1]) {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// vacant refuses a path where something exists. With replace it may be a file; a link
// to one only if the path was named: in a directory it might lead out of it.
func vacant(path string, replace, named bool) error {
	info, err := os.Lstat(path)
	if err == nil && replace && named {
		info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case replace && info.Mode().IsRegular():
		return nil
	case replace:
		return failure.WithHint(fmt.Errorf("%s is no file that can be replaced", path), "choose another name with -o")
	}
	return &ExistsError{path}
}
