package salvage

import (
	"slices"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// wrongWord is a damaged word of four bytes.
type wrongWord struct {
	at  int    // offset in the checksummed bytes
	off uint32 // difference from the correct value, modulo 2³²
}

// locate returns each word, among n checksummed bytes, whose damage alone would
// explain delta, the difference between the computed and the stored checksum. The
// words are in file order. Changing a word by e changes the checksum by e·(a, b),
// where a and b depend only on the word's position and are neighbours in the
// Fibonacci sequence. One of them is odd, which yields e; the other one verifies it.
// Several words match if only high bits of e are set, because the sequence repeats
// modulo small powers of two.
func locate(delta sqlite.LogChecksum, n int) []wrongWord {
	var found []wrongWord
	first, second := sqlite.LogChecksum{1, 1}, sqlite.LogChecksum{0, 1} // coefficients of the two words of a step
	for at := n - 8; at >= 0; at -= 8 {
		for i, c := range []sqlite.LogChecksum{second, first} {
			var e uint32
			if c[0]&1 == 1 {
				e = delta[0] * inverse(c[0])
			} else {
				e = delta[1] * inverse(c[1])
			}
			if e*c[0] == delta[0] && e*c[1] == delta[1] {
				found = append(found, wrongWord{at + 4*(1-i), e})
			}
		}
		first = sqlite.LogChecksum{first[0] + first[1], first[0] + 2*first[1]}
		second = sqlite.LogChecksum{second[0] + second[1], second[0] + 2*second[1]}
	}
	slices.Reverse(found)
	return found
}

// inverse returns the inverse of an odd number modulo 2³², using Newton's method.
func inverse(a uint32) uint32 {
	x := a
	for range 5 {
		x *= 2 - a*x
	}
	return x
}
