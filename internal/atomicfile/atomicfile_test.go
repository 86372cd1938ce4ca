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

func TestWriteReplacesWithPrivateMode(t *testing.T) {
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

func TestWriteFollowsALinkAndLeavesNoTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "real"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Skip("this system makes no symbolic links here:", err)
	}
	if err := atomicfile.Write(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(target); string(got) != "new" {
		t.Errorf("the target holds %q, want new", got)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced by a file")
	}

	blocked := filepath.Join(dir, "directory")
	if err := os.Mkdir(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(blocked, []byte("x")); err == nil {
		t.Error("replacing a directory reported success")
	}
	entries, _ := os.ReadDir(dir)
	if len(entries) != 3 {
		t.Errorf("%d entries are left, want target, link and directory", len(entries))
	}
}

func TestWriteRefusesADanglingLink(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Skip("this system makes no symbolic links here:", err)
	}
	if err := atomicfile.Write(link, []byte("x")); err == nil {
		t.Error("a dangling link was written to without a word")
	}
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
		t.Errorf("it holds %q, %v", got, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("it has mode %v, %v", info.Mode(), err)
	}
	if err := atomicfile.Create(path, fill); !errors.Is(err, fs.ErrExist) {
		t.Errorf("creating it again: %v", err)
	}
	late := filepath.Join(dir, "late")
	if err := atomicfile.Create(late, func(w io.Writer) error {
		return errors.Join(os.WriteFile(late, []byte("old"), 0o600), fill(w))
	}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that came meanwhile: %v", err)
	}
	if got, _ := os.ReadFile(late); string(got) != "old" {
		t.Errorf("the file that came meanwhile holds %q", got)
	}
	if err := atomicfile.Create(filepath.Join(dir, "failed"), func(io.Writer) error { return io.ErrShortWrite }); err == nil {
		t.Error("a failed fill reported success")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 2 {
		t.Errorf("the directory holds %v, want new and late alone", entries)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil {
		t.Skip("this system makes no symbolic links here:", err)
	}
	if err := atomicfile.Create(filepath.Join(dir, "link"), fill); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a link in its place: %v", err)
	}
}

func TestLockLetsOneWriterInAtATime(t *testing.T) {
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
		t.Errorf("%d of 20 changes are in the file", len(got))
	}
	if info, err := os.Stat(path + ".lock"); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("the lock has mode %v, %v; want 0600", info.Mode().Perm(), err)
	}
}
