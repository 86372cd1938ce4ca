package view_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/cells"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// replies cover what can move or restyle another column.
var replies = []string{
	"plain",
	"# Heading\n\n**bold** `code`\n\n```go\nfunc main() {\n\tprintln(1)\n}\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |",
	strings.Repeat("日本語", 60) + "\n\nпривет 👩‍👩‍👧‍👦 e\u0301\u0301 🇩🇪",
	strings.Repeat("x", 500) + "\n\n> quote\n>> quote\n\n- [ ] item\n\t\ttabs\tinside",
	"\x1b[31mred \x1b]0;title\x07 \x9b2J \u202e \u200b\r\n" + strings.Repeat("> ", 5000) + "not renderable",
	"\ufe0f\u0301 marks\n\n\u093f vowels \u0e33\n\n" + strings.Repeat("x", 35) + "\u0600\n\n\u0600",
	"unclosed **bold *italic `code\n\n<script>\n\x00\xff",
	"",
}

// Each line has the bar of each column at the same place, no style is open at a bar, and
// no line is wider than the terminal.
func checkColumns(t *testing.T, text string, columns, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		row, style := cells.Parse(line, "")
		if style != "" || row.Columns() > width {
			t.Fatalf("style %q, %d columns: %q", style, row.Columns(), line)
		}
		at, bars := 0, 0
		each := (width - 3*(columns-1)) / columns
		for _, c := range row {
			if bar := (bars+1)*(each+3) - 2; at == bar {
				if c.Text != "│" || c.Style != "" {
					t.Fatalf("%q in style %q at column %d: %q", c.Text, c.Style, at, line)
				}
				bars++
			}
			at += c.Width
		}
		if bars != columns-1 {
			t.Fatalf("%d bars: %q", bars, line)
		}
	}
	if terminal.FilterRendered(text, true) != text {
		t.Fatalf("not clean: %q", text)
	}
}

func TestSideBySideKeepsColumnsApart(t *testing.T) {
	for _, width := range []int{80, 120, 200} {
		for _, raw := range []bool{false, true} {
			for i, first := range replies {
				p := cli.New(&terminal.Streams{OutTTY: true, OutColor: true, UTF8: true, Width: width}, func(string) string { return "" }).Print
				named := []view.NamedReply{{Name: "one\x1b[31m", Text: first}, {Name: strings.Repeat("日", 100), Text: replies[(i+1)%len(replies)]}}
				text, unfit := view.SideBySide(p, named, "dark", raw)
				if unfit != "" {
					t.Fatal(unfit)
				}
				checkColumns(t, text, 2, width)
			}
		}
	}
}

func TestSideBySideNeedsRoom(t *testing.T) {
	three := []view.NamedReply{{Name: "a"}, {Name: "b"}, {Name: "c", Text: "hi"}}
	for _, c := range []struct {
		streams terminal.Streams
		replies []view.NamedReply
		unfit   string
	}{
		{terminal.Streams{OutTTY: true, UTF8: true, Width: 120}, three, ""},
		{terminal.Streams{OutTTY: true, UTF8: true, Width: 119}, three, "at least 120 columns wide"},
		{terminal.Streams{OutTTY: true, UTF8: true, Width: 79}, three[:2], ""},
		{terminal.Streams{OutTTY: true, UTF8: true, Width: 78}, three[:2], "at least 79 columns wide"},
		{terminal.Streams{OutTTY: true, UTF8: true, Width: 400, Accessible: true}, three, "ACCESSIBLE"},
		{terminal.Streams{Width: 400}, three, "not a terminal"},
		{terminal.Streams{OutTTY: true, UTF8: true, Width: 400}, []view.NamedReply{{Text: "short"}, {Text: strings.Repeat("x", 2<<20)}}, "too long"},
	} {
		p := cli.New(&c.streams, func(string) string { return "" }).Print
		text, unfit := view.SideBySide(p, c.replies, "dark", false)
		if !strings.Contains(unfit, c.unfit) || (unfit == "") != (c.unfit == "") || (text == "") != (unfit != "") {
			t.Errorf("%d columns: %q, unfit %q, want %q", c.streams.Width, text, unfit, c.unfit)
		}
	}
}

func TestSideBySideWithoutUnicode(t *testing.T) {
	p := cli.New(&terminal.Streams{OutTTY: true, Width: 80}, func(string) string { return "" }).Print
	text, _ := view.SideBySide(p, []view.NamedReply{{"one", "a\x1b"}, {"two", "b"}}, "dark", false)
	if want := regexp.MustCompile(`(?m)^# one {33} \| # two$`); !want.MatchString(text) || strings.ContainsRune(text, '│') {
		t.Errorf("%q does not match %v", text, want)
	}
}
