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
	maxShown = 60   // runes of a question in a message
	maxStart = 1024 // bytes of a question that are compared
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

// trigramsOf returns all three characters that follow each other at the beginning of a
// question, without case and with single spaces.
func trigramsOf(text string) map[string]bool {
	text = " " + strings.Join(strings.Fields(strings.ToLower(text[:min(len(text), maxStart)])), " ") + " "
	found := map[string]bool{}
	runes := []rune(text)
	for i := range len(runes) - 2 {
		found[string(runes[i:i+3])] = true
	}
	return found
}

// minSimilarity is the similarity below which a question is not similar.
const minSimilarity = 0.2

// similarity returns the part of the trigrams of two questions that both have, from 0
// to 1.
func similarity(a, b map[string]bool) float64 {
	both := 0
	for trigram := range a {
		if b[trigram] {
			both++
		}
	}
	return float64(both) / float64(max(1, len(a)+len(b)-both))
}
