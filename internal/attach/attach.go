// Package attach turns the values of -f into files: it reads files, walks directories,
// expands patterns and fetches URLs. It attaches only text, within limits, and returns
// what it left out with the reason. It does not know flags, the terminal or the
// service.
package attach

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
	"syscall"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
	"github.com/hobnob-cli/hobnob/internal/plural"
)

// File is a file attached to a question.
type File struct {
	Name string // as the user would type it; untrusted
	Data []byte
}

// Stdin is the value for standard input, and StdinName the name of its file.
const (
	Stdin     = "-"
	StdinName = "stdin"
)

// ErrTwice means that standard input is named twice.
var ErrTwice error = failure.Usagef("use - only once", "standard input is used twice")

// Reader reads the files that values name.
type Reader struct {
	// Limit is the maximum number of bytes of all files together.
	Limit int64
	// Budget also limits the files in directories and matches of patterns.
	Budget Budget
	// PrivateURLs permits URLs that lead to addresses that are not public.
	PrivateURLs bool
	// Stdin reads standard input.
	Stdin func() ([]byte, error)
	// Root, if not nil, is the directory to which values are relative, and no value is a
	// URL. Neither a link nor a value leads out of it, and all files must be regular. If
	// all files of a value are skipped, that is no error.
	Root *os.Root
}

// Budget is a maximum number of bytes that comes from a setting. The zero Budget is no
// limit.
type Budget struct {
	Bytes   int64
	Setting string
}

// Without returns what remains of the budget after files.
func (b Budget) Without(files []File) Budget {
	for _, file := range files {
		b.Bytes -= int64(len(file.Data))
	}
	return b
}

// Found is the result of a Reader.
type Found struct {
	Files   []File    // in the order of the values, those of one value by name
	Skipped []Skipped // in the same order

	expanded []string // values that are directories and patterns
	inside   []File   // the files from them
	limit    string   // of their size
}

// overhead is the size that a prompt adds to a file besides its name.
const overhead = 32

// Read returns the files that values name. A value that begins with http:// or https:// is
// the URL of a page. Another is the name of a file or directory
// if that exists, and otherwise a pattern if it has special characters. A file that
// is named itself must be text and fit; files found in directories and by patterns are
// skipped if they do not. Cancelling ctx ends Read, even if a file blocks. If a value is
// wrong, the error is of kind failure.Usage.
func (r Reader) Read(ctx context.Context, values []string) (Found, error) {
	return input.Await(ctx, func() (Found, error) { return r.read(ctx, values) })
}

func (r Reader) read(ctx context.Context, values []string) (Found, error) {
	found := Found{}
	files := make([][]File, len(values))
	trees := map[int]*tree{}
	seen := map[string]bool{} // absolute paths
	room := r.Limit
	// Files that are named themselves come first, because they must fit.
	for i, value := range values {
		if value == Stdin && slices.Contains(values[:i], Stdin) {
			return found, ErrTwice
		}
		if t, ok := r.treeOf(value); ok {
			trees[i] = t
			continue
		}
		file, err := r.named(ctx, value, room)
		if err != nil {
			return found, err
		}
		files[i] = []File{file}
		seen[realPath(r.path(value))] = value != Stdin
		room -= int64(len(file.Data) + len(file.Name) + overhead)
	}
	found.limit = plural.Bytes(room)
	if b := r.Budget; b.Setting != "" && b.Bytes < room {
		room = max(b.Bytes, 0)
		found.limit = fmt.Sprintf("%s (%s)", plural.Bytes(room), b.Setting)
	}
	for i, value := range values {
		t := trees[i]
		if t == nil {
			found.Files = append(found.Files, files[i]...)
			continue
		}
		t.room, t.seen = room, seen
		if err := t.read(ctx); err != nil {
			return found, err
		}
		room = t.room
		if len(t.files) == 0 && !t.repeated && (r.Root == nil || len(t.skipped) == 0) {
			return found, t.empty(value, found.limit)
		}
		found.Files = append(found.Files, t.files...)
		found.Skipped = append(found.Skipped, t.skipped...)
		found.expanded = append(found.expanded, value)
		found.inside = append(found.inside, t.files...)
	}
	return found, nil
}

