package credential

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/input"
)

const (
	fileVersion = 1
	fileLimit   = 4 << 20 // bytes; enough for 200 logins
)

// Problems of the token file. Each is wrapped in a *FileError.
var (
	ErrFileExposed = errors.New("accessible to other users")
	ErrFileCorrupt = errors.New("damaged, not changed")
)

// FileError reports that the token file cannot be used.
type FileError struct {
	Path string
	Err  error // wraps ErrFileExposed, ErrFileCorrupt or a system error; contains none of the content
}

// Error returns the path of the file and the cause.
func (e *FileError) Error() string {
	cause := e.Err
	if inner, ok := errors.AsType[*fs.PathError](cause); ok && inner.Path == e.Path {
		cause = inner.Err
	}
	return fmt.Sprintf("token file %s: %v", e.Path, cause)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// tokenFile is the content of the file:
//
//	{"version":1,"tokens":[{"profile":"work","origin":"https://chat.example.com","token":"…"}]}
type tokenFile struct {
	Version int         `json:"version"`
	Tokens  []fileEntry `json:"tokens"`
}

type fileEntry struct {
	Key
	Token string `json:"token"`
}

// fromFile returns ErrNotFound if the file or the entry is missing.
func (r Resolver) fromFile(key Key) (Token, error) {
	if r.File == "" {
		return Token{}, ErrNotFound
	}
	entries, err := readFile(r.File)
	if atomicfile.Missing(err) {
		return Token{}, ErrNotFound
	}
	if err != nil {
		return Token{}, &FileError{r.File, err}
	}
	i := slices.IndexFunc(entries, func(e fileEntry) bool { return e.Key == key })
	if i < 0 {
		return Token{}, ErrNotFound
	}
	return parseStored(entries[i].Token, SourceFile)
}

func setFile(path string, key Key, token string) error {
	return changeFile(path, func(entries []fileEntry) []fileEntry { return with(entries, key, token) })
}

// deleteFromFile reports whether it deleted an entry. Without a token file it creates
// neither a directory nor a lock file.
func (r Resolver) deleteFromFile(key Key) (bool, error) {
	found := len(Copies(r.File)) > 0
	if _, err := r.fromFile(key); errors.Is(err, ErrNotFound) && !found {
		return false, nil
	}
	err := changeFile(r.File, func(entries []fileEntry) []fileEntry {
		rest := without(entries, key)
		found = found || len(rest) < len(entries)
		return rest
	})
	return found && err == nil, err
}

// Copies returns the temporary copies of the token file that killed processes have
// left, including those of earlier versions. They contain tokens.
func Copies(path string) []string {
	if path == "" {
		return nil
	}
	if target, err := atomicfile.Target(path); err == nil {
		path = target
	}
	copies := atomicfile.LeftoversOf(path)
	prefix := "." + filepath.Base(path) + "."
	entries, _ := os.ReadDir(filepath.Dir(path))
	for _, entry := range entries {
		if number, ok := strings.CutPrefix(entry.Name(), prefix); ok && number != "" && strings.Trim(number, "0123456789") == "" && entry.Type().IsRegular() {
			copies = append(copies, filepath.Join(filepath.Dir(path), entry.Name()))
		}
	}
	return copies
}

func with(entries []fileEntry, key Key, token string) []fileEntry {
	return append(without(entries, key), fileEntry{key, token})
}

func without(entries []fileEntry, key Key) []fileEntry {
	return slices.DeleteFunc(slices.Clone(entries), func(e fileEntry) bool { return e.Key == key })
}

// changeFile rewrites the file while holding its lock. An unreadable file is never
// overwritten. Errors are *FileError.
func changeFile(path string, change func([]fileEntry) []fileEntry) (err error) {
	defer func() {
		if err != nil {
			err = &FileError{path, err}
		}
	}()
	unlock, err := atomicfile.Lock(path)
	if err != nil {
		return err
	}
	defer unlock()

	for _, name := range Copies(path) {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	entries, err := readFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	changed := change(entries)
	if len(changed) == 0 {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.Mode().IsRegular(): // removing a link would leave the tokens in its target
			return os.Remove(path)
		}
	}
	data, err := encode(changed)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, data)
}

// readFile returns the entries of the file at path. It checks the mode of the open
// file, so that the file cannot be replaced between the check and the read.
func readFile(path string) (entries []fileEntry, err error) {
	f, err := input.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, fmt.Errorf("%w: mode %04o instead of 0600", ErrFileExposed, mode)
	}
	data, err := io.ReadAll(io.LimitReader(f, fileLimit+1))
	if err != nil {
		return nil, err
	}
	return decode(data)
}

func encode(entries []fileEntry) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(tokenFile{fileVersion, append([]fileEntry{}, entries...)})
	return out.Bytes(), err
}

// decode accepts only the output of encode, except for white space. A rewrite
// therefore cannot lose anything that a tolerant reader would skip: unknown or
// duplicate fields, trailing text or invalid UTF-8. It does not return errors of
// encoding/json, because they quote the content.
func decode(data []byte) ([]fileEntry, error) {
	if len(data) > fileLimit {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrFileCorrupt, fileLimit)
	}
	var content tokenFile
	if err := json.Unmarshal(data, &content); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("%w: invalid JSON at byte %d", ErrFileCorrupt, syntax.Offset)
		}
		return nil, fmt.Errorf("%w: not the fields of a token file", ErrFileCorrupt)
	}
	if content.Version > fileVersion {
		return nil, fmt.Errorf("written by a newer hobnob (version %d)", content.Version)
	}
	again, err := encode(content.Tokens)
	if err != nil {
		return nil, err
	}
	var got, want bytes.Buffer
	if err := errors.Join(json.Compact(&got, data), json.Compact(&want, again)); err != nil {
		return nil, err
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		return nil, fmt.Errorf("%w: not in the format that hobnob writes", ErrFileCorrupt)
	}
	seen := make(map[Key]bool, len(content.Tokens))
	for _, e := range content.Tokens {
		if seen[e.Key] {
			return nil, fmt.Errorf("%w: two tokens for the same profile and origin", ErrFileCorrupt)
		}
		seen[e.Key] = true
	}
	return content.Tokens, nil
}
