package transfer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// hostileTitles returns 100 titles that are unsafe as file names.
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

func TestExportOfHostileTitlesStaysInDirectory(t *testing.T) {
	root := t.TempDir()
	target := filepath.Join(root, "deep", "down", "target")
	store := openStore(t)
	if _, err := store.Import(t.Context(), func(yield func(history.Tree, error) bool) {
		for i, title := range hostileTitles() {
			c := history.Conversation{ID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", i+1), Title: title, Profile: "local", Created: time.Unix(int64(i), 0)}
			if !yield(history.Tree{Conversation: c}, nil) {
				return
			}
		}
	}, ""); err != nil {
		t.Fatal(err)
	}
	conversations, err := store.All(t.Context(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	for i, name := range ExportNames() {
		format, err := ExportFormat(name, "", false)
		if err != nil {
			t.Fatal(err)
		}
		export := Export{store, conversations, format}
		for _, replace := range []bool{false, true} {
			files, err := export.WriteFiles(t.Context(), target+string(filepath.Separator), replacing(replace))
			if err != nil || len(files) != 100 {
				t.Fatalf("%d files, %v", len(files), err)
			}
		}
		if _, err := export.WriteFiles(t.Context(), target, nil); !errors.As(err, new(*ExistsError)) || !strings.Contains(err.Error(), " already exists") {
			t.Errorf("second export without replace: %v", err)
		}
		if got := len(filesIn(t, target)); got != 100*(i+1) {
			t.Errorf("%s: %d files in the target, want %d", name, got, 100*(i+1))
		}
	}
	outside := slices.DeleteFunc(filesIn(t, root), func(path string) bool {
		return strings.HasPrefix(path, "deep/down/target/")
	})
	if len(outside) > 0 {
		t.Errorf("files outside of the target: %q", outside)
	}
	for _, name := range filesIn(t, target) {
		if strings.ContainsAny(name, "/\\:*?\"<>|$`'();&!#~{}[] ") || strings.HasPrefix(name, "-") || strings.HasPrefix(name, ".") || strings.ContainsFunc(name, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.IsSpace(r)
		}) || len(name) > 128 {
			t.Errorf("unsafe file name %q", name)
		}
	}
}

// filesIn returns the paths of all files below a directory, with slashes.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	if err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if !entry.Type().IsRegular() {
			t.Errorf("%s is not a regular file", path)
		}
		rel, err := filepath.Rel(dir, path)
		files = append(files, filepath.ToSlash(rel))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

func TestExportDoesNotFollowLinks(t *testing.T) {
	root := t.TempDir()
	victim, link := filepath.Join(root, "victim"), filepath.Join(root, "target", "a.md")
	if err := os.MkdirAll(filepath.Dir(link), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(victim, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, link); err != nil {
		t.Skip("symbolic links are not available:", err)
	}
	for _, replace := range []bool{false, true} {
		if _, ok, err := replacing(replace).Allows([]string{link}, false); err == nil || ok {
			t.Errorf("link accepted with replace %v: %v", replace, err)
		}
	}
}

// replacing returns a Replace that always consents, or nil.
func replacing(yes bool) Replace {
	if !yes {
		return nil
	}
	return func([]string) (bool, error) { return true, nil }
}

func TestExportFormat(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "old.notes")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, path string
		structured bool
		want       string
	}{
		{"", "", false, "md"},
		{"", "", true, "json"},
		{"html", "x.json", true, "html"},
		{"", "x.json", false, "json"},
		{"", "X.HTM", false, "html"},
		{"", "x.markdown", true, "md"},
		{"", "x.txt", false, "md"},
		{"", ".notes", false, "md"},
		{"", ".notes.json", false, "json"},
		{"", "x.pdf", true, "json"},
		{"", "x.pdf/", false, "md"},
		{"", folder, false, "md"},
		{"", "x.pdf", false, `x.pdf: unknown format "pdf"`},
		{"pdf", "x.md", false, `unknown format "pdf"`},
		{"hobnob", "", false, `unknown format "hobnob"`},
		{"llm", "", false, `unknown format "llm"`},
	} {
		f, err := ExportFormat(test.name, test.path, test.structured)
		got := strings.Join(f.Extensions[:min(1, len(f.Extensions))], "")
		if err != nil {
			got = err.Error()
		}
		if got != test.want || err != nil && !errors.As(err, new(*UnknownFormatError)) {
			t.Errorf("%+v: got %s", test, got)
		}
	}
}

func TestExportReplacesOnlyWithConsent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.md")
	export := Export{openStore(t), nil, markdownFormat}
	for _, replace := range []bool{false, true} {
		if files, err := export.WriteFiles(t.Context(), path, replacing(replace)); err != nil || len(files) != 1 || files[0].Path != path {
			t.Errorf("%v, %v", files, err)
		}
	}
	var exists *ExistsError
	if _, err := export.WriteFiles(t.Context(), path, nil); !errors.As(err, &exists) || exists.Path != path {
		t.Errorf("got error %v", err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	asked := ""
	declined := func(existing []string) (bool, error) {
		asked = Question(existing)
		return false, nil
	}
	files, err := export.WriteFiles(t.Context(), path, declined)
	if after, _ := os.Stat(path); err != nil || files != nil || !os.SameFile(before, after) || asked != path+" already exists. Replace it?" {
		t.Errorf("declined: %v, %v, question %q", files, err, asked)
	}
}
