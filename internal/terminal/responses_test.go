package terminal_test

import (
	"testing"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func TestSequence(t *testing.T) {
	for text, want := range map[string]int{ // -1: incomplete
		"\x1b[": -1, "\x1bO": -1, "\x1b[1;2": -1, "\x1b[1;2D": 6, "\x1b[15~": 5, "\x1b[<0;1;1M": 9,
		"\x1bOP": 3, "\x1b[1\x1b": 3, "\x1b[2\xe6": 3, "\x1b[ ": -1, "\x1b[ q": 4, "\x1b[?62;c": 7, "\x1b[?62;cX": 7, "\x1b[12;40R": 8,
		"\x1b]": -1, "\x1b]11;rgb:ff/f": -1, "\x1b]11;rgb:f/f/f\a": 15, "\x1b]11;rgb:f/f/f\x1b": -1, "\x1b]11;rgb:f/f/f\x1b\\X": 16,
		"\x1b]4;1": -1, "\x1b]4;1;": -1, "\x1b]4;1;rgb:": -1, "\x1b]a": 2, "\x1b]11 ": 4, "\x1b]11;rgb:ff/hello": 12,
	} {
		length, ends := terminal.Sequence(text)
		if ends != (want >= 0) || ends && length != want {
			t.Errorf("%q: %d, %v, want %d", text, length, ends, want)
		}
	}
}
