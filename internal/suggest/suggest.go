// Package suggest finds what a mistyped word most likely means.
package suggest

import "strings"

// maxDistance is the largest distance of a suggestion.
const maxDistance = 2

// Nearest returns the candidate that is nearest to a mistyped word, whatever
// their case, or "" when none is near. Of two that are equally near it is the
// first.
func Nearest(word string, candidates []string) string {
	best, distance := "", maxDistance+1
	for _, c := range candidates {
		if d := Distance(strings.ToLower(word), strings.ToLower(c)); d < distance && d < len(c) {
			best, distance = c, d
		}
	}
	return best
}

// Distance returns the Levenshtein distance of two words, in bytes.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
