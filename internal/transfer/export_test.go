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
			files, err := export.WriteFiles(t.Context(), target+string(filepath.Separator), replace)
			if err != nil || len(files) != 100 {
				t.Fatalf("%d files, %v", len(files), err)
			}
		}
		if _, err := export.WriteFiles(t.Context(), target, false); !errors.As(err, new(*ExistsError)) || !strings.Contains(err.Error(), " exists") {
			t.Errorf("a second export without replace: %v", err)
		}
		if got := len(filesIn(t, target)); got != 100*(i+1) {
			t.Errorf("%s: the target holds %d files", name, got)
		}
	}
	outside := slices.DeleteFunc(filesIn(t, root), func(path string) bool {
		return strings.HasPrefix(path, "deep/down/target/")
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
	for _, replace := range []bool{false, true} {
		if err := vacant(link, replace, false); err == nil {
			t.Errorf("a link may be written through, replace %v: %v", replace, err)
		}
	}
}

func TestTheFormatOfAnExportIsNamedOrShownByItsFile(t *testing.T) {
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
		{"", "x.pdf", false, `x.pdf: there is no format "pdf"`},
		{"pdf", "x.md", false, `there is no format "pdf"`},
		{"hobnob", "", false, `there is no format "hobnob"`},
		{"llm", "", false, `there is no format "llm"`},
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

func TestAnExportReplacesAFileOnlyWhenAsked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.md")
	export := Export{openStore(t), nil, markdownFormat}
	for _, replace := range []bool{false, true} {
		if files, err := export.WriteFiles(t.Context(), path, replace); err != nil || len(files) != 1 || files[0].Path != path {
			t.Errorf("%v, %v", files, err)
		}
	}
	var exists *ExistsError
	if _, err := export.WriteFiles(t.Context(), path, false); !errors.As(err, &exists) || exists.Path != path {
		t.Errorf("the error is %v", err)
	}
}
