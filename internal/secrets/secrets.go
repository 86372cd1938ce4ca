// Package secrets finds text that looks like a secret, such as a private key or a token,
// and decides whether a question that contains one is sent. A Finding has the place and
// the kind of a secret, never the secret.
package secrets

import (
	"cmp"
	"slices"
	"strings"
)

// maxFindings is the maximum number of findings in one text.
const maxFindings = 100

// Finding is a place that looks like a secret.
type Finding struct {
	Name string // of the file or another source; untrusted
	Line int    // from 1
	What string // such as "private key"
}

// match is a secret in a text.
type match struct {
	start, end int
	what       string
}

// scan returns the secrets in a text, at most maxFindings, in order and without overlaps.
// The name helps to recognize a .env file. The token is that of the service, or empty if
// it is not searched for. The time is linear in the length of the text.
func scan(name, text, token string) []match {
	var matches []match
	add := func(m match) bool {
		overlaps := func(other match) bool { return m.start < other.end && other.start < m.end }
		if !slices.ContainsFunc(matches, overlaps) {
			matches = append(matches, m)
		}
		return len(matches) < maxFindings
	}
	for _, rule := range []func(text string, add func(match) bool){
		findToken(token), findPrivateKeys, findPrefixed, findCloudKeys,
	} {
		if len(matches) < maxFindings {
			rule(text, add)
		}
	}
	switch {
	case len(matches) >= maxFindings || isExample(name):
	case isDotenv(name):
		findValues(text, add)
	default:
		findAssignments(text, add)
	}
	slices.SortFunc(matches, func(a, b match) int { return cmp.Compare(a.start, b.start) })
	return matches
}

// findings returns the Findings of matches, which are in order.
func findings(name, text string, matches []match) []Finding {
	var out []Finding
	line, from := 1, 0
	for _, m := range matches {
		line += strings.Count(text[from:m.start], "\n")
		from = m.start
		out = append(out, Finding{Name: name, Line: line, What: m.what})
	}
	return out
}

// minToken is the minimum length of a token that is searched for. A shorter one may be an
// ordinary word.
const minToken = 16

// findToken returns the rule for a known token.
func findToken(token string) func(string, func(match) bool) {
	return func(text string, add func(match) bool) {
		if len(token) < minToken {
			return
		}
		for from := 0; ; {
			at := strings.Index(text[from:], token)
			if at < 0 {
				return
			}
			start := from + at
			from = start + len(token)
			if !add(match{start, from, "the token of this service"}) {
				return
			}
		}
	}
}

// mayHaveToken reports whether a text has a word that is long enough to contain a token.
func mayHaveToken(text string) bool {
	length := 0
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			length = 0
		} else if length++; length >= minToken {
			return true
		}
	}
	return false
}
