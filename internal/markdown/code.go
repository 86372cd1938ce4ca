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

// code lays out a code block below the info string of its fence. Without colour the
// info string is in brackets, and the style indents the code to show where it begins
// and ends. Screen readers do not read indentation, so for them words mark the
// beginning and the end.
func (b *blocks) code(node ast.Node, width int) []cells.Row {
	info := ""
	if fenced, ok := node.(*ast.FencedCodeBlock); ok && fenced.Info != nil {
		info = b.unescape(fenced.Info.Value(b.source))
	}
	language, _, _ := strings.Cut(info, " ")
	before, after := info, ""
	switch {
	case b.accessible && info == "":
		before, after = "code:", "end of code"
	case b.accessible:
		before, after = "code ("+info+"):", "end of code"
	case b.profile == termenv.Ascii:
		before = "[" + cmp.Or(info, "code") + "]"
	}
	label := b.within(b.config.CodeBlock.StylePrimitive)
	var rows []cells.Row
	if before != "" {
		rows = label.shown(before, width)
	}
	for _, line := range b.codeLines(string(node.Lines().Value(b.source)), language) {
		rows = append(rows, line.WrapVerbatim(width)...)
	}
	if after != "" {
		rows = append(rows, label.shown(after, width)...)
	}
	return rows
}

// codeLines returns code highlighted for its language.
func (b *blocks) codeLines(code, language string) []cells.Row {
	theme := b.config.CodeBlock.Theme
	if b.config.CodeBlock.Chroma != nil && b.profile != termenv.Ascii {
		theme = "charm" // glamour registers the colours under this name when it first renders code
	}
	if theme == "" {
		return b.codeLeaf(code, "")
	}
	// Glamour cannot be stopped while a slow lexer runs.
	indent := beforeMark(b.codeLeaf(mark, "text"))
	return cells.Prefix(indent, indent, b.rows(b.highlight(code, language, theme)))
}

// codeLeaf renders a code block with glamour.
func (b *blocks) codeLeaf(code, language string) []cells.Row {
	block := ast.NewFencedCodeBlock(b.text(language))
	block.Lines().Append(b.add(code))
	return b.leaf(block)
}

// highlight is like chroma's quick.Highlight, which glamour uses, but can be stopped:
// some lexers take quadratic time.
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
