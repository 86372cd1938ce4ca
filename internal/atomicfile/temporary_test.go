package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// namesIn returns the names in a directory, sorted.
func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// The results must be the same on file systems that do not support files without names.
func TestTemporaryWithAndWithoutName(t *testing.T) {
	for kind, open := range map[string]func(string) (*temporary, error){
		"default": newTemporary,
		"named":   newNamed,
		"unnamed that cannot get a name": func(string) (*temporary, error) {
			f, err := os.Create(filepath.Join(t.TempDir(), "elsewhere"))
			if err != nil {
				return nil, err
			}
			return &temporary{File: f}, os.Remove(f.Name())
		},
	} {
		if runtime.GOOS == "windows" && kind != "default" && kind != "named" {
			continue // an open file cannot be removed
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "file")
		put := func(place func(*temporary, string) error, content string) error {
			t.Helper()
			temporary, err := open(path)
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			defer temporary.discard()
			if _, err := temporary.WriteString(content); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			return place(temporary, path)
		}
		want := func(content string) {
			t.Helper()
			if got, err := os.ReadFile(path); string(got) != content || err != nil {
				t.Errorf("%s: content %q, %v; want %q", kind, got, err, content)
			}
			if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v; want mode 0600", kind, info, err)
			}
			if names := namesIn(t, dir); !slices.Equal(names, []string{"file"}) {
				t.Errorf("%s: the directory contains %q", kind, names)
			}
		}
		if err := put((*temporary).create, "first"); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		want("first")
		if err := put((*temporary).create, "second"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: creating an existing file: %v", kind, err)
		}
		want("first")
		if err := put((*temporary).replace, "third"); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		want("third")
	}
}

func TestWriteRemovesLeftoversOfSameFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".file.hobnob-12", ".other.hobnob-12", ".file.hobnob-", ".file.hobnob-1a", "file.hobnob-12", ".file.12"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("left"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "file")
	written, err := newNamed(path)
	if err != nil {
		t.Fatal(err)
	}
	if left := Leftovers(dir); runtime.GOOS != "windows" && !slices.Equal(left, []string{filepath.Join(dir, ".file.hobnob-12"), filepath.Join(dir, ".other.hobnob-12")}) {
		t.Errorf("leftovers: %q", left)
	}
	if err := Write(path, nil); err != nil {
		t.Fatal(err)
	}
	if err := written.replace(path); err != nil {
		t.Errorf("replace after another write: %v", err)
	}
	written.discard()
	if names := namesIn(t, dir); !slices.Equal(names, []string{".file.12", ".file.hobnob-", ".file.hobnob-1a", ".other.hobnob-12", "file", "file.hobnob-12"}) {
		t.Errorf("the directory contains %q", names)
	}
}
