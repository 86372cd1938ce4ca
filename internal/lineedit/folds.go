package lineedit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// A text that a line editor cannot show stands in its line as a token.
const (
	foldedLines      = 10   // more lines than this, or
	foldedCharacters = 2000 // more characters are folded
)

// folds are the texts behind tokens. The zero value is ready.
type folds struct {
	texts  map[string]string // by token
	tokens map[string]string // by text
}

// fold returns text, or the token that stands for it: for a long one, and for
// one with a tab or another control character, which would steer the terminal or
// spoil the columns.
func (f *folds) fold(text string) string {
	lines := strings.Count(text, "\n") + 1
	visible := !strings.Contains(text, "\t") && !strings.ContainsFunc(text, terminal.Unsafe)
	if lines <= foldedLines && visible && utf8.RuneCountInString(text) <= foldedCharacters {
		return text
	}
	if token, ok := f.tokens[text]; ok {
		return token
	}
	if f.texts == nil {
		f.texts, f.tokens = map[string]string{}, map[string]string{}
	}
	size := fmt.Sprintf("%d lines", lines)
	if lines == 1 {
		size = fmt.Sprintf("%d characters", utf8.RuneCountInString(text))
	}
	token := fmt.Sprintf("[text #%d: %s]", len(f.texts)+1, size)
	f.texts[token], f.tokens[text] = text, token
	return token
}

// unfold puts the texts of the tokens in line back.
func (f *folds) unfold(line string) string {
	if !strings.Contains(line, "[text #") {
		return line
	}
	pairs := make([]string, 0, 2*len(f.texts))
	for token, text := range f.texts {
		pairs = append(pairs, token, text)
	}
	return strings.NewReplacer(pairs...).Replace(line)
}

// damaged returns what is left of a token of which a part was changed, so that
// the text behind it would be lost, else an empty text.
func (f *folds) damaged(line string) string {
	for token := range f.texts {
		line = strings.ReplaceAll(line, token, "")
	}
	for token := range f.texts {
		begin, _, _ := strings.Cut(token, ":")
		if at := strings.Index(line, begin); at >= 0 {
			rest, _, _ := strings.Cut(line[at:], "\n")
			return rest[:min(len(rest), len(token))]
		}
	}
	return ""
}

// tokenAt returns how many runes a token has that ends, or with after begins, at
// a place of a line; 0 for none.
func (f *folds) tokenAt(line []rune, at int, after bool) int {
	for token := range f.texts {
		if after && strings.HasPrefix(string(line[at:]), token) || !after && strings.HasSuffix(string(line[:at]), token) {
			return utf8.RuneCountInString(token)
		}
	}
	return 0
}

// historySource gives a Editor its earlier texts. The editor does not write
// to it: what was typed is kept by whoever read it.
type historySource struct {
	history *History
	folds   *folds
}

func (h *historySource) Write(string) (int, error) { return h.Len(), nil }
func (h *historySource) Len() int                  { return len(h.history.texts) }
func (h *historySource) Dump() any                 { return nil }

func (h *historySource) GetLine(i int) (string, error) {
	if i < 0 || i >= h.Len() {
		return "", fmt.Errorf("there is no text %d in the history", i)
	}
	return h.folds.fold(h.history.texts[i]), nil
}
