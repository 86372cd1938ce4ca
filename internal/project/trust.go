package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// TrustFile is the name of the file that lists the trusted directories, in the data
// directory.
const TrustFile = "trusted.json"

// maxTrusted is the maximum size of that file in bytes.
const maxTrusted = 4 << 20

// Trusted is the list of trusted directories, in the file at Path. The file need not
// exist.
type Trusted struct{ Path string }

// Entry is a trusted directory. Trust ends if another directory takes its place, or if
// it gets another owner.
type Entry struct {
	Dir string `json:"directory"`
	access.Identity
	Since time.Time `json:"since"`
}

// document is the content of the file.
type document struct {
	Version     int     `json:"version"`
	Directories []Entry `json:"directories"`
}

// Check returns nil if a directory is trusted. Otherwise it returns an *UntrustedError
// or the error of reading the list.
func (t Trusted) Check(dir string) error {
	entries, err := t.List()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(entries, func(e Entry) bool { return e.Dir == dir })
	if at < 0 {
		return &UntrustedError{Dir: dir}
	}
	return entries[at].Check()
}

// Check returns nil if the directory is the one that was trusted, or else an
// *UntrustedError.
func (e Entry) Check() error {
	now, err := access.Identify(e.Dir)
	switch {
	case err != nil:
		return &UntrustedError{Dir: e.Dir, Change: "the directory is missing"}
	case now.Owner != e.Owner:
		return &UntrustedError{Dir: e.Dir, Change: "the directory has another owner than when it was trusted"}
	case now != e.Identity:
		return &UntrustedError{Dir: e.Dir, Change: "another directory was trusted at this path"}
	}
	return nil
}

// List returns the trusted directories, sorted.
func (t Trusted) List() ([]Entry, error) {
	data, err := input.ReadFile(t.Path, maxTrusted)
	if atomicfile.Missing(err) {
		return nil, nil
	}
	var content document
	if err == nil {
		err = json.Unmarshal(data, &content)
	}
	if err == nil && content.Version != 1 {
		err = fmt.Errorf("version %d is unknown", content.Version)
	}
	if err != nil {
		return nil, &ListError{Path: t.Path, Err: err}
	}
	return content.Directories, nil
}

// Add records a directory, given without links.
func (t Trusted) Add(dir string) error {
	if !utf8.ValidString(dir) {
		return fmt.Errorf("cannot trust %q: its name is not UTF-8", dir)
	}
	identity, err := access.Identify(dir)
	if err != nil {
		return err
	}
	return t.change(func(entries []Entry) ([]Entry, error) {
		entries = slices.DeleteFunc(entries, func(e Entry) bool { return e.Dir == dir })
		return append(entries, Entry{dir, identity, time.Now().UTC().Truncate(time.Second)}), nil
	})
}

// errUnchanged is returned by a change that has nothing to write.
var errUnchanged = errors.New("unchanged")

// Remove removes a directory, and reports whether it was trusted.
func (t Trusted) Remove(dir string) (bool, error) {
	err := t.change(func(entries []Entry) ([]Entry, error) {
		rest := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Dir == dir })
		if len(rest) == len(entries) {
			return nil, errUnchanged
		}
		return rest, nil
	})
	if errors.Is(err, errUnchanged) {
		return false, nil
	}
	return err == nil, err
}

// change replaces the list while holding its lock.
func (t Trusted) change(edit func([]Entry) ([]Entry, error)) error {
	unlock, err := atomicfile.Lock(t.Path)
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := t.List()
	if err != nil {
		return err
	}
	if entries, err = edit(entries); err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Dir, b.Dir) })
	data, err := json.MarshalIndent(document{1, entries}, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(t.Path, append(data, '\n'))
}

// Directory returns the absolute path of a directory without links. For a missing
// directory, it returns the absolute path.
func Directory(name string) (string, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved, nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	return path, nil
}
