// Package codeblock finds the fenced code blocks of a Markdown document. It renders
// nothing.
package codeblock

import (
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Find returns the first fenced code block or, with a language, the first one of
// that language, ignoring case. If there is no block of the language sh, it returns the
// first one for another shell, as commands often have the name of one. The code is the
// bytes between the fences without the indentation that CommonMark removes; each line
// has its line ending. A block that is not closed ends with the text. Languages lists
// the language of each block in order, "" for a block without one.
func Find(markdown, language string) (code string, found bool, languages []string) {
	if NestsDeep(markdown) {
		return "", false, nil // slow to parse; real replies do not nest like this
	}
	// Parse blocks only: parsing inlines is slow and finds no fences.
	blocks := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	source := []byte(markdown)
	other, hasOther := "", false
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
		switch {
		case !found && (language == "" || strings.EqualFold(name, language)):
			code, found = string(block.Lines().Value(source)), true
		case !hasOther && strings.EqualFold(language, "sh") && IsShell(name):
			other, hasOther = string(block.Lines().Value(source)), true
		}
		return ast.WalkContinue, nil
	})
	if !found {
		code, found = other, hasOther
	}
	return code, found, languages
}

// IsShell reports whether a language is that of commands for a shell.
func IsShell(language string) bool {
	return slices.Contains([]string{"sh", "bash", "shell", "zsh", "fish"}, strings.ToLower(language))
}

// languageOf returns the language of an info string: its first word, bare or in the
// forms of Pandoc and R Markdown: go, python title="x", {.python #id},
// {r, echo=FALSE}, ts:main.ts.
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

// maxNesting is the maximum number of bytes of quote and list markers that begin a line.
const maxNesting = 200

// NestsDeep reports whether a line of Markdown opens so many nested quotes and lists
// that goldmark would take minutes to parse it.
func NestsDeep(markdown string) bool {
	for line := range strings.Lines(markdown) {
		if markersEnd(line) > maxNesting {
			return true
		}
	}
	return false
}

// markersEnd returns the end of the quote and list markers that begin a line. It stops
// soon after maxNesting.
func markersEnd(line string) (end int) {
	for end <= maxNesting {
		marker := strings.TrimLeft(line[end:], " \t")
		start := len(line) - len(marker)
		switch number := strings.TrimLeft(marker, "0123456789"); {
		case strings.HasPrefix(marker, ">"):
			end = start + 1
		case len(number) < len(marker) && len(marker)-len(number) <= 9 && isMarker(number, ".)"), isMarker(marker, "-+*"):
			end = len(line) - len(number) + 2
		default:
			return end
		}
	}
	return end
}

// isMarker reports whether text begins with one of these characters and a space or tab.
func isMarker(text, characters string) bool {
	return len(text) > 1 && strings.IndexByte(characters, text[0]) >= 0 && (text[1] == ' ' || text[1] == '\t')
}

// languages are names that blocks of code commonly have, and common short forms.
const languages = `
	asm awk bash bat batch c c# c++ clojure cmake cpp cs csharp css csv dart diff docker dockerfile elixir erlang fish fortran go golang
	graphql groovy haskell hcl html ini java javascript jq js json json5 jsonl jsx julia kotlin kt latex less lua makefile markdown matlab
	md nginx nix objective-c ocaml perl php plaintext powershell prolog proto protobuf ps1 py python python3 r racket rb rs ruby rust sass
	scala scheme scss sed sh shell solidity sql svelte svg swift tcl terraform tex toml ts tsx typescript vb vim vue wasm xml yaml yml zig zsh`

// IsLanguage reports whether a word is the usual name of a language of blocks, in
// any letter case.
func IsLanguage(word string) bool {
	return slices.Contains(strings.Fields(languages), strings.ToLower(word))
}
