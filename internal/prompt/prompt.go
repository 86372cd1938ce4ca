// Package prompt builds the text of a question from words, files, standard input, a
// template and the editor. It reads only what the user named and refuses data that is
// not text. It does not depend on flags or the service.
package prompt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// ErrEmpty is the error of a prompt without text.
var ErrEmpty error = failure.Usagef(`pass a question: hobnob chat "how do I …?"`, "the prompt is empty")

// Parts are the parts of a question.
type Parts struct {
	Words []string // arguments
	Files []File
	Stdin []byte // nil if not read
}

// File is a file attached to a question.
type File struct {
	Name string // from the user; untrusted
	Data []byte
}

// TextError means that data is not text.
type TextError struct {
	Name   string // of the file, or "standard input"
	Offset int    // in bytes
	What   string
}

func (e *TextError) Error() string {
	return fmt.Sprintf("%s is not text: %s at byte %d", e.Name, e.What, e.Offset)
}

// Failure implements failure.Explainer.
func (e *TextError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Usage, Hint: failure.Plain("convert it to UTF-8, or leave it out")}
}

// Assemble returns the words joined by spaces, each file as a named fenced block, and
// standard input without its last newline, separated by blank lines. It drops byte order
// marks and decodes UTF-16. The error is a *TextError, ErrEmpty, or that of a prompt
// over 10 MiB.
func (p Parts) Assemble() (string, error) {
	words := strings.Join(p.Words, " ")
	if err := checkText("the prompt", words); err != nil {
		return "", err
	}
	texts := []string{words}
	for _, file := range p.Files {
		text, err := decode(file.Name, file.Data)
		if err != nil {
			return "", err
		}
		texts = append(texts, fenced(file.Name, text))
	}
	text, err := decode("standard input", p.Stdin)
	if err != nil {
		return "", err
	}
	texts = append(texts, strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r"))
	texts = slices.DeleteFunc(texts, func(text string) bool { return strings.TrimSpace(text) == "" })
	if len(texts) == 0 {
		return "", ErrEmpty
	}
	prompt := strings.Join(texts, "\n\n")
	if len(prompt) > api.MaxPrompt {
		return "", fmt.Errorf("the prompt has %d bytes, more than the limit of %d MiB", len(prompt), api.MaxPrompt>>20)
	}
	return prompt, nil
}

// decode returns data as UTF-8 without a byte order mark.
func decode(name string, data []byte) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		data = data[3:]
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return decodeUTF16(name, data, binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return decodeUTF16(name, data, binary.BigEndian)
	}
	text := string(data)
	return text, checkText(name, text)
}

func decodeUTF16(name string, data []byte, order binary.ByteOrder) (string, error) {
	if len(data)%2 != 0 {
		return "", &TextError{Name: name, Offset: len(data) - 1, What: "half a UTF-16 character"}
	}
	var units []uint16
	for unit := range slices.Chunk(data[2:], 2) {
		units = append(units, order.Uint16(unit))
	}
	at, text := 0, utf16.Decode(units)
	for _, r := range text {
		if r == unicode.ReplacementChar && units[at] != unicode.ReplacementChar {
			return "", &TextError{Name: name, Offset: 2 + 2*at, What: "an unpaired UTF-16 surrogate"}
		}
		at += utf16.RuneLen(r)
	}
	return string(text), checkText(name, string(text))
}

func checkText(name, text string) error {
	if i := strings.IndexByte(text, 0); i >= 0 {
		return &TextError{Name: name, Offset: i, What: "a NUL byte"}
	}
	if i := strings.IndexByte(strings.ToValidUTF8(text, "\x00"), 0); i >= 0 {
		return &TextError{Name: name, Offset: i, What: "invalid UTF-8"}
	}
	return nil
}

// fenced returns a Markdown code block after the name of its file. The fence is longer
// than any in the text, so that the text cannot close it.
func fenced(name, text string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError || r == '`' }) {
		name = strconv.QuoteToASCII(name)
	}
	longest := 2
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return name + "\n" + fence + language(name) + "\n" + text + fence
}

// language returns the info string for a file: its extension if it is a simple word,
// otherwise "".
func language(name string) string {
	ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(name)), ".")
	if len(ext) > 12 || strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return ""
	}
	return ext
}