// path returns the path of a value.
func (r Reader) path(value string) string {
	if r.Root == nil {
		return value
	}
	return filepath.Join(r.Root.Name(), value)
}

// Existing returns the words that are names of files, or paths of directories with a
// separator, as a shell writes them for a pattern.
func Existing(words []string) []string {
	var files []string
	for _, word := range words {
		info, err := os.Stat(word)
		if err == nil && word != Stdin && (!info.IsDir() || strings.ContainsRune(filepath.ToSlash(word), '/')) {
			files = append(files, word)
		}
	}
	return files
}

// treeOf returns the directory or the pattern that a value names.
func (r Reader) treeOf(value string) (*tree, bool) {
	stat := os.Stat
	if r.Root != nil {
		stat = r.Root.Stat
	}
	info, err := stat(value)
	switch {
	case value == Stdin || r.isURL(value) || err == nil && !info.IsDir():
		return nil, false
	case err == nil:
		return &tree{dir: value, inside: r.Root}, true
	case !strings.ContainsAny(value, "*?[{"):
		return nil, false
	}
	dir, pattern := doublestar.SplitPattern(filepath.ToSlash(value))
	return &tree{dir: filepath.FromSlash(dir), pattern: pattern, inside: r.Root}, true
}

// open opens a file that is named itself.
func (r Reader) open(name string) (*os.File, error) {
	if r.Root == nil {
		return os.Open(name)
	}
	file, err := input.OpenIn(r.Root, name)
	if info, lerr := r.Root.Lstat(name); err != nil && lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
		err = errors.New("it is " + brokenLink(err))
	}
	return file, err
}

// named reads a file that is named itself. It may be special, such as the pipe of <(…).
func (r Reader) named(ctx context.Context, name string, room int64) (File, error) {
	if name == Stdin {
		data, err := r.Stdin()
		return File{StdinName, data}, err
	}
	if r.isURL(name) {
		file, err := r.fetch(ctx, name, newFetcher(r.PrivateURLs))
		if err == nil && int64(len(file.Data)) > room {
			err = r.tooLarge()
		}
		return file, err
	}
	file, err := r.open(name)
	if err != nil {
		return File{}, failure.Usagef("check the name after -f", "cannot read %s: %v", name, failure.Reason(err))
	}
	defer func() { _ = file.Close() }()
	tooLarge := failure.Usagef("send a part of it", "%s is larger than the limit of %s", name, plural.Bytes(r.Limit))
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > r.Limit {
		return File{}, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(file, r.Limit+1))
	switch {
	case err != nil:
		return File{}, fmt.Errorf("cannot read %s: %w", name, failure.Reason(err))
	case int64(len(data)) > r.Limit:
		return File{}, tooLarge
	case int64(len(data)) > room:
		return File{}, r.tooLarge()
	}
	if _, err := Text(name, data); err != nil {
		return File{}, err
	}
	return File{name, data}, nil
}

func (r Reader) isURL(value string) bool { return r.Root == nil && IsURL(value) }

// tooLarge returns the error of files that do not fit together.
func (r Reader) tooLarge() error {
	return failure.Usagef("send fewer files", "the files are larger than the limit of %s together", plural.Bytes(r.Limit))
}

// realPath returns the absolute path that a name leads to, or the name.
func realPath(name string) string {
	if path, err := filepath.Abs(name); err == nil {
		name = path
	}
	if path, err := filepath.EvalSymlinks(name); err == nil {
		name = path
	}
	return name
}

// reasonOf returns the cause of an error in a few words.
func reasonOf(err error) string {
	var kind *input.KindError
	switch {
	case errors.As(err, &kind):
		return kind.Kind()
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	return failure.Reason(err).Error()
}

// brokenLink returns the cause of an error of opening a symbolic link in a directory.
func brokenLink(err error) string {
	var kind *input.KindError
	switch {
	case errors.As(err, &kind):
		return "a link to " + kind.Kind()
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ELOOP):
		return "a broken link"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	}
	return "a link out of the directory"
}
