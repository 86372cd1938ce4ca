package transcript

import (
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Block returns the first fenced block of code in Markdown, or with a language
// the first of that language, in any case of letters. The
// code is byte for byte what stands between the fences, less the indentation that
// CommonMark takes away, each line with its end; a block whose fence is not closed
// ends with the text.
// Languages are those of all blocks in their order, "" where none is named.
func Block(markdown, language string) (code string, found bool, languages []string) {
	source := []byte(markdown)
	for _, block := range fencedBlocks(source) {
		name := ""
		if block.Info != nil {
			name = languageOf(string(block.Info.Value(source)))
		}
		languages = append(languages, name)
		if !found && (language == "" || strings.EqualFold(name, language)) {
			code, found = string(block.Lines().Value(source)), true
		}
	}
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

// fencedBlocks parses blocks alone: what is inside a line cannot hold a fence and
// is what takes the parser long. It takes long for deep nesting as well, which no
// reply has that means well.
func fencedBlocks(source []byte) []*ast.FencedCodeBlock {
	if nestsDeep(string(source)) {
		return nil
	}
	blocks := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
	var found []*ast.FencedCodeBlock
	_ = ast.Walk(blocks.Parse(text.NewReader(source)), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if block, ok := node.(*ast.FencedCodeBlock); ok && entering {
			found = append(found, block)
		}
		return ast.WalkContinue, nil
	})
	return found
}

func nestsDeep(markdown string) bool {
	for line := range strings.Lines(markdown) {
		if len(nesting.FindString(line)) > maxNesting {
			return true
		}
	}
	return false
}
