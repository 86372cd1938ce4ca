package cassette

import (
	"strings"

	"github.com/hobnob-cli/hobnob/internal/api"
)

// questionOf returns the last message of a request.
func questionOf(r *api.Request) string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Content
}

const (
	maxShown = 60      // runes of a question in a message
	maxStart = 4 << 10 // bytes of a question that are compared
)

// shortened returns the beginning of a question in one line.
func shortened(text string) string {
	text = strings.Join(strings.Fields(text[:min(len(text), maxStart)]), " ")
	text = strings.ToValidUTF8(text, "")
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown-1]) + "…"
	}
	return text
}

// wordsOf returns the words at the beginning of a question.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(strings.ToLower(text[:min(len(text), maxStart)])) {
		words[word] = true
	}
	return words
}

// similarity returns the part of all words of two questions that both have, from 0 to 1.
func similarity(a, b map[string]bool) float64 {
	both := 0
	for word := range a {
		if b[word] {
			both++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
