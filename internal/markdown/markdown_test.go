package markdown

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobnob-cli/hobnob/internal/cells"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// sgrPattern matches the SGR sequences that a rendering may contain.
var sgrPattern = regexp.MustCompile(`\x1b\[((?:[0-9]{0,3}[;:]){0,31}[0-9]{0,3})m`)

func neverStopped() error { return nil }

func colorful(width int) Options {
	return Options{Colors: 256, Unicode: true, Width: width}
}

// checkSafe checks the guarantees of Render. Text that was not rendered may have long
// lines.
func checkSafe(t *testing.T, source, out string, s Options) {
	t.Helper()
	bare := out
	if s.Colors > 0 {
		bare = sgrPattern.ReplaceAllString(out, "")
	}
	if strings.ContainsFunc(bare, terminal.Unsafe) {
		t.Fatalf("%q rendered as %q, with a control character", source, out)
	}
	if fallback := out == strings.Trim(terminal.Clean(source), "\n")+"\n"; fallback {
		return
	}
	if strings.Contains(bare, "\t") {
		t.Fatalf("%q rendered as %q, with a tab", source, out)
	}
	if out != "" && (!strings.HasSuffix(out, "\n") || strings.HasSuffix(bare, "\n\n")) {
		t.Fatalf("%q rendered as %q, without exactly one newline at the end", source, out)
	}
	for line := range strings.SplitSeq(out, "\n") {
		if width := ansi.StringWidth(line); width > s.Width {
			t.Fatalf("%q rendered with a line of %d columns: %q", source, width, line)
		}
		if strings.HasSuffix(sgrPattern.ReplaceAllString(line, ""), " ") {
			t.Fatalf("%q rendered with trailing spaces: %q", source, line)
		}
	}
}

func TestRenderShowsHostileText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"clipboard by OSC 52", "\x1b]52;c;cm0=\x07", "␛]52;c;cm0=␇"},
		{"window title", "\x1b]2;title\x1b\\", "␛]2;title␛"},
		{"DCS", "\x1bPpayload\x1b\\", "␛Ppayload␛"},
		{"cursor moves", "\x1b[2J\x1b[1;1H", "␛[2J␛[1;1H"},
		{"colours", "\x1b[31mred", "␛[31mred"},
		{"conceal", "\x1b[8mhidden", "␛[8mhidden"},
		{"C1 CSI", "\u009b2J", "<U+009B>2J"},
		{"bidi", "a\u202ecba", "a<U+202E>cba"},
		{"backspaces", "safe\b\b\b\bEVIL", "safe␈␈␈␈EVIL"},
		{"overwriting", "safe\rEVIL", "safe␍EVIL"},
		{"ESC as a decimal entity", "x&#27;[2Jy", "x&#27;[2Jy"},
		{"ESC as a hexadecimal entity", "x&#x1B;]0;t&#x07;", "x&#x1B;]0;t&#x07;"},
		{"ESC as an unterminated entity with zeros", "x&#00027[31mred", "x&#00027[31mred"},
		{"ESC as an entity in bold", "**x&#27;[8my**", "x&#27;"},
		{"ESC as an entity in a link", "[x&#27;[8my](u)", "x&#27;"},
		{"ESC as an entity in a heading", "# x&#27;[8my", "x&#27;[8my"},
		{"ESC as an entity in code", "`x&#27;[8my`", "x&#27;[8my"},
		{"ESC as an entity in a table", "|x&#27;[8my|\n|-|\n|1|", "x&#27;[8my"},
		{"ESC as an entity in HTML", "<b>x&#27;[8my</b>", "<b>x&#27;[8my</b>"},
		{"bidi as an entity", "a&rlm;b&#x202E;c", "a&rlm;b&#x202E;c"},
		{"entity of an entity", "x&amp;#27;[2Jy", "x&#27;[2Jy"},
		{"reserved noncharacters", "x\ufdd0#27;[2J\ufdd1b>", "x\ufffd#27;[2J\ufffdb>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, s := range []Options{colorful(60), {Unicode: true, Width: 60}} {
				out := Render(c.in, s)
				checkSafe(t, c.in, out, s)
				if bare := sgrPattern.ReplaceAllString(out, ""); !strings.Contains(bare, c.want) {
					t.Errorf("%q rendered as %q, want %q in it", c.in, bare, c.want)
				}
			}
		})
	}
}

