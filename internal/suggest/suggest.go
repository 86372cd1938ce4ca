// Package suggest finds the known word with the smallest edit distance to a mistyped
// one.
package suggest

import "strings"

// Nearest returns the candidate with the smallest Distance to word, ignoring case, or ""
// if there is none within two edits, or one if word has fewer than five bytes. The
// distance must also be smaller than the length of the candidate. Of several equally
// near candidates it returns the first.
func Nearest(word string, candidates []string) string {
	best, edits := "", 3
	if len(word) < 5 {
		edits = 2
	}
	for _, c := range candidates {
		if d, _ := Distance(strings.ToLower(word), strings.ToLower(c)); d < edits && d < len(c) {
			best, edits = c, d
		}
	}
	return best
}

// Distance returns the number of bytes to insert, delete, replace or swap with
// their neighbour to turn a into b (optimal string alignment), and reports whether
// one of these edits is a swap.
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
