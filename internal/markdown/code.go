package markdown

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/muesli/termenv"
	"github.com/yuin/goldmark/ast"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

// code lays out a block of code under the info of its fence.
func (b *blocks) code(node ast.Node, width int) []cells.Row {
	var rows []cells.Row
	language := ""
	if fenced, ok := node.(*ast.FencedCodeBlock); ok && fenced.Info != nil {
		info := b.unescape(fenced.Info.Value(b.source))
		language, _, _ = strings.Cut(info, " ")
		rows = b.within(b.config.CodeBlock.StylePrimitive).shown(info, width)
	}
	for _, line := range b.codeLines(string(node.Lines().Value(b.source)), language) {
		rows = append(rows, line.WrapVerbatim(width)...)
	}
	return rows
}

// codeLines returns code in the colours of its language.
func (b *blocks) codeLines(code, language string) []cells.Row {
	theme := b.config.CodeBlock.Theme
	if b.config.CodeBlock.Chroma != nil && b.profile != termenv.Ascii {
		theme = "charm" // under which glamour registers the colours when it first renders code
	}
	if theme == "" {
		return b.codeLeaf(code, "")
	}
	// Glamour could not be stopped in a lexer that takes long.
	indent := beforeMark(b.codeLeaf(mark, "text"))
	return cells.Prefix(indent, indent, b.rows(b.highlight(code, language, theme)))
}

// codeLeaf lets glamour render a block of code.
func (b *blocks) codeLeaf(code, language string) []cells.Row {
	block := ast.NewFencedCodeBlock(b.text(language))
	block.Lines().Append(b.add(code))
	return b.leaf(block)
}

// highlight is quick.Highlight of chroma, which glamour uses, except that it can be
// stopped: some lexers take quadratic time.
func (b *blocks) highlight(code, language, theme string) string {
	var out bytes.Buffer
	if b.over() {
		return ""
	}
	lexer := lexers.Get(language)
	if lexer == nil {
		lexer = lexers.Analyse(code)
	}
	if lexer == nil {
		lexer = lexers.Fallback
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err == nil {
		err = formatters.Get(formatter(b.profile)).Format(&out, styles.Get(theme), func() chroma.Token {
			if b.over() {
				return chroma.EOF
			}
			return tokens()
		})
	}
	b.err = cmp.Or(b.err, err)
	return out.String()
}

// formatter returns the name of chroma's formatter for the colours of profile.
func formatter(profile termenv.Profile) string {
	switch profile {
	case termenv.TrueColor:
		return "terminal16m"
	case termenv.ANSI256:
		return "terminal256"
	default:
		return "terminal16"
	}
}
