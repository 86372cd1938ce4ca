package lineedit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Limits of a text that is shown in full. A longer one is folded into a placeholder.
const (
	foldedLines      = 10
	foldedCharacters = 2000
)

// folds holds folded texts. The zero value is ready to use.
type folds struct {
	texts map[string]string // by placeholder
}

// fold returns text if it can be shown in full. Otherwise it returns a placeholder, or
// text with placeholders for the parts that were folded before, such as an earlier line.
func (f *folds) fold(text string) string {
	if shown(text) {
		return text
	}
	pairs := make([]string, 0, 2*len(f.texts))
	for placeholder, folded := range f.texts {
		if folded == text {
			return placeholder
		}
		pairs = append(pairs, folded, placeholder)
	}
	if line := strings.NewReplacer(pairs...).Replace(text); shown(line) && f.unfold(line) == text {
		return line
	}
	if f.texts == nil {
		f.texts = map[string]string{}
	}
	lines := strings.Count(text, "\n") + 1
	size := fmt.Sprintf("%d lines", lines)
	if lines == 1 {
		size = fmt.Sprintf("%d characters", utf8.RuneCountInString(text))
	}
	placeholder := fmt.Sprintf("[text #%d: %s]", len(f.texts)+1, size)
	f.texts[placeholder] = text
	return placeholder
}

// shown reports whether text is shown in full: it is short and has no tabs or control
// characters.
func shown(text string) bool {
	return strings.Count(text, "\n") < foldedLines && utf8.RuneCountInString(text) <= foldedCharacters &&
		!strings.Contains(text, "\t") && !strings.ContainsFunc(text, terminal.Unsafe)
}

// unfold replaces the placeholders in line with their texts.
func (f *folds) unfold(line string) string {
	if !strings.Contains(line, "[text #") {
		return line
	}
	pairs := make([]string, 0, 2*len(f.texts))
	for placeholder, text := range f.texts {
		pairs = append(pairs, placeholder, text)
	}
	return strings.NewReplacer(pairs...).Replace(line)
}

// damaged reports whether line contains a placeholder that was changed.
func (f *folds) damaged(line string) bool {
	for placeholder := range f.texts {
		line = strings.ReplaceAll(line, placeholder, "")
	}
	for placeholder := range f.texts {
		if begin, _, _ := strings.Cut(placeholder, ":"); strings.Contains(line, begin) {
			return true
		}
	}
	return false
}

// placeholderAt returns the length, in runes, of the placeholder that ends at a
// position or, if after, begins there. It returns 0 if there is none.
func (f *folds) placeholderAt(line []rune, at int, after bool) int {
	for placeholder := range f.texts {
		if after && strings.HasPrefix(string(line[at:]), placeholder) || !after && strings.HasSuffix(string(line[:at]), placeholder) {
			return utf8.RuneCountInString(placeholder)
		}
	}
	return 0
}

// historySource is the history as the library reads it. It does not store texts; the
// caller of the Editor adds them to the History.
type historySource struct {
	history *History
	folds   *folds
}

func (h *historySource) Write(string) (int, error) { return h.Len(), nil }
func (h *historySource) Len() int                  { return len(h.history.texts) }
func (h *historySource) Dump() any                 { return nil }

func (h *historySource) GetLine(i int) (string, error) {
	if i < 0 || i >= h.Len() {
		return "", fmt.Errorf("no text %d in the history", i)
	}
	return h.folds.fold(h.history.texts[i]), nil
}
