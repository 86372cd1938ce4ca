package credential

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
)

func TestTokenFileIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no Unix permissions on Windows")
	}
	dir := filepath.Join(t.TempDir(), "data", "hobnob")
	r := Resolver{Keyring: keyringWith(nil), File: filepath.Join(dir, "tokens.json")}
	if _, err := r.Store(t.Context(), work, canary, true); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{
		dir: 0o700, r.File: 0o600, r.File + ".lock": 0o600,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v; want %v", path, info.Mode().Perm(), err, want)
		}
	}

	for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o601} {
		if err := os.Chmod(r.File, mode); err != nil {
			t.Fatal(err)
		}
		_, err := r.Token(t.Context(), work)
		var failed *FileError
		if !errors.Is(err, ErrFileExposed) || !errors.As(err, &failed) || failed.Path != r.File {
			t.Errorf("mode %v: got error %v, want ErrFileExposed", mode, err)
		}
		wantSilent(t, err)
		if _, err := r.Store(t.Context(), Key{"new", "https://a"}, canary, true); !errors.Is(err, ErrFileExposed) {
			t.Errorf("mode %v: Store returned %v, want ErrFileExposed", mode, err)
		}
	}
}

func TestDamagedTokenFileIsNotOverwritten(t *testing.T) {
	for name, content := range map[string]string{
		"empty":             ``,
		"truncated":         `{"version":1,"tokens":[{"profile":"work","origin":"https://chat.example.com","token":"` + canary,
		"trailing text":     `{"version":1,"tokens":[]} ` + canary,
		"null":              `null`,
		"no version":        `{"tokens":[]}`,
		"newer version":     `{"version":2,"tokens":[],"more":1}`,
		"numeric token":     `{"version":1,"tokens":[{"profile":"work","origin":"https://chat.example.com","token":123456}]}`,
		"unknown field":     `{"version":1,"tokens":[],"` + canary + `":1}`,
		"duplicate field":   `{"version":1,"tokens":[{"profile":"a","origin":"b","token":"` + canary + `"}],"tokens":[]}`,
		"other letter case": `{"version":1,"Tokens":[]}`,
		"duplicate entry":   `{"version":1,"tokens":[{"profile":"a","origin":"b","token":"c"},{"profile":"a","origin":"b","token":"d"}]}`,
		"not UTF-8":         "{\"version\":1,\"tokens\":[{\"profile\":\"\xff\",\"origin\":\"b\",\"token\":\"c\"}]}",
		"null list":         `{"version":1,"tokens":null}`,
		"web page":          `<!doctype html>`,
		"byte order mark":   "\ufeff" + `{"version":1,"tokens":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tokens.json")
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			r := Resolver{Keyring: keyringWith(nil), File: path}
			_, readErr := r.Token(t.Context(), work)
			_, storeErr := r.Store(t.Context(), work, canary, true)
			_, deleteErr := r.Delete(t.Context(), work)
			for _, err := range []error{readErr, storeErr, deleteErr} {
				var failed *FileError
				if !errors.As(err, &failed) || !errors.Is(err, ErrFileCorrupt) && name != "newer version" {
					t.Errorf("got error %v, want ErrFileCorrupt", err)
				}
				wantSilent(t, err)
			}
			if got, err := os.ReadFile(path); string(got) != content || err != nil {
				t.Errorf("file changed to %q, %v", got, err)
			}
		})
	}
}

func TestTokenFileIsDirectory(t *testing.T) {
	r := Resolver{Keyring: keyringWith(nil), File: t.TempDir()}
	var failed *FileError
	if _, err := r.Token(t.Context(), work); !errors.As(err, &failed) {
		t.Errorf("got error %v, want a FileError", err)
	}
	if _, err := (Resolver{Keyring: keyringWith(nil)}).Store(t.Context(), work, canary, true); err == nil {
		t.Error("stored a token without a path")
	}
}

func TestTokenFileOnOneLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	line := `{"version":1,"tokens":[{"profile":"work","origin":"https://chat.example.com","token":"a&b<c>"}]}`
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	token, err := Resolver{Keyring: keyringWith(nil), File: path}.Token(t.Context(), work)
	if token.Reveal() != "a&b<c>" || err != nil {
		t.Errorf("got %q, %v", token.Reveal(), err)
	}
}

func TestDeleteLastTokenFromLinkedFile(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "tokens.json")
	if err := os.WriteFile(target, []byte(`{"version":1,"tokens":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("cannot create symbolic links:", err)
	}
	r := Resolver{Keyring: keyringWith(nil), File: link}
	if _, err := r.Store(t.Context(), work, canary, true); err != nil {
		t.Fatal(err)
	}
	if from, err := r.Delete(t.Context(), work); !slices.Equal(from, []Source{SourceFile}) || err != nil {
		t.Fatalf("deleted from %q, %v", from, err)
	}
	if entries, err := readFile(target); len(entries) > 0 || err != nil {
		t.Errorf("%d entries left, %v", len(entries), err)
	}
}

func TestConcurrentStoreAndDelete(t *testing.T) {
	r := Resolver{Keyring: keyringWith(nil), File: filepath.Join(t.TempDir(), "tokens.json")}
	key := func(i int) Key { return Key{fmt.Sprintf("profile-%d", i), "https://chat.example.com"} }
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if _, err := r.Store(t.Context(), key(i), fmt.Sprintf("token-%d", i), true); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range 20 {
		if token, err := r.Token(t.Context(), key(i)); token.Reveal() != fmt.Sprintf("token-%d", i) || err != nil {
			t.Errorf("profile %d has %q, %v", i, token.Reveal(), err)
		}
	}
	for i := range 20 {
		all.Go(func() {
			if from, err := r.Delete(t.Context(), key(i)); !slices.Equal(from, []Source{SourceFile}) || err != nil {
				t.Errorf("deleted from %q, %v", from, err)
			}
		})
	}
	all.Wait()
	if _, err := os.Stat(r.File); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("empty file still exists: %v", err)
	}
}

// FuzzDecode checks that decode never panics and that rewriting an accepted file
// preserves every entry.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":1,"tokens":[{"profile":"work","origin":"https://chat.example.com","token":"x"}]}`))
	f.Add([]byte(`{"version":1,"tokens":[{"profile":"a\u2028\\\"é","origin":"b","token":"\u0000"},{"profile":"","origin":"","token":""}]}`))
	f.Add([]byte(`{"version":1,"tokens":[],"tokens":[]}`))
	f.Add([]byte(`{"version":1e0,"tokens":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		before, err := decode(data)
		if err != nil {
			return
		}
		added := Key{"added", "https://added.example.com"}
		written, err := encode(with(before, added, canary))
		if err != nil {
			t.Fatal(err)
		}
		after, err := decode(written)
		if err != nil {
			t.Fatalf("cannot decode the rewritten file: %v", err)
		}
		for _, e := range without(before, added) {
			if !slices.Contains(after, e) {
				t.Errorf("lost the entry of %v", e.Key)
			}
		}
		if !slices.Contains(after, fileEntry{added, canary}) {
			t.Error("lost the new entry")
		}
		if rest := without(after, added); len(rest) != len(without(before, added)) {
			t.Errorf("%d entries left", len(rest))
		}
	})
}
