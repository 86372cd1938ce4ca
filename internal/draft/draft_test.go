package draft_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/draft"
)

func open(t *testing.T, dir string) (*draft.Draft, string) {
	t.Helper()
	d, text, err := draft.Open(dir, "chat")
	if err != nil {
		t.Fatal(err)
	}
	return d, text
}

func closeDraft(t *testing.T, d *draft.Draft) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}

func texts(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestNextDraftHasText(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "drafts")
	d, text := open(t, dir)
	if text != "" {
		t.Fatalf("a new draft holds %q", text)
	}
	for i := range 1000 {
		d.Set(fmt.Sprintf("word %d", i))
	}
	closeDraft(t, d)
	d, text = open(t, dir)
	if text != "word 999" {
		t.Errorf("got %q", text)
	}
	if info, err := os.Stat(texts(t, dir)[0]); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	d.Set("")
	closeDraft(t, d)
	d.Set("too late")
	if left := texts(t, dir); len(left) != 0 {
		t.Errorf("an empty draft leaves %v", left)
	}
}

func TestConcurrentDraftsAreSeparate(t *testing.T) {
	dir := t.TempDir()
	one, _ := open(t, dir)
	one.Set("one")
	two, text := open(t, dir)
	if text != "" {
		t.Errorf("the second one sees %q of the first", text)
	}
	two.Set("two")
	closeDraft(t, two)
	closeDraft(t, one)

	one, first := open(t, dir)
	two, second := open(t, dir)
	if first != "one" || second != "two" {
		t.Errorf("got %q and %q", first, second)
	}
	three, third := open(t, dir)
	if third != "" {
		t.Errorf("the third one sees %q", third)
	}
	for _, d := range []*draft.Draft{one, two, three} {
		closeDraft(t, d)
	}
}

func TestLeftoverDraftIsTakenBeforeNewOne(t *testing.T) {
	dir := t.TempDir()
	one, _ := open(t, dir)
	two, _ := open(t, dir)
	two.Set("left behind")
	closeDraft(t, two)
	closeDraft(t, one)
	d, text := open(t, dir)
	defer closeDraft(t, d)
	if text != "left behind" {
		t.Errorf("got %q", text)
	}
}

func TestAnyFileIsReadAsText(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "chat-1.md"), []byte("a\xffb"), 0o600); err != nil {
		t.Fatal(err)
	}
	d, text := open(t, dir)
	defer closeDraft(t, d)
	if text != "a\uFFFDb" {
		t.Errorf("got %q", text)
	}
}

func TestUnwritableDirectoryIsError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := draft.Open(filepath.Join(file, "dir"), "chat"); err == nil {
		t.Error("opened below a file")
	}
	dir := t.TempDir()
	d, _ := open(t, dir)
	if err := os.Mkdir(filepath.Join(dir, "chat-1.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	d.Set(strings.Repeat("text ", 10))
	if err := d.Close(); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("a text that cannot be written: %v", err)
	}
}
