package credential

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
)

const (
	fileVersion = 1
	fileLimit   = 4 << 20 // bytes; room for 500 of the longest tokens
)

// Why a token file is not used. Each is wrapped in a *FileError.
var (
	ErrFileExposed = errors.New("other users can open it")
	ErrFileCorrupt = errors.New("it is damaged and was left as it is")
)

// FileError says that the token file could not be used.
type FileError struct {
	Path string
	Err  error // wraps ErrFileExposed, ErrFileCorrupt or an error of the system; holds nothing of the content
}

// Error names the file and what is wrong with it.
func (e *FileError) Error() string { return fmt.Sprintf("token file %s: %v", e.Path, e.Err) }

// Unwrap gives the reason.
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

// fromFile returns ErrNotFound when there is no file or no such entry in it.
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
	return newToken(entries[i].Token, SourceFile)
}

func (r Resolver) setFile(key Key, token string) error {
	return changeFile(r.File, func(entries []fileEntry) []fileEntry { return with(entries, key, token) })
}

// deleteFromFile reports whether there was an entry. Where there is no file it
// makes neither a directory nor a lock.
func (r Resolver) deleteFromFile(key Key) (bool, error) {
	if _, err := r.fromFile(key); errors.Is(err, ErrNotFound) {
		return false, nil
	}
	found := false
	err := changeFile(r.File, func(entries []fileEntry) []fileEntry {
		rest := without(entries, key)
		found = len(rest) < len(entries)
		return rest
	})
	return found && err == nil, err
}

func with(entries []fileEntry, key Key, token string) []fileEntry {
	return append(without(entries, key), fileEntry{key, token})
}

func without(entries []fileEntry, key Key) []fileEntry {
	return slices.DeleteFunc(slices.Clone(entries), func(e fileEntry) bool { return e.Key == key })
}

// changeFile rewrites the file under a lock that other processes respect. A file
// that cannot be read is never written. Its errors are *FileError.
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
		case info.Mode().IsRegular(): // removing a link would leave the tokens where it points to
			return os.Remove(path)
		}
	}
	data, err := encode(changed)
	if err != nil {
		return err
	}
	return atomicfile.Write(path, data)
}

// readFile returns the entries of the file at path. The mode is asked of the
// opened file, so that nothing can change between the look and the read.
func readFile(path string) (entries []fileEntry, err error) {
	// A named pipe would block the opening.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode&0o077 != 0 {
		return nil, fmt.Errorf("%w: its mode is %04o, not 0600", ErrFileExposed, mode)
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

// decode accepts exactly what encode writes, but for white space. So a rewrite
// cannot lose what a tolerant reader would have passed over: unknown and
// repeated fields, text after the end, bytes that are not UTF-8. Errors of
// encoding/json are not passed on, as they quote the content.
func decode(data []byte) ([]fileEntry, error) {
	if len(data) > fileLimit {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrFileCorrupt, fileLimit)
	}
	var content tokenFile
	if err := json.Unmarshal(data, &content); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("%w: no JSON at byte %d", ErrFileCorrupt, syntax.Offset)
		}
		return nil, fmt.Errorf("%w: its fields are not those of a token file", ErrFileCorrupt)
	}
	if content.Version > fileVersion {
		return nil, fmt.Errorf("version %d was written by a newer hobnob", content.Version)
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
		return nil, fmt.Errorf("%w: it is not what hobnob writes", ErrFileCorrupt)
	}
	seen := make(map[Key]bool, len(content.Tokens))
	for _, e := range content.Tokens {
		if seen[e.Key] {
			return nil, fmt.Errorf("%w: two tokens have one profile and origin", ErrFileCorrupt)
		}
		seen[e.Key] = true
	}
	return content.Tokens, nil
}
