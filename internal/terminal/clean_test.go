package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func environment(pairs ...string) Env {
	values := map[string]string{}
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		values[key] = value
	}
	return func(key string) string { return values[key] }
}

func TestCleanMakesControlsVisible(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text", "déjà vu 中文 👩‍👩‍👧 ✓", "déjà vu 中文 👩‍👩‍👧 ✓"},
		{"newline and tab stay", "a\tb\nc\n", "a\tb\nc\n"},
		{"CRLF becomes LF", "a\r\nb\r\r\n", "a\nb␍\n"},
		{"carriage return", "safe\rEVIL", "safe␍EVIL"},
		{"backspaces", "rm -rf\b\b\b", "rm -rf␈␈␈"},
		{"OSC 52 clipboard", "\x1b]52;c;cm0gLXJm\x07", "␛]52;c;cm0gLXJm␇"},
		{"window title", "\x1b]0;title\x1b\\", "␛]0;title␛\\"},
		{"OSC 8 hyperlink", "\x1b]8;;http://evil\x1b\\x", "␛]8;;http://evil␛\\x"},
		{"DCS", "\x1bP+q544e\x1b\\", "␛P+q544e␛\\"},
		{"cursor moves", "\x1b[2J\x1b[H\x1b[5A", "␛[2J␛[H␛[5A"},
		{"C1 CSI as character", "\u009b31m", "<U+009B>31m"},
		{"C1 CSI as byte", "\x9b31m", "\ufffd31m"},
		{"next line", "a\u0085b", "a<U+0085>b"},
		{"NUL, DEL, FF, VT", "\x00\x7f\f\v", "␀␡␌␋"},
		{"bidi override", "a\u202eb\u2066c\u2069", "a<U+202E>b<U+2066>c<U+2069>"},
		{"bidi marks", "\u200e\u200f\u061c", "<U+200E><U+200F><U+061C>"},
		{"line and paragraph separators", "a\u2028b\u2029c", "a\nb\nc"},
		{"invalid UTF-8", "a\xffb\xc3", "a\ufffdb\ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Clean(c.in); got != c.want {
				t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestCleanLineReturnsOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"a title":             "a title",
		"a  title":            "a  title",
		"one\ntwo\r\n\tthree": "one two three",
		"  \n spaced \n":      "spaced",
		"a\rb\x1b[A":          "a␍b␛[A",
		"a\u2028b":            "a b",
	} {
		if got := CleanLine(in); got != want {
			t.Errorf("CleanLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanInASCIILocale(t *testing.T) {
	s := &Streams{}
	for in, want := range map[string]string{
		"\x1b[2J\x00\x7f": "^[[2J^@^?", "\xff": "?", "\u241b \ufffd 中文…": "\u241b \ufffd 中文…", "\u009b": "<U+009B>",
	} {
		if got := s.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
		if got := CleanASCII(in); got != want {
			t.Errorf("CleanASCII(%q) = %q, want %q", in, got, want)
		}
	}
	if got := s.CleanLine("a …\n\x1b"); got != "a ... ^[" {
		t.Errorf("CleanLine returned %q", got)
	}
	if got := (&Streams{UTF8: true}).CleanLine("a …\x1b"); got != "a …\u241b" {
		t.Errorf("with Unicode, CleanLine returned %q", got)
	}
}

func TestFilterRenderedLeavesOnlyColours(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"colours", "\x1b[1;38;5;252mx\x1b[0m", "\x1b[1;38;5;252mx\x1b[0m"},
		{"colons", "\x1b[38:2::1:2:3mx\x1b[m", "\x1b[38:2::1:2:3mx\x1b[m"},
		{"open colour", "a\x1b[31mb\n", "a\x1b[31mb\n\x1b[0m"},
		{"conceal", "\x1b[8mhidden\x1b[0m", "hidden\x1b[0m"},
		{"conceal with other parameters", "\x1b[1;8;3mhidden", "hidden"},
		{"conceal with leading zeros", "\x1b[008mhidden", "hidden"},
		{"conceal after a colour", "\x1b[38;5;8;8mhidden", "hidden"},
		{"colour eight", "\x1b[38;5;8mgrey\x1b[0m", "\x1b[38;5;8mgrey\x1b[0m"},
		{"incomplete colour", "\x1b[38;2;8mx", "x"},
		{"parameter too long", "\x1b[4294967304mx", "␛[4294967304mx"},
		{"control inside a sequence", "\x1b[3\r1mx", "␛[3␍1mx"},
		{"private sequences", "\x1b[?1049h\x1b[>0m", "␛[?1049h␛[>0m"},
		{"cursor, OSC, C1", "\x1b[2J\x1b]0;t\x07\u009b0m", "␛[2J␛]0;t␇<U+009B>0m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := FilterRendered(c.in, true); got != c.want {
				t.Errorf("FilterRendered(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestTruncateCountsColumns(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"short", 5, "short"},
		{"longer", 5, "long…"},
		{"中文中文", 5, "中文…"},
		{"中文中文", 4, "中…"},
		{"anything", 1, "…"},
		{"anything", 0, ""},
		{"anything", -1, ""},
	} {
		got := (&Streams{UTF8: true}).Truncate(c.in, c.width)
		if got != c.want || ansi.StringWidth(got) > max(c.width, 0) {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b]52;c;x\x07\r\n\u202e\u009b\x9b\x00中文\t")
	f.Fuzz(func(t *testing.T, in string) {
		out := Clean(in)
		if !utf8.ValidString(out) {
			t.Fatalf("Clean(%q) = %q, not UTF-8", in, out)
		}
		if i := strings.IndexFunc(out, Unsafe); i >= 0 {
			t.Fatalf("Clean(%q) = %q, unsafe at %d", in, out, i)
		}
		if again := Clean(out); again != out {
			t.Fatalf("Clean changes its own result %q to %q", out, again)
		}
		if line := CleanLine(in); strings.ContainsAny(line, "\n\t") || CleanLine(line) != line {
			t.Fatalf("CleanLine(%q) = %q", in, line)
		}
		rendered := FilterRendered(in, true)
		if strings.ContainsFunc(sgrPattern.ReplaceAllString(rendered, ""), Unsafe) {
			t.Fatalf("FilterRendered(%q) = %q", in, rendered)
		}
	})
}

func TestIsPrintableRefusesHiddenCharacters(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "ls -l \\\n\t'ü' 😀 👩‍👩‍👧 -- -x  \n": true,
		"ls\r": false, "\x1b[31m": false, "\x00": false, "\x7f": false, "\u009b": false, "\u202els": false, "l\u200bs": false, "\U000e0041": false, "\xff": false,
	} {
		if got := IsPrintable(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
