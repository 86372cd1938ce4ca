package atomicfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
)

func TestWriteSetsPrivateMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "dir", "file")
	for _, content := range []string{"one", "", "three"} {
		if err := atomicfile.Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != content {
			t.Fatalf("read %q, %v; want %q", got, err, content)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for name, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v; want %v", name, info.Mode().Perm(), err, want)
		}
	}
}

func TestWriteFollowsLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("cannot create symbolic links:", err)
	}
	if err := atomicfile.Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(target); string(got) != "new" {
		t.Errorf("target contains %q, want new", got)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}

	blocked := filepath.Join(dir, "directory")
	if err := os.Mkdir(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(blocked, []byte("x")); err == nil {
		t.Error("Write replaced a directory")
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 {
		t.Errorf("%d entries, want target, link and directory", len(entries))
	}
}

func TestWriteFollowsDanglingLinks(t *testing.T) {
	top := t.TempDir()
	for name, link := range map[string]func(dir string) (path, target string){
		"link": func(dir string) (string, string) {
			return symlink(t, filepath.Join(dir, "link"), filepath.Join(dir, "real", "file")), filepath.Join(dir, "real", "file")
		},
		"relative link in a linked directory": func(dir string) (string, string) {
			if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
				t.Fatal(err)
			}
			symlink(t, filepath.Join(dir, "a", "b", "link"), filepath.Join("..", "file"))
			return filepath.Join(symlink(t, filepath.Join(dir, "linked"), filepath.Join(dir, "a", "b")), "link"), filepath.Join(dir, "a", "file")
		},
		"link to a link": func(dir string) (string, string) {
			symlink(t, filepath.Join(dir, "second"), "file")
			return symlink(t, filepath.Join(dir, "first"), "second"), filepath.Join(dir, "file")
		},
		"linked directory": func(dir string) (string, string) {
			return filepath.Join(symlink(t, filepath.Join(dir, "linked"), filepath.Join(dir, "real")), "file"), filepath.Join(dir, "real", "file")
		},
	} {
		dir, err := filepath.EvalSymlinks(top)
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Join(dir, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path, target := link(dir)
		if got, err := atomicfile.Target(path); got != target || err != nil {
			t.Errorf("Target of %s: %s, %v; want %s", name, got, err, target)
		}
		for _, content := range []string{"one", "two"} {
			if err := atomicfile.Write(path, []byte(content)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if got, err := os.ReadFile(path); string(got) != content || err != nil {
				t.Errorf("%s: read %q, %v; want %q", name, got, err, content)
			}
		}
		if info, err := os.Lstat(target); err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: the target is %v, %v", name, info, err)
		}
	}
	symlink(t, filepath.Join(top, "loop"), "loop")
	if err := atomicfile.Write(filepath.Join(top, "loop"), nil); err == nil {
		t.Error("Write followed a link to itself")
	}
}

func symlink(t *testing.T, path, target string) string {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip("cannot create symbolic links:", err)
	}
	return path
}

func TestCreateReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	fill := func(w io.Writer) error {
		_, err := io.WriteString(w, "new")
		return err
	}
	path := filepath.Join(dir, "new", "file")
	if err := atomicfile.Create(path, fill); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "new" {
		t.Errorf("read %q, %v", got, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := atomicfile.Create(path, fill); !errors.Is(err, fs.ErrExist) {
		t.Errorf("existing file: %v, want fs.ErrExist", err)
	}
	late := filepath.Join(dir, "late")
	if err := atomicfile.Create(late, func(w io.Writer) error {
		return errors.Join(os.WriteFile(late, []byte("old"), 0o600), fill(w))
	}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("file created during fill: %v, want fs.ErrExist", err)
	}
	if got, _ := os.ReadFile(late); string(got) != "old" {
		t.Errorf("file created during fill contains %q", got)
	}
	if err := atomicfile.Create(filepath.Join(dir, "failed"), func(io.Writer) error { return io.ErrShortWrite }); err == nil {
		t.Error("Create reported success for a failed fill")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("directory contains %v, want only new and late", entries)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
		t.Skip("cannot create symbolic links:", err)
	}
	if err := atomicfile.Create(filepath.Join(dir, "link"), fill); !errors.Is(err, fs.ErrExist) {
		t.Errorf("existing link: %v, want fs.ErrExist", err)
	}
}

func TestLockExcludesOtherWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "file")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			unlock, err := atomicfile.Lock(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			before, _ := os.ReadFile(path)
			if err := atomicfile.Write(path, append(before, 'x')); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, _ := os.ReadFile(path); len(got) != 20 {
		t.Errorf("%d changes in the file, want 20", len(got))
	}
	if info, err := os.Stat(path + ".lock"); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("mode of the lock: %v, %v; want 0600", info.Mode().Perm(), err)
	}
}
