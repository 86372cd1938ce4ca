// Package suggest finds the word that a mistyped one was meant to be. It owns how
// far apart two words are, and knows nothing of commands, settings or the manual.
package suggest

import "strings"

// Nearest returns the candidate that a mistyped word most likely is: at
// most two edits away, and fewer than the candidate has bytes. Case does not
// count. It returns "" when none comes close, and the first of several that are
// equally close.
func Nearest(word string, candidates []string) string {
	best, edits := "", 3
	for _, c := range candidates {
		if d, _ := Distance(strings.ToLower(word), strings.ToLower(c)); d < edits && d < len(c) {
			best, edits = c, d
		}
	}
	return best
}

// Distance counts the bytes to insert, delete, replace or swap with their
// neighbour to turn a into b (optimal string alignment), and reports whether a
// swap was among these edits.
func Distance(a, b string) (edits int, swapped bool) {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(last[j]+1, row[j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] && before[j-2]+1 < row[j] {
				row[j], swapped = before[j-2]+1, true
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)], swapped
}
