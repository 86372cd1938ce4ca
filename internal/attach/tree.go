package attach

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
)

const (
	// maxEntries is the maximum number of files and directories looked at for a value.
	maxEntries = 100_000
	// maxDepth is the maximum number of directories above a file.
	maxDepth = 100
	// maxEach is the maximum size of a file that is not named itself.
	maxEach = 1 << 20
	// sniffed is the size of the beginning of a file that shows whether it is binary.
	sniffed = 8 << 10
)

// tree reads the files of a directory, or those that match a pattern.
type tree struct {
	dir     string
	inside  *os.Root        // directory to which dir is relative, or nil
	pattern string          // relative to dir, with slashes; "" for all files
	room    int64           // number of bytes that still fit
	seen    map[string]bool // absolute paths of files that are attached

	files    []File
	skipped  []Skipped
	repeated bool // a file was attached before

	root   *os.Root
	prefix string // path of dir in its repository, with slashes, or ""
	looked int
	found  []entry
}

// entry is a file of a tree.
type entry struct {
	path string // relative to the tree, with slashes
	link bool   // a symbolic link
}

func (t *tree) read(ctx context.Context) error {
	var err error
	if t.root, err = t.openDir(); err != nil {
		if t.pattern != "" && errors.Is(err, fs.ErrNotExist) {
			return nil // nothing matches
		}
		return failure.Usagef("check the name after -f", "cannot read %s: %v", t.dir, failure.Reason(err))
	}
	defer func() { _ = t.root.Close() }()
	prefix, above, err := rulesAbove(t.path())
	if err != nil {
		return err
	}
	t.prefix = prefix
	if err := t.walk(ctx, ".", above); err != nil {
		return err
	}
	slices.SortFunc(t.found, func(a, b entry) int { return strings.Compare(a.path, b.path) })
	top := realPath(t.dir)
	for _, e := range t.found {
		if err := ctx.Err(); err != nil {
			return err
		}
		id := filepath.Join(top, filepath.FromSlash(e.path))
		if e.link {
			id = realPath(id)
		}
		if t.seen[id] {
			t.repeated = true
			continue
		}
		name := t.name(e.path)
		data, skipped := t.open(e, int64(len(name)+overhead))
		if skipped.Why != "" {
			skipped.Name = name
			t.skipped = append(t.skipped, skipped)
			continue
		}
		t.seen[id] = true
		t.room -= int64(len(name) + overhead + len(data))
		t.files = append(t.files, File{name, data})
	}
	return nil
}

// path returns the path of the directory.
func (t *tree) path() string { return Reader{Root: t.inside}.path(t.dir) }

// openDir opens the directory. It does not open anything else, because opening a named
// pipe blocks.
func (t *tree) openDir() (*os.Root, error) {
	stat, open := os.Stat, os.OpenRoot
	if t.inside != nil {
		stat, open = t.inside.Stat, t.inside.OpenRoot
	}
	if info, err := stat(t.dir); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: t.dir, Err: syscall.ENOTDIR}
	}
	return open(t.dir)
}

// name returns the name of a file or directory as the user would type it.
func (t *tree) name(path string) string { return filepath.Join(t.dir, filepath.FromSlash(path)) }

// walk collects the files below a directory. It follows no symbolic links to directories.
func (t *tree) walk(ctx context.Context, dir string, above *rules) error {
	entries, err := t.list(dir)
	if err != nil || len(entries) == 0 {
		return err
	}
	ignored, err := above.in(t.root, dir, path.Join(t.prefix, dir))
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", t.name(path.Join(dir, ignoreFile)), failure.Reason(err))
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		name := path.Join(dir, e.Name())
		switch {
		case e.Name() == ".git" || ignored.match(path.Join(t.prefix, name), e.IsDir()):
		case !e.IsDir():
			if t.matches(name) {
				t.found = append(t.found, entry{name, e.Type()&fs.ModeSymlink != 0})
			}
		case !t.leads(name):
		case strings.Count(name, "/") >= maxDepth:
			t.skipped = append(t.skipped, Skipped{Name: t.name(name), Why: Unreadable, Detail: "nested too deeply"})
		default:
			if err := t.walk(ctx, name, ignored); err != nil {
				return err
			}
		}
	}
	return nil
}

