package template_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/template"
)

// library is one that refuses names with a dot, a slash or a capital letter.
func library(t *testing.T) template.Library {
	t.Helper()
	return template.Library{Dir: filepath.Join(t.TempDir(), "hobnob", "templates"), CheckName: func(name string) error {
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
			return fmt.Errorf("%q is not a name", name)
		}
		return nil
	}}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestBuiltinTemplatesAreValid(t *testing.T) {
	l := library(t)
	names := l.Names()
	if want := []string{"commit", "explain", "review"}; !slices.Equal(names, want) {
		t.Fatalf("built in are %q, want %q", names, want)
	}
	for _, name := range names {
		found, err := l.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		if found.Path != "" || found.Description == "" || !found.Needs || len(found.Missing(nil)) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
		for _, v := range found.Variables {
			if v.Description == "" {
				t.Errorf("%s: the variable %q has no description", name, v.Name)
			}
		}
		got, err := found.Render(template.Given{Words: "words", Stdin: "stdin", Files: "files"}, nil, 1<<20)
		if err != nil || !strings.HasSuffix(got, "\n\nwords\n\nstdin\n\nfiles") || strings.Contains(got, "{{") {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

func TestFileHidesBuiltinTemplate(t *testing.T) {
	l := library(t)
	write(t, l.Path("review"), "My own. {{.Input}}")
	write(t, l.Path("mine"), "x")
	write(t, l.Path("Big"), "x")
	write(t, filepath.Join(l.Dir, "notes.txt"), "x")
	write(t, filepath.Join(l.Dir, ".hidden.md"), "x")
	if names, want := l.Names(), []string{"commit", "explain", "mine", "review"}; !slices.Equal(names, want) {
		t.Errorf("there are %q, want %q", names, want)
	}
	if ignored, want := l.Groups()[0].Ignored, []string{l.Path("Big")}; !slices.Equal(ignored, want) {
		t.Errorf("ignored are %q, want %q", ignored, want)
	}
	found, err := l.Find("review")
	if err != nil || found.Path != l.Path("review") || string(found.Text) != "My own. {{.Input}}" {
		t.Errorf("found %+v, %v", found, err)
	}
	if err := l.Delete("review"); err != nil {
		t.Error(err)
	}
	if found, err = l.Find("review"); err != nil || found.Path != "" {
		t.Errorf("after the file is deleted there is %+v, %v", found, err)
	}
	if err := l.Delete("review"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("deleting what is built in gave %v", err)
	}
}

func TestFindRefusesNonTemplates(t *testing.T) {
	l := library(t)
	write(t, filepath.Join(l.Dir, "..", "secret.md"), "secret")
	for _, name := range []string{"../secret", "", ".", "Mine", "a/b"} {
		if found, err := l.Find(name); err == nil {
			t.Errorf("%q gave %+v", name, found)
		}
		if err := l.Delete(name); err == nil {
			t.Errorf("%q was deleted", name)
		}
	}
	_, err := l.Find("nothing")
	f := failure.Of(err)
	if want := "templates: commit, explain, review; to create it: hobnob templates edit nothing"; err.Error() != `unknown template "nothing"` ||
		f.Kind != failure.NotFound || f.Hint.String() != want {
		t.Errorf("the error is %v, %+v", err, f)
	}
	if err := os.MkdirAll(l.Path("dir"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Find("dir"); err == nil || err.Error() != l.Path("dir")+": is a directory, not a regular file" {
		t.Errorf("the error is %v", err)
	}
	write(t, l.Path("huge"), strings.Repeat("x", 256<<10+1))
	if _, err := l.Source("huge"); err == nil || err.Error() != l.Path("huge")+": larger than 256 KiB" {
		t.Errorf("the error is %v", err)
	}
}

func TestSaveDetectsConcurrentChange(t *testing.T) {
	l := library(t)
	old, after := []byte("old"), []byte("new {{.a}}")
	if err := l.Save("mine", nil, old); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(l.Path("mine")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	for name, before := range map[string][]byte{"a file that is new": nil, "another text": []byte("other"), "an empty one": {}} {
		if err := l.Save("mine", before, after); err == nil || err.Error() != l.Path("mine")+": changed by another process in the meantime" {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
	if err := l.Save("mine", old, []byte("{{broken")); err == nil {
		t.Error("a broken template was saved")
	}
	if err := l.Save("mine", old, after); err != nil {
		t.Error(err)
	}
	if found, err := l.Find("mine"); err != nil || string(found.Text) != string(after) {
		t.Errorf("found %+v, %v", found, err)
	}
}

func TestSavePreservesSymbolicLink(t *testing.T) {
	l := library(t)
	target := filepath.Join(t.TempDir(), "dotfiles.md")
	write(t, target, "x")
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, l.Path("mine")); err != nil {
		t.Skip(err)
	}
	if err := l.Save("mine", []byte("x"), []byte("y")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != "y" {
		t.Errorf("the target holds %q, %v", got, err)
	}
	if err := l.Delete("mine"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(target); err != nil {
		t.Error(err)
	}
}

func TestSharedDirectoriesAreSearchedInOrder(t *testing.T) {
	l, first, second := library(t), t.TempDir(), t.TempDir()
	l.Shared = []string{first, filepath.Join(first, "missing"), second}
	write(t, filepath.Join(first, "a.md"), "first")
	write(t, filepath.Join(second, "a.md"), "second")
	write(t, filepath.Join(second, "b.md"), "second")
	write(t, filepath.Join(second, "review.md"), "second")
	write(t, l.Path("b"), "own")
	for name, want := range map[string]string{"a": first, "b": l.Dir, "review": second, "commit": ""} {
		if got, err := l.Source(name); err != nil || got.Dir != want {
			t.Errorf("%s is in %q, %v; want %q", name, got.Dir, err, want)
		}
	}
	if names, want := l.Names(), []string{"a", "b", "commit", "explain", "review"}; !slices.Equal(names, want) {
		t.Errorf("there are %q, want %q", names, want)
	}
	groups := l.Groups()
	if len(groups) != 5 || groups[0].Err != nil || groups[1].Err != nil || !errors.Is(groups[2].Err, fs.ErrNotExist) || groups[4].Dir != "" {
		t.Errorf("the groups are %+v", groups)
	}
}
