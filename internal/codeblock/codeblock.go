// Package codeblock finds the fenced blocks of code in Markdown, for those who want
// the code and not the document. It renders nothing, and it is a leaf: it imports
// nothing of hobnob.
package codeblock

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Find returns the first fenced block of code in Markdown or, with a language, the
// first of that language in any letter case. The code is byte for byte what is
// between the fences, less the indentation that CommonMark removes, each line with
// its end; a block whose fence is not closed ends with the text. Languages are those
// of all blocks in their order, "" where none is named.
func Find(markdown, language string) (code string, found bool, languages []string) {
	if NestsDeep(markdown) {
		return "", false, nil // slow to parse, and no honest reply
	}
	// Blocks alone: parsing inlines is slow and finds no fences.
	blocks := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	source := []byte(markdown)
	_ = ast.Walk(blocks.Parse(text.NewReader(source)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		block, ok := node.(*ast.FencedCodeBlock)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		name := ""
		if block.Info != nil {
			name = languageOf(string(block.Info.Value(source)))
		}
		languages = append(languages, name)
		if !found && (language == "" || strings.EqualFold(name, language)) {
			code, found = string(block.Lines().Value(source)), true
		}
		return ast.WalkContinue, nil
	})
	return code, found, languages
}

// languageOf is the language of an info string: its first word, bare or as Pandoc
// and R Markdown write it: go, python title="x", {.python #id}, {r, echo=FALSE},
// ts:main.ts.
func languageOf(info string) string {
	_, attributes := strings.CutPrefix(info, "{")
	for _, word := range strings.FieldsFunc(info, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("{},:", r) }) {
		switch {
		case strings.Contains(word, "="):
			return ""
		case attributes && strings.HasPrefix(word, "#"):
		case attributes:
			return strings.TrimPrefix(word, ".")
		default:
			return word
		}
	}
	return ""
}

// maxNesting bounds, in bytes, the marks of quotations and lists that begin a line.
const maxNesting = 200

// nesting matches these marks.
var nesting = regexp.MustCompile(`^(?:[ \t]*(?:>|[-+*][ \t]|[0-9]{1,9}[.)][ \t]))+`)

// NestsDeep reports whether Markdown has a line that begins so many quotations and
// lists inside each other that goldmark would take minutes to parse it.
func NestsDeep(markdown string) bool {
	for line := range strings.Lines(markdown) {
		if len(nesting.FindString(line)) > maxNesting {
			return true
		}
	}
	return false
}
