// Package prompt builds the text of a question from words, files, standard input, a
// template and the editor. It reads only what the user named and refuses data that is
// not text. It does not depend on flags or the service.
package prompt

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/attach"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// ErrEmpty is the error of a prompt without text.
var ErrEmpty error = failure.Usagef(`pass a question: hobnob chat "how do I …?"`, "the prompt is empty")

// Parts are the parts of a question.
type Parts struct {
	Words []string // arguments
	Files []attach.File
	Stdin []byte // nil if not read
}

// Assemble returns the words joined by spaces, each file as a named fenced block, and
// standard input without its last newline, separated by blank lines. It drops byte order
// marks and decodes UTF-16. The error is an *attach.TextError, ErrEmpty, or that of a prompt
// over 10 MiB.
func (p Parts) Assemble() (string, error) {
	words := strings.Join(p.Words, " ")
	if _, err := attach.Text("the prompt", []byte(words)); err != nil {
		return "", err
	}
	texts := []string{words}
	for _, file := range p.Files {
		text, err := attach.Text(file.Name, file.Data)
		if err != nil {
			return "", err
		}
		texts = append(texts, fenced(file.Name, text))
	}
	text, err := attach.Text("standard input", p.Stdin)
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
	if attach.IsURL(name) || len(ext) > 12 || strings.Trim(ext, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return ""
	}
	return ext
}
