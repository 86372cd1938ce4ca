package salvage

import (
	"encoding/binary"
	"slices"
)

// checksum is the checksum of a frame of the log, which goes on from the one of
// the frame before.
type checksum [2]uint32

func (c checksum) add(order binary.ByteOrder, data []byte) checksum {
	for i := 0; i+8 <= len(data); i += 8 {
		c[0] += order.Uint32(data[i:]) + c[1]
		c[1] += order.Uint32(data[i+4:]) + c[0]
	}
	return c
}

func storedChecksum(data []byte) checksum {
	return checksum{binary.BigEndian.Uint32(data), binary.BigEndian.Uint32(data[4:])}
}

// wrongWord is a word of four bytes.
type wrongWord struct {
	at  int    // among the bytes that were summed
	off uint32 // how much too large it is, modulo 2³²
}

// locate finds the words, of n bytes that were summed, each of which alone would
// explain how far the checksum is off, the first one first. A change e of a word
// changes the checksum by e·(a, b), where (a, b) depends on its place alone and
// are neighbours in the Fibonacci sequence: one of them is odd, so that e follows
// from it, and the other is the proof. There are several where e has high bits
// alone, since the sequence repeats modulo small powers of two.
func locate(delta checksum, n int) []wrongWord {
	var found []wrongWord
	first, second := checksum{1, 1}, checksum{0, 1} // of the two words of a step
	for at := n - 8; at >= 0; at -= 8 {
		for i, c := range []checksum{second, first} {
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
		first = checksum{first[0] + first[1], first[0] + 2*first[1]}
		second = checksum{second[0] + second[1], second[0] + 2*second[1]}
	}
	slices.Reverse(found)
	return found
}

// inverse is the inverse of an odd number modulo 2³², by Newton's method.
func inverse(a uint32) uint32 {
	x := a
	for range 5 {
		x *= 2 - a*x
	}
	return x
}