func TestRenderPreservesUnknownMarkup(t *testing.T) {
	for in, want := range map[string]string{
		"Vec<String> and <T>":                   "Vec<String> and <T>",
		"<div>\n\ninside\n\n</div>":             "<div>",
		"<details>\n<summary>S</summary>\nx\n":  "<details>\n<summary>S</summary>\nx",
		"a <!-- note --> b":                     "a <!-- note --> b",
		"|a|\n|-|\n|x<br>y|":                    "x<br>y",
		"`&lt;b&gt; &amp;`":                     "&lt;b&gt; &amp;",
		"```html\n<b>&lt;</b>\n```":             "<b>&lt;</b>",
		"&lt;ok&gt; &copy;":                     "<ok> ©",
		"```make\nall:\n\tgo build\n```":        "      go build",
		":smile: stays":                         ":smile: stays",
		"```A":                                  "A",
		"|a|b|\n|-|-|\n|c|d|e f|":               "d | e f",
		"[a](/%zz \"t\")":                       "a /%zz (t)",
		"[a](#b)":                               "a #b",
		"<http://e.com>":                        "http://e.com",
		"[a@b.co](mailto:a@b.co)":               "a@b.co mailto:a@b.co",
		"[x]: /u \"t\"":                         "[x]: /u \"t\"",
		"![a [b](/u)](/v 't')":                  "a b /u → /v (t)",
		"```\ngrep '\\.go\\|\\(x\\)' \\\\\n```": `grep '\.go\|\(x\)' \\`,
		"    indented \\* code":                 `indented \* code`,
		"`a\\.b` \\*":                           `a\.b`,
		"|a|\n|-|\n|`a\\.b` `c\\|d`|":           `a\.b`,
		"a \\*star\\* &amp;":                    `a *star* &`,
	} {
		for _, s := range []Options{colorful(60), {Unicode: true, Width: 60}} {
			out := Render(in, s)
			checkSafe(t, in, out, s)
			if bare := ansi.Strip(out); !strings.Contains(bare, want) {
				t.Errorf("colour %v: %q rendered as %q, want %q in it", s.Colors > 0, in, bare, want)
			}
		}
	}
}

func TestRenderBreaksLongWords(t *testing.T) {
	for _, in := range []string{
		strings.Repeat("中文", 60),
		"- " + strings.Repeat("中文", 60),
		"> " + strings.Repeat("日本語。", 60),
		"https://example.com/" + strings.Repeat("path/", 40),
		"`" + strings.Repeat("x", 200) + "`",
		"```\n" + strings.Repeat("0123456789", 30) + "\n```",
		"# " + strings.Repeat("漢字", 60),
		"|a|b|c|d|e|f|g|h|\n|-|-|-|-|-|-|-|-|\n" + strings.Repeat("|some words", 8) + "|",
		strings.Repeat("👩‍👩‍👧", 50),
	} {
		for _, width := range []int{2, 10, 40, 80} {
			s := colorful(width)
			checkSafe(t, in, Render(in, s), s)
		}
	}
	s := colorful(300)
	s.Width = 300
	out := Render(strings.Repeat("word ", 100), s)
	if first, _, _ := strings.Cut(ansi.Strip(out), "\n"); len(first) > maxTextWidth {
		t.Errorf("line of %d columns on a wide terminal", len(first))
	}
}

func TestRenderWrapsKeycaps(t *testing.T) {
	s := Options{Unicode: true, Width: 40}
	for _, in := range []string{
		strings.Repeat("1️⃣ ", 14) + strings.Repeat("#️⃣", 30),
		"```\n" + strings.Repeat("2️⃣", 30) + "\n```",
		"- \ufe0f" + strings.Repeat("x", 60),
	} {
		checkSafe(t, in, Render(in, s), s)
	}
	got := Render("|a|b|\n|-|-|\n|1️⃣|x|\n|12|y|\n", s)
	if want := "a  | b\n---|--\n1️⃣ | x\n12 | y\n"; got != want {
		t.Errorf("table of keycaps:\n%s", got)
	}
}

