package terminal

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

func TestCleanLineShowsInvisibleCharacters(t *testing.T) {
	for _, r := range []rune{
		0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180e, 0x180f, 0x200b, 0x200c, 0x200d, 0x2060, 0x2061, 0x2064, 0x206a, 0x2800, 0x3164,
		0xfe00, 0xfe0e, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0x1bca0, 0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe01ef,
	} {
		shown := fmt.Sprintf("<U+%04X>", r)
		for in, want := range map[string]string{
			"pay" + string(r) + "pal": "pay" + shown + "pal",
			string(r):                 shown,
			string(r) + "x":           shown + "x",
			"a " + string(r) + " b":   "a " + shown + " b",
		} {
			if got := CleanLine(in); got != want {
				t.Errorf("CleanLine(%q) = %q, want %q", in, got, want)
			}
		}
	}
	for in, want := range map[string]string{
		"\U0001f3f4\U000e0068\U000e0069\U000e007f":             "\U0001f3f4<U+E0068><U+E0069><U+E007F>", // not a flag of a region
		"\u0645\u200c\u200c\u062e":                             "\u0645<U+200C><U+200C>\u062e",
		"\u0645\u200c ":                                        "\u0645<U+200C>",
		"a\ufe0f\ufe0f":                                        "a<U+FE0F><U+FE0F>",
		"\u2764\ufe0f\ufe0f":                                   "\u2764\ufe0f<U+FE0F>",
		"\U0001f600\u200dx":                                    "\U0001f600<U+200D>x",
		strings.Repeat("\u200b", 10):                           strings.Repeat("<U+200B>", 8) + "<+2>",
		"x" + strings.Repeat("\U000e0041", 1000) + "y":         "x" + strings.Repeat("<U+E0041>", 8) + "<+992>y",
		"x" + strings.Repeat("\u0301", 1000):                   "x" + strings.Repeat("\u0301", 15) + "<+985>",
		"x" + strings.Repeat("\u0301", 15) + "y":               "x" + strings.Repeat("\u0301", 15) + "y",
		strings.Repeat("\u1161", 100):                          strings.Repeat("\u1161", 16) + "<+84>",
		strings.Repeat("\U0001f600\u200d", 100) + "\U0001f600": strings.Repeat("\U0001f600\u200d", 7) + "\U0001f600<U+200D><+185>",
	} {
		if got := CleanLine(in); got != want {
			t.Errorf("CleanLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCleanLinePreservesScriptsAndEmoji(t *testing.T) {
	for name, text := range map[string]string{
		"family":                   "👩\u200d👩\u200d👧\u200d👦",
		"family with skin tones":   "👩🏽\u200d❤\ufe0f\u200d💋\u200d👨🏿",
		"rainbow flag":             "🏳\ufe0f\u200d🌈",
		"head shaking":             "🙂\u200d↔\ufe0f",
		"woman with white cane":    "👩🏾\u200d🦯\u200d➡\ufe0f",
		"keycaps":                  "1\ufe0f\u20e3 #\ufe0f\u20e3",
		"emoji and text style":     "❤\ufe0f ☎\ufe0e ‼\ufe0f ℹ\ufe0f 〰\ufe0f",
		"England, Scotland, Wales": tagged("gbeng") + tagged("gbsct") + " " + tagged("gbwls"),
		"country flags":            "🇩🇪🇯🇵",
		"Persian":                  "می\u200cخواهم کتاب\u200cها",
		"Persian abbreviation":     "ه\u200d.ق",
		"Arabic with vowel signs":  "بِ\u200cب",
		"Devanagari":               "क्\u200dष क्\u200cष",
		"Bengali":                  "র\u200d্য",
		"Malayalam chillu":         "ന്\u200d",
		"Sinhala":                  "ශ්\u200dරී",
		"Khmer line breaks":        "ខ្ញុំ\u200bចង់",
		"Thai line breaks":         "ภาษา\u200bไทย",
		"Han variant":              "葛\U000e0100 㐂\ufe00",
		"mathematical variant":     "∩\ufe00",
		"Mongolian":                "ᠮᠣᠩᠭᠣᠯ\u180bᠠ ᠠ\u180eᠠ",
		"Braille":                  "⠓⠊⠀⠞⠓⠑⠗⠑",
		"Vietnamese, decomposed":   "Tie\u0302\u0301ng Vie\u0323\u0302t",
		"Hebrew with cantillation": "בְּרֵאשִׁ֖ית",
		"Arabic number sign":       "\u0600123",
	} {
		if got := CleanLine(text); got != text {
			t.Errorf("%s: CleanLine(%q) = %q", name, text, got)
		}
	}
}

func TestCleanShowsOnlyTags(t *testing.T) {
	for in, want := range map[string]string{
		"hello\U000e0069\U000e0067":               "hello<U+E0069><U+E0067>",
		"a\n" + tagged("gbsct") + "b":             "a\n" + tagged("gbsct") + "b",
		"\U0001f3f4\U000e0067":                    "\U0001f3f4<U+E0067>",
		"soft\u00adhyphen zero\u200bwidth \ufeff": "soft\u00adhyphen zero\u200bwidth \ufeff",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTableLimitsRowSize(t *testing.T) {
	for name, flood := range map[string]string{
		"letters": strings.Repeat("x", 1<<17), "accents": "x" + strings.Repeat("\u0301", 1<<17), "zero width": strings.Repeat("\u200b", 1<<17),
		"zero width and letters": strings.Repeat("a\u200b", 1<<17), "tags": strings.Repeat("\U000e0041", 1<<17), "jamo": strings.Repeat("\u1161", 1<<17),
		"bidi": strings.Repeat("\u202e", 1<<17), "joiners": strings.Repeat("👩\u200d", 1<<17), "marked letters": strings.Repeat("e\u0301\u0302\u0303", 1<<17),
	} {
		for _, s := range []*Streams{
			{UTF8: true}, {UTF8: true, OutTTY: true, Width: 80}, {UTF8: true, OutTTY: true, Width: 20}, {UTF8: true, OutTTY: true, Width: 80, Accessible: true},
		} {
			var out strings.Builder
			s.Out = &out
			if err := s.Table([]Column{{Title: "ID"}, {Title: "TITLE", Flexible: true}}, [][]string{{flood, flood}}); err != nil {
				t.Fatal(err)
			}
			if out.Len() > 2*maxCell*8 {
				t.Errorf("%s, terminal %v, %d columns: row of %d bytes", name, s.OutTTY, s.Width, out.Len())
			}
		}
	}
}

func FuzzCleanLine(f *testing.F) {
	f.Add("👩\u200d👩 می\u200cخ क्\u200dष x\u200by\ufe0f" + tagged("gbeng") + strings.Repeat("\u0301", 40))
	f.Add("\u2764\ufe0f\ufe0f\u200d\U0001f600\u180e\u2800\U000e0100")
	f.Fuzz(func(t *testing.T, in string) {
		line := CleanLine(in)
		if again := CleanLine(line); again != line {
			t.Fatalf("CleanLine changes its own result %q to %q", line, again)
		}
		for rest := line; rest != ""; {
			cluster, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
			rest = rest[len(cluster):]
			if n := utf8.RuneCountInString(cluster); n > 16 {
				t.Fatalf("CleanLine(%q) contains a cluster of %d code points", in, n)
			}
			if r, size := utf8.DecodeRuneInString(cluster); size == len(cluster) && ansi.StringWidth(cluster) == 0 && invisible(r) && !strings.ContainsRune("\u200b\u200c\u200d\u180e", r) {
				t.Fatalf("CleanLine(%q) = %q hides %U", in, line, r)
			}
		}
	})
}
