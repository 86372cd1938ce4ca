package markdown

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

func TestPlainRenderingShowsMarksOnce(t *testing.T) {
	for in, want := range map[string]string{
		"**Use foo_bar & baz [1] now!**":              "",
		"**one\ntwo**":                                "**one two**",
		"**Step 1: [optional] set `PATH` & go**":      "",
		"***both [x] of***":                           "",
		"_a __b__ [c]_":                               "*a **b** [c]*",
		"~~a `b_c` **d [e]** *f_g*~~":                 "",
		"~~a [b **c**](http://d.e) <http://f.g>~~":    "~~a b **c** http://d.e http://f.g~~",
		"*a ~~b_c [d]~~ e*":                           "",
		"*a <http://b.c> d*":                          "*a http://b.c d*",
		"[a_b **c [d]** `e`](http://f.g \"h\")":       "a_b **c [d]** `e` http://f.g (h)",
		"`` a`b `` `` ` `` ```` ``c```d ````":         "``a`b`` `` ` `` ```` ``c```d ````",
		"**a\\\nb**":                                  "**a\nb**",
		"# *a_b [c]* `d`":                             "",
		"- **a_b [c]**":                               "• **a_b [c]**",
		"> *a_b\n> [c]*":                              "| *a_b [c]*",
		"|**a_b [c]**|x|\n|-|-|\n|`y` ~~z_z [w]~~|v|": "**a_b [c]**     | x\n----------------|--\n`y` ~~z_z [w]~~ | v",
		"**&amp; \\* [x]**":                           "**& * [x]**",
	} {
		if want == "" {
			want = in
		}
		s := Options{Unicode: true, Width: 80}
		if got := strings.TrimSuffix(Render(in, s), "\n"); got != want {
			t.Errorf("%q rendered as %q, want %q", in, got, want)
		}
	}
}

// inlines generates inline Markdown and its expected rendering.
type inlines struct {
	*rand.Rand
	words int
}

// shown is a text with its attributes in colour.
type shown struct {
	text  string
	attrs string // SGR parameters for bold, italic and struck-out; ? for any
}

func (g *inlines) word() string {
	g.words++
	kinds := []string{"w%d", "snake_%d_case", "a%d & b", "x%d [1] y", "is%d: [opt] z", "e%d! (f_g) h", "i%d? j"}
	return fmt.Sprintf(kinds[g.IntN(len(kinds))], g.words)
}

// some returns a text of several nodes that neither begins nor ends with a mark.
// within lists the kinds of the nodes around it.
func (g *inlines) some(within string) (source, plain string, seen []shown) {
	attrs := ""
	for _, kind := range []string{"1", "3", "9"} {
		if strings.Contains(within, kind) {
			attrs += kind
		}
	}
	if link, _, ok := strings.Cut(within, "l"); ok && !strings.Contains(link, "9") {
		attrs = "?"
	}
	add := func(s, p string) {
		source, plain = source+s, plain+p
		seen = append(seen, shown{p, attrs})
	}
	first := g.word()
	add(first, first)
	for range g.IntN(3) {
		space := []string{" ", " ", "\n"}[g.IntN(3)]
		if strings.Contains(within, "h") {
			space = " "
		}
		add(space, " ")
		kind := []string{"1", "3", "9", "c", "l"}[g.IntN(5)]
		if strings.Contains(within, kind) || len(within) > 3 {
			word := g.word()
			add(word, word)
			continue
		}
		mark := map[string]string{"1": "**", "3": "*", "9": "~~", "c": "`"}[kind]
		switch kind {
		case "c":
			g.words++
			code := fmt.Sprintf("c_%d", g.words)
			source, plain = source+mark+code+mark, plain+mark+code+mark
			seen = append(seen, shown{code, "?"})
		case "l":
			s, p, inner := g.some(within + kind)
			g.words++
			url := fmt.Sprintf("http://h.io/%d", g.words)
			source, plain = source+"["+s+"]("+url+")", plain+p+" "+url
			seen = append(append(seen, inner...), shown{url, "?"})
		default:
			s, p, inner := g.some(within + kind)
			source, plain = source+mark+s+mark, plain+mark+p+mark
			seen = append(seen, inner...)
		}
	}
	add(" ", " ")
	last := g.word()
	add(last, last)
	return source, plain, seen
}