func TestRenderIndentsWrappedLines(t *testing.T) {
	s := Options{Unicode: true, Width: 12}
	for in, want := range map[string]string{
		"> " + strings.Repeat("中", 8):      "| 中中中中中\n| 中中中\n",
		"中中中中中中。中中":                        "中中中中中\n中。中中\n",
		"中中中中中「中中」":                        "中中中中中\n「中中」\n",
		"12. abcdefghijklmnop":             "12. abcdefgh\n    ijklmnop\n",
		"- a\n\n  b c d e f g h":           "• a\n\n  b c d e f\n  g h\n",
		"1. a\n   - b\n     > c\n\n2. d":   "1. a\n\n   • b\n     | c\n\n2. d\n",
		"- ```go\n  x = 1234567890\n  ```": "• [go]\n    x = 1234\n    567890\n",
		"a b https://example":              "a b\nhttps://exam\nple\n",
	} {
		if got := Render(in, s); got != want {
			t.Errorf("%q rendered as\n%s, want\n%s", in, got, want)
		}
	}
}

func TestRenderASCII(t *testing.T) {
	source := "# T\n\n- a\n- **b**\n\n> q\n\n|x|y|\n|-|-|\n|1|2|\n\n```go\nfunc f() {}\n```\n\n![i](http://e.com/i)\n\n- [x] done\n"
	for name, s := range map[string]Options{
		"no locale":  {Colors: 256, Width: 40},
		"accessible": {Colors: 256, Unicode: true, Accessible: true, Width: 40},
		"neither":    {Width: 40},
	} {
		s.Style = "dark"
		out := Render(source, s)
		if i := strings.IndexFunc(out, func(r rune) bool { return r > '~' || r < ' ' && r != '\n' }); i >= 0 {
			t.Errorf("%s: not ASCII at %d: %q", name, i, out)
		}
	}
	out := Render(source, Options{Unicode: true, Width: 40, Style: "dark"})
	if strings.Contains(out, "\x1b") || !strings.Contains(out, "• a") {
		t.Errorf("without colour: %q", out)
	}
}

