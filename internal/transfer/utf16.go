package transfer

import (
	"bufio"
	"io"

	"golang.org/x/text/encoding/unicode"
)

// FromUTF16 returns the text in r as UTF-8 if a byte order mark says that it is
// UTF-16, and r as it is if not. What is no character becomes U+FFFD.
func FromUTF16(r *bufio.Reader) (text io.Reader, was16 bool) {
	head, _ := r.Peek(2) // an error comes again when r is read
	if mark := string(head); mark != "\xff\xfe" && mark != "\xfe\xff" {
		return r, false
	}
	return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(r), true
}
