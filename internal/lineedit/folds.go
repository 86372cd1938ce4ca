package lineedit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// The limits of a text that is shown whole; a longer one is folded into a token.
const (
	foldedLines      = 10
	foldedCharacters = 2000
)

// folds are the texts that tokens stand for. The zero value is ready.
type folds struct {
	texts map[string]string // by token
}

// fold returns text, or its token if it is long or contains a tab or another control
// character, which would steer the terminal or break the columns.
func (f *folds) fold(text string) string {
	lines := strings.Count(text, "\n") + 1
	visible := !strings.Contains(text, "\t") && !strings.ContainsFunc(text, terminal.Unsafe)
	if lines <= foldedLines && visible && utf8.RuneCountInString(text) <= foldedCharacters {
		return text
	}
	for token, folded := range f.texts {
		if folded == text {
			return token
		}
	}
	if f.texts == nil {
		f.texts = map[string]string{}
	}
	size := fmt.Sprintf("%d lines", lines)
	if lines == 1 {
		size = fmt.Sprintf("%d characters", utf8.RuneCountInString(text))
	}
	token := fmt.Sprintf("[text #%d: %s]", len(f.texts)+1, size)
	f.texts[token] = text
	return token
}

// unfold replaces the tokens in line by their texts.
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

// damaged reports whether line contains a token that was changed, so that the text
// it stood for would be lost.
func (f *folds) damaged(line string) bool {
	for token := range f.texts {
		line = strings.ReplaceAll(line, token, "")
	}
	for token := range f.texts {
		if begin, _, _ := strings.Cut(token, ":"); strings.Contains(line, begin) {
			return true
		}
	}
	return false
}

// tokenAt returns the length, in runes, of the token that ends at a place of a line,
// or with after begins there; 0 for none.
func (f *folds) tokenAt(line []rune, at int, after bool) int {
	for token := range f.texts {
		if after && strings.HasPrefix(string(line[at:]), token) || !after && strings.HasSuffix(string(line[:at]), token) {
			return utf8.RuneCountInString(token)
		}
	}
	return 0
}

// historySource gives the library the earlier texts. It takes none: the caller of
// the Editor adds to its History.
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