func TestRenderASCIIControls(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[2J\x00\x7f": "^[[2J^@^?", "\xff": "?", "\u241b \ufffd 中文…": "\u241b \ufffd 中文…", "\u009b": "<U+009B>",
	} {
		if got := Render(in, Options{Width: 60}); got != want+"\n" {
			t.Errorf("Render(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRenderEmptyText(t *testing.T) {
	for _, in := range []string{"", "\n\n", "   \n"} {
		if got := Render(in, colorful(40)); got != "" {
			t.Errorf("Render(%q) = %q", in, got)
		}
	}
}

func TestRenderFallsBackToCleanedText(t *testing.T) {
	for name, in := range map[string]string{
		"nested emphasis": strings.Repeat("*a _b ", 20000) + strings.Repeat("_*", 20000),
		"nested quotes":   strings.Repeat(">", 300) + " x",
		"nested lists":    strings.Repeat("- ", 300) + "x",
		"more than 1 MiB": "\x1b[2J" + strings.Repeat("word\n", maxMarkdown/5),
	} {
		t.Run(name, func(t *testing.T) {
			want := strings.Trim(terminal.Clean(in), "\n") + "\n"
			if got := Render("\n"+in, colorful(40)); got != want {
				t.Errorf("got %d bytes, want the %d of the cleaned text", len(got), len(want))
			}
		})
	}
}

func TestRenderingTimeIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var late error
		_, err := limited(renderLimit, func(stopped func() error) (string, error) {
			<-time.After(time.Hour)
			late = stopped()
			return "late", nil
		})
		if err == nil || time.Since(start) != renderLimit {
			t.Errorf("slow rendering: %v after %v", err, time.Since(start))
		}
		<-time.After(time.Hour)
		synctest.Wait()
		if late == nil {
			t.Error("stopped returned nil after the time limit")
		}
	})
	_, err := limited(renderLimit, func(func() error) (string, error) { panic("bug") })
	if err == nil || !strings.Contains(err.Error(), "bug") {
		t.Errorf("panic: %v", err)
	}
	broken := errors.New("broken")
	if _, err := limited(renderLimit, func(func() error) (string, error) { return "", broken }); !errors.Is(err, broken) {
		t.Errorf("error: %v", err)
	}
}

func TestRenderStyle(t *testing.T) {
	const source = "plain text"
	dir := t.TempDir()
	custom, broken := filepath.Join(dir, "style.json"), filepath.Join(dir, "broken.json")
	for path, content := range map[string]string{
		custom: `{"document":{"color":"201"}}`,
		broken: `{"document":`,
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const dark, light = "\x1b[38;5;252m", "\x1b[38;5;234m"
	for _, c := range []struct {
		name, style string
		glamour     string
		light       bool
		want        string
		warns       bool
	}{
		{name: "dark by default", want: dark},
		{name: "auto", style: "auto", want: dark},
		{name: "light background", light: true, want: light},
		{name: "GLAMOUR_STYLE", glamour: "light", want: light},
		{name: "GLAMOUR_STYLE=auto", glamour: "auto", want: dark},
		{name: "setting before GLAMOUR_STYLE", style: "dark", glamour: "light", light: true, want: dark},
		{name: "style file", style: custom, want: "\x1b[38;5;201m"},
		{name: "unknown name", style: "nonesuch", light: true, want: light, warns: true},
		{name: "broken file", style: broken, want: dark, warns: true},
		{name: "directory", style: dir, want: dark, warns: true},
		{name: "unknown GLAMOUR_STYLE", glamour: "nonesuch", want: dark, warns: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := colorful(40)
			s.Style, s.GlamourStyle, s.Light = c.style, c.glamour, func() bool { return c.light }
			if got := Render(source, s); !strings.HasPrefix(got, c.want) {
				t.Errorf("rendered as %q, want %q", got, c.want)
			}
			if err := CheckStyle(c.style, c.glamour); (err != nil) != c.warns {
				t.Errorf("CheckStyle = %v, want an error: %v", err, c.warns)
			}
		})
	}
}

func TestLightIsCalledOnlyIfNeeded(t *testing.T) {
	for name, o := range map[string]Options{
		"GLAMOUR_STYLE": {Colors: 256, Unicode: true, GlamourStyle: "dark"},
		"style":         {Colors: 256, Unicode: true, Style: "dark"},
		"no colour":     {Unicode: true},
		"screen reader": {Colors: 256, Unicode: true, Accessible: true},
		"no Unicode":    {Colors: 256},
	} {
		o.Width, o.Light = 40, func() bool {
			t.Errorf("%s: Light was called", name)
			return false
		}
		Render("text", o)
	}
}

func TestRenderColours(t *testing.T) {
	for colors, want := range map[int]string{
		16:      "\x1b[37m",
		256:     "\x1b[38;5;252m",
		1 << 24: "\x1b[38;2;1;2;3m",
	} {
		style := filepath.Join(t.TempDir(), "style.json")
		color := "252"
		if strings.Contains(want, "38;2") {
			color = "#010203"
		}
		if err := os.WriteFile(style, []byte(`{"document":{"color":"`+color+`"}}`), 0o600); err != nil {
			t.Fatal(err)
		}
		s := Options{Colors: colors, Unicode: true, Width: 40, Style: style}
		if got := Render("x", s); !strings.HasPrefix(got, want) {
			t.Errorf("%d colours: rendered as %q, want %q", colors, got, want)
		}
	}
}

func FuzzRender(f *testing.F) {
	for _, seed := range []string{
		"# T\n\n- a\n  - b `c`\n\n> q\n\n|x|y|\n|-|-:|\n|中文|2|\n",
		"x&#27;[8m&#155;&rlm; <b>&#x1b;</b>\n```go\nfunc f() {}\t\n```",
		"[a]: http://e.com\n[a] ![i](u) <http://x.y> www.e.com/" + strings.Repeat("x", 60),
		"- [ ] t\n\n1. a\n\n   ```\n   x\n\nT\n: d\n\n---\n~~s~~ \x1b[2J\u202e\xff",
		"<div>\n```\n</div>\n<i>\n```\n*_*_*_",
		"|a|b|\n|-|-|\n|c|d|e f|\n|`g\\|h`|\n",
		"- [i](u \"t\")\n\n  ![a *b* [c](d)](e 'f')\n~~g [h](j)~~ <k@l.co> [m][] \n\n[m]: /n (oo)\n\n<p>\nq\n</p>\nr\n===\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, s := range []Options{colorful(40), {Unicode: true, Width: 40}, {Width: 7}} {
			out := Render(source, s)
			checkSafe(t, source, out, s)
			if s.Width < 40 {
				continue
			}
			for _, word := range missingWords(terminal.Clean(source), out) {
				// List items may be renumbered, labels are shown where they are defined
				// and may differ in case, [x] may be a tick, and in tables long words
				// continue below, next to other cells.
				counted := strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
				labelled := strings.Contains(strings.ToLower(out), strings.ToLower(word))
				row, _ := cells.Parse(word, "")
				broken := strings.Contains(source, "|") && (len(word) > len(row) || len(row) > readableWord)
				if !counted && !labelled && !broken && !strings.EqualFold(word, "x") {
					t.Fatalf("missing word %q of %q in %q", word, source, out)
				}
			}
		}
	})
}
