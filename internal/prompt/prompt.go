// Package prompt makes the text of a question: from words, files, standard input,
// a template and the editor. It reads what the user named and nothing else, and
// what is not text it refuses. It knows neither flags nor the service.
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

// ErrNothingToSay says that a prompt has no text.
var ErrNothingToSay error = failure.Usagef(`ask like this: hobnob chat "how do I …?"`, "there is nothing to ask")

// Parts are what a question is made of.
type Parts struct {
	Words []string // arguments
	Files []File
	Stdin []byte // as read; nil when there is none
}

// File is a file that goes with a question.
type File struct {
	Name string // as the user gave it; hostile
	Data []byte
}

// TextError says that data is not text.
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
	return failure.Failure{Kind: failure.Usage, Hint: failure.Plain("send text: convert it to UTF-8, or leave it out")}
}

// Assemble joins the words by spaces, then each file as a named fenced block,
// then standard input without its last newline, with a blank line between. A
// byte order mark is dropped and UTF-16 decoded. Errors are *TextError,
// ErrNothingToSay, and one for a prompt over 10 MiB.
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
		return "", ErrNothingToSay
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

// fenced is a Markdown code block under the name of its file; the fence is
// longer than any in the text, so that the text cannot end it.
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

// language is the info string of a file's block: its extension, if that is a plain word.
func language(name string) string {
	ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(name)), ".")
	if len(ext) > 12 || strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return ""
	}
	return ext
}