// list returns the entries of a directory, and none if it cannot be read.
func (t *tree) list(dir string) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	file, err := t.root.Open(dir)
	if err == nil {
		defer func() { _ = file.Close() }()
		entries, err = file.ReadDir(maxEntries - t.looked + 1)
	}
	if t.looked += len(entries); t.looked > maxEntries {
		return nil, failure.Usagef("name a smaller directory, or files", "%q has more than %d files and directories", t.dir, maxEntries)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		t.skipped = append(t.skipped, Skipped{Name: t.name(dir), Why: Unreadable, Detail: reasonOf(err)})
	}
	return entries, nil
}

// matches reports whether the pattern matches a file. As in a shell, wildcards match no
// hidden files.
func (t *tree) matches(file string) bool {
	if t.pattern == "" {
		return true
	}
	ok, err := doublestar.Match(t.pattern, file)
	return err == nil && ok && t.shows(file)
}

// leads reports whether the pattern may match files below a directory.
func (t *tree) leads(dir string) bool {
	if t.pattern == "" {
		return true
	}
	segments := strings.Split(t.pattern, "/")
	if strings.Contains(t.pattern, "{") {
		segments = []string{"**"} // alternatives may contain slashes
	}
	for _, name := range strings.Split(dir, "/") {
		if segments[0] == "**" {
			break
		}
		if ok, err := doublestar.Match(segments[0], name); err != nil || !ok || len(segments) == 1 {
			return false
		}
		segments = segments[1:]
	}
	return t.shows(dir)
}

// shows reports whether a path has no hidden part, or the pattern names hidden files.
func (t *tree) shows(name string) bool {
	return !strings.Contains("/"+name, "/.") || strings.Contains("/"+t.pattern, "/.")
}

// open reads a file. The room that it needs besides its data is extra.
func (t *tree) open(e entry, extra int64) ([]byte, Skipped) {
	unreadable := func(err error) ([]byte, Skipped) {
		return nil, Skipped{Why: Unreadable, Detail: reasonOf(err)}
	}
	file, err := input.OpenIn(t.root, e.path)
	if err != nil && e.link {
		return nil, Skipped{Why: Unreadable, Detail: brokenLink(err)}
	}
	if err != nil {
		return unreadable(err)
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return unreadable(err)
	}
	data, err := io.ReadAll(io.LimitReader(file, sniffed))
	if err != nil {
		return unreadable(err)
	}
	if isBinary(data) {
		return nil, Skipped{Why: Binary}
	}
	limit, size := min(maxEach, t.room-extra), info.Size()
	if size <= limit {
		var rest []byte
		rest, err = io.ReadAll(io.LimitReader(file, limit+1-int64(len(data))))
		data = append(data, rest...)
		size = max(size, int64(len(data)))
	}
	switch {
	case err != nil:
		return unreadable(err)
	case size > maxEach:
		return nil, Skipped{Why: TooLarge, Size: size}
	case size > limit:
		return nil, Skipped{Why: NoRoom, Size: size}
	}
	if _, err := Text(e.path, data); err != nil {
		return nil, Skipped{Why: Binary}
	}
	return data, Skipped{}
}

// isBinary reports whether a file that begins with data is certainly binary.
func isBinary(data []byte) bool {
	utf16 := bytes.HasPrefix(data, []byte{0xFF, 0xFE}) || bytes.HasPrefix(data, []byte{0xFE, 0xFF})
	return !utf16 && bytes.IndexByte(data, 0) >= 0
}

// empty returns the error of a value without a file to attach.
func (t *tree) empty(value string, limit string) error {
	switch why := notesOf(t.skipped, limit); {
	case len(why) > 0:
		return failure.Usagef("name files that can be attached", "nothing to attach from %q: %s", value, strings.Join(why, "; "))
	case t.pattern != "":
		return failure.Usagef("check the pattern; files excluded by .gitignore are attached only by name", "no file matches %q", value)
	}
	return failure.Usagef("files excluded by .gitignore are attached only by name", "%q has no files", value)
}
