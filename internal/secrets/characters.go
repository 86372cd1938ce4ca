package secrets

import (
	"iter"
	"math"
	"slices"
	"strings"
)

// class is a set of bytes.
type class [256]bool

const (
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits       = "0123456789"
)

var (
	letters      = classOf(lowerLetters + upperLetters)
	upper        = classOf(upperLetters + digits)
	alphanumeric = classOf(lowerLetters + upperLetters + digits)
	variable     = classOf(upperLetters + digits + "_")
	hexadecimal  = classOf(digits + "abcdef")
	word         = classOf(lowerLetters + upperLetters + digits + "_-")
	base64Chars  = classOf(lowerLetters + upperLetters + digits + "+/")
)

func classOf(characters string) (c class) {
	for i := range len(characters) {
		c[characters[i]] = true
	}
	return c
}

// has reports whether all bytes of a text are in the class.
func (c *class) has(text string) bool {
	for i := range len(text) {
		if !c[text[i]] {
			return false
		}
	}
	return true
}

// runs returns the start and the end of each longest run of bytes in a class.
func runs(text string, c class) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := 0; i < len(text); i++ {
			if !c[text[i]] {
				continue
			}
			start := i
			for i < len(text) && c[text[i]] {
				i++
			}
			if !yield(start, i) {
				return
			}
		}
	}
}

// minEntropy is the minimum entropy of a secret in bits per character. That of 26 random
// hexadecimal digits is 3.0 or more in all but one of a million.
const minEntropy = 2.75

// isPlaceholder reports whether a value is an example rather than random.
func isPlaceholder(value string) bool {
	return hasExampleWord(value) || longestStep(value, 0) >= 6 || longestStep(value, 1) >= 6 || entropy(value) < minEntropy
}

// hasExampleWord reports whether a value has a word that is in examples.
func hasExampleWord(value string) bool {
	lower := strings.ToLower(value)
	return slices.ContainsFunc([]string{
		"example", "sample", "your", "dummy", "fake", "placeholder", "redacted", "change", "replace", "insert", "xxxx", "****", "...", "…",
	}, func(part string) bool { return strings.Contains(lower, part) })
}

// longestStep returns the length of the longest run in which each byte is the previous
// one plus step, as in "aaaa" and "abcd".
func longestStep(text string, step byte) int {
	longest, length := 0, 0
	for i := range len(text) {
		if i > 0 && text[i] == text[i-1]+step {
			length++
		} else {
			length = 1
		}
		longest = max(longest, length)
	}
	return longest
}

// entropy returns the entropy of the bytes of a text in bits per byte.
func entropy(text string) float64 {
	var counts [256]int
	for i := range len(text) {
		counts[text[i]]++
	}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(text))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
