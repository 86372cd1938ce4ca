package attach

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// TextError means that data is not text.
type TextError struct {
	Name   string // of the file, or "standard input"
	Offset int    // in bytes
	What   string
	Format string // of an image, a recording or a document, such as "an image (PNG)", or ""
}

func (e *TextError) Error() string {
	if e.Format != "" {
		return fmt.Sprintf("%s is %s: the service takes text", e.Name, e.Format)
	}
	return fmt.Sprintf("%s is not text: %s at byte %d", e.Name, e.What, e.Offset)
}

// Failure implements failure.Explainer.
func (e *TextError) Failure() failure.Failure {
	hint := failure.Plain("convert it to UTF-8, or leave it out")
	switch {
	case e.Format == pdf:
		hint = failure.Hintf("extract its text: pdftotext %s - | hobnob chat …", shell.Quote(e.Name))
	case e.Format != "":
		hint = failure.Plain("describe it in words, or leave it out")
	}
	return failure.Failure{Kind: failure.Usage, Hint: hint}
}

const pdf = "a PDF document"

// formatOf returns the format of data that is not text, by its content, or "".
func formatOf(data []byte) string {
	kind, format, _ := strings.Cut(http.DetectContentType(data), "/")
	format, _, _ = strings.Cut(format, ";")
	format = strings.ToUpper(strings.TrimPrefix(format, "x-"))
	switch {
	case format == "PDF":
		return pdf
	case kind == "image":
		return "an image (" + format + ")"
	case kind == "audio", kind == "video", format == "OGG":
		return "a recording (" + format + ")"
	}
	return ""
}

// Text returns data as UTF-8. It drops a byte order mark and decodes UTF-16. The error is
// a *TextError.
func Text(name string, data []byte) (string, error) {
	text, err := decode(data)
	if err == nil && !bytes.HasPrefix(data, []byte("%PDF-")) {
		return text, nil
	}
	if err == nil {
		err = &TextError{}
	}
	err.Name, err.Format = name, formatOf(data)
	return "", err
}

func decode(data []byte) (string, *TextError) {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		data = data[3:]
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return decodeUTF16(data, binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return decodeUTF16(data, binary.BigEndian)
	}
	text := string(data)
	return text, check(text)
}

func decodeUTF16(data []byte, order binary.ByteOrder) (string, *TextError) {
	if len(data)%2 != 0 {
		return "", &TextError{Offset: len(data) - 1, What: "half a UTF-16 character"}
	}
	var units []uint16
	for unit := range slices.Chunk(data[2:], 2) {
		units = append(units, order.Uint16(unit))
	}
	at, text := 0, utf16.Decode(units)
	for _, r := range text {
		if r == unicode.ReplacementChar && units[at] != unicode.ReplacementChar {
			return "", &TextError{Offset: 2 + 2*at, What: "an unpaired UTF-16 surrogate"}
		}
		at += utf16.RuneLen(r)
	}
	return string(text), check(string(text))
}

func check(text string) *TextError {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return &TextError{Offset: i, What: "a NUL byte"}
	}
	if i := strings.IndexByte(strings.ToValidUTF8(text, "\x00"), 0); i >= 0 {
		return &TextError{Offset: i, What: "invalid UTF-8"}
	}
	return nil
}