func TestGeneratedInlines(t *testing.T) {
	for seed := range uint64(3000) {
		g := &inlines{Rand: rand.New(rand.NewPCG(seed, 1))}
		block := []string{"", "# ", "- ", "> ", "|"}[seed%5]
		within := ""
		if block == "# " || block == "|" {
			within = "h"
		}
		source, plain, seen := g.some(within)
		if len(plain) > 90 {
			continue
		}
		var want string
		switch block {
		case "- ":
			source, want = "- "+strings.ReplaceAll(source, "\n", "\n  "), "• "+plain
		case "> ":
			source, want = "> "+strings.ReplaceAll(source, "\n", "\n> "), "| "+plain
		case "|":
			source, want = "|"+source+"|\n|-|\n", plain
		default:
			source, want = block+source, block+plain
		}
		s := Options{Unicode: true, Width: maxTextWidth}
		got, rest, _ := strings.Cut(Render(source, s), "\n")
		if got != want || strings.Trim(rest, "-\n") != "" {
			t.Errorf("seed %d: %q rendered as %q, want %q", seed, source, got+rest, want)
		}
		if within == "" {
			checkLooks(t, source, Render(source, colorful(maxTextWidth)), seen)
		}
	}
}

// checkLooks compares a rendering in colour with seen, ignoring spaces, bullets and
// bars.
func checkLooks(t *testing.T, source, rendered string, seen []shown) {
	t.Helper()
	var want []shown
	for _, part := range seen {
		for _, r := range strings.ReplaceAll(part.text, " ", "") {
			want = append(want, shown{string(r), part.attrs})
		}
	}
	var got []shown
	style := ""
	for line := range strings.Lines(rendered) {
		var row cells.Row
		row, style = cells.Parse(strings.TrimSuffix(line, "\n"), style)
		for _, c := range row {
			if !c.Blank() && c.Text != "•" && c.Text != "│" {
				got = append(got, shown{c.Text, looks(c.Style)})
			}
		}
	}
	same := func(a, b shown) bool { return a.text == b.text && (a.attrs == b.attrs || b.attrs == "?") }
	if !slices.EqualFunc(got, want, same) {
		t.Errorf("%q rendered as %q, with\n%v, want\n%v", source, rendered, got, want)
	}
}

// looks returns the parameters for bold, italic and struck-out in SGR sequences.
func looks(style string) (attrs string) {
	on := map[string]bool{}
	for _, sequence := range sgrPattern.FindAllStringSubmatch(style, -1) {
		fields := strings.Split(sequence[1], ";")
		for i := 0; i < len(fields); i++ {
			on[fields[i]] = true
			if fields[i] == "38" || fields[i] == "48" {
				i += map[string]int{"5": 2, "2": 4}[fields[i+1]]
			}
		}
	}
	for _, attr := range []string{"1", "3", "9"} {
		if on[attr] {
			attrs += attr
		}
	}
	return attrs
}

func TestStyleMarks(t *testing.T) {
	style := filepath.Join(t.TempDir(), "style.json")
	if err := os.WriteFile(style, []byte(`{
		"strong": {"bold": true, "block_prefix": "<", "prefix": "(", "suffix": ")", "block_suffix": ">"},
		"strikethrough": {"crossed_out": true, "prefix": "-", "suffix": "+"},
		"link_text": {"prefix": "{", "suffix": "}"}
	}`), 0o600); err != nil {
		t.Fatal(err)
	}
	o := colorful(80)
	o.Style = style
	got := Render("**a_b [c] `d`** ~~e_f **g_h** [i]~~ [j_k [l] m](http://n.o)", o)
	if want := "<(a_b [c] d)> -e_f <(g_h)> [i]+ {j_k [l] m} http://n.o\n"; ansi.Strip(got) != want {
		t.Errorf("rendered as %q, want %q", ansi.Strip(got), want)
	}
	row, _ := cells.Parse(got, "")
	for i, c := range row {
		if attrs := map[string]string{"<": "", "(": "1", ")": "1", ">": "", "-": "9", "+": "9"}; i < 30 {
			if want, ok := attrs[c.Text]; ok && looks(c.Style) != want {
				t.Errorf("%s has the attributes %q, want %q, in %q", c.Text, looks(c.Style), want, got)
			}
		}
	}
}
