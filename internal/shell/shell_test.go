package shell_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/shell"
)

func TestWordIsQuotedOnlyIfNecessary(t *testing.T) {
	for text, want := range map[string]string{
		"work-2.x_y": "work-2.x_y",
		"":           "''",
		"it's":       `'it'\''s'`,
		"$(reboot)":  "'$(reboot)'",
		"ä":          "'ä'",
	} {
		if got := shell.Word(text); got != want {
			t.Errorf("Word(%q) = %s, want %s", text, got, want)
		}
	}
}

// FuzzQuoteRoundTrip checks that Unquote restores text from Quote, Word and Continue.
func FuzzQuoteRoundTrip(f *testing.F) {
	for _, text := range []string{"", "it's", `a\b`, `"$HOME"`, "`x`", "two words", "~/x", "日本"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !shell.Escapes || strings.ToValidUTF8(text, "") != text || strings.ContainsAny(text, "\x00\n\r") {
			t.Skip("not a line of text")
		}
		for _, word := range []string{shell.Quote(text), shell.Word(text), shell.Continue(text, 0), `"` + shell.Continue(text, '"') + `"`, "'" + shell.Continue(text, '\'') + "'"} {
			if got, open := shell.Unquote(word); got != text || open != 0 {
				t.Errorf("Unquote(%s) = %q, %q; want %q", word, got, open, text)
			}
		}
	})
}

func TestQuoteIsOneWordInShell(t *testing.T) {
	for _, text := range []string{"it's", `$(id) "x" \ *`, "a  b"} {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+shell.Quote(text)).Output()
		if err != nil || string(out) != text {
			t.Errorf("sh read %q of %q: %v", out, text, err)
		}
	}
}
