package cmd

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// hostileTitles are 100 titles that must not become what they look like.
func hostileTitles() []string {
	titles := []string{
		"../../x", "..", ".", "/", "/etc/passwd", "~/x", "./x", "a/../../b", `..\..\x`, `C:\x`, `\\host\share`, "C:", "file:///x", "x/", "//x",
		"CON", "con", "Con.txt", "NUL", "nul.md", "PRN", "AUX", "COM1", "com9.x", "LPT1", "COM¹", "CONIN$", "CLOCK$", "aux.", "nul ",
		"\x00", "a\x00b", "a\nb", "a\r\nb", "\t", " ", "\x1b[2J", "\x1b]0;x\a", "\u202efdp.exe", "\u200b", "\u2028", "\x7f", "\u009b2J", "\ufeff", "\ufffd",
		"", "...", "....md", ".hidden", ".git", ".bashrc", "-rf", "--help", "-", "--", "-o x",
		"$(touch pwned)", "`touch pwned`", "$HOME", "${IFS}", "; touch pwned", "| sh", "& touch pwned &", "> pwned", "< /etc/passwd", "*", "?", "[a-z]", "{a,b}", "!!", "#x", "~root",
		"'", `"`, `'; touch pwned; '`, `"; touch pwned; "`, "a b", "%2e%2e%2f", "%s%n", "a:b", "a:$DATA", "x|y", "<b>",
		strings.Repeat("🙂", 100), strings.Repeat("a", 400), strings.Repeat("é", 300), strings.Repeat("e\u0301", 200), strings.Repeat("漢", 200), strings.Repeat("👩‍👩‍👧‍👦", 20),
		strings.Repeat("../", 100), strings.Repeat(".", 300), "Same", "same", "SAME", "Ｓame", "e\u0301", "é", "index", "index.md",
	}
	for i := 0; len(titles) < 100; i++ {
		titles = append(titles, fmt.Sprint("../", i))
	}
	return titles[:100]
}

func TestAHundredHostileTitlesAreExportedIntoTheirFolderAndNowhereElse(t *testing.T) {
	root := t.TempDir()
	data, target := filepath.Join(root, "data"), filepath.Join(root, "deep", "down", "target")
	store, err := history.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	titles := hostileTitles()
	if _, err := store.Import(t.Context(), func(yield func(history.Tree, error) bool) {
		for i, title := range titles {
			c := history.Conversation{ID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", i+1), Title: title, Profile: "local", Created: time.Unix(int64(i), 0)}
			if !yield(history.Tree{Conversation: c}, nil) {
				return
			}
		}
	}, ""); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	for i, format := range exportFormats {
		f := cli.New(&terminal.Streams{Out: &strings.Builder{}, Err: &strings.Builder{}}, func(key string) string {
			return map[string]string{"HOBNOB_DATA_DIR": data, "HOME": root}[key]
		})
		opts := conversationsExportOptions{f: f, All: true, Format: format, Output: target + string(filepath.Separator)}
		for _, force := range []bool{false, true} {
			opts.Force = force
			if err := runConversationsExport(t.Context(), opts); err != nil {
				t.Fatal(err)
			}
		}
		opts.Force = false
		if err := runConversationsExport(t.Context(), opts); err == nil || !strings.Contains(err.Error(), " exists") {
			t.Errorf("a second export without --force: %v", err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if got := len(filesIn(t, target)); got != 100*(i+1) {
			t.Errorf("%s: the target holds %d files", format, got)
		}
	}
	outside := slices.DeleteFunc(filesIn(t, root), func(path string) bool {
		return strings.HasPrefix(path, "data/") || strings.HasPrefix(path, "deep/down/target/")
	})
	if len(outside) > 0 {
		t.Errorf("outside of the target there are %q", outside)
	}
	for _, name := range filesIn(t, target) {
		if strings.ContainsAny(name, "/\\:*?\"<>|$`'();&!#~{}[] ") || strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") || strings.ContainsFunc(name, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.IsSpace(r)
		}) || len(name) > 128 {
			t.Errorf("there is a file %q", name)
		}
	}
}

// filesIn lists everything below a directory that is no directory, with slashes.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	if err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if !entry.Type().IsRegular() {
			t.Errorf("%s is no file", path)
		}
		rel, err := filepath.Rel(dir, path)
		files = append(files, filepath.ToSlash(rel))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

func TestAnExportFollowsNoLinkOutOfItsFolder(t *testing.T) {
	root := t.TempDir()
	f := cli.New(&terminal.Streams{Out: &strings.Builder{}, Err: &strings.Builder{}}, func(string) string { return root })
	victim, link := filepath.Join(root, "victim"), filepath.Join(root, "target", "a.md")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(victim, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, link); err != nil {
		t.Skip("this system makes no symbolic links here:", err)
	}
	for _, force := range []bool{false, true} {
		if err := (conversationsExportOptions{f: f, Output: filepath.Dir(link), Force: force}).vacant(link); err == nil {
			t.Errorf("a link may be written through, force %v", force)
		}
	}
}
