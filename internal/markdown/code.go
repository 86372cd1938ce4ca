package markdown

import (
	"bytes"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/formatters"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/muesli/termenv"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

// themeOfGlamour is the name under which glamour registers a style's colours for code
// when it first renders code.
const themeOfGlamour = "charm"

// code lays out a block of code under the info of its fence.
func (b *blocks) code(node ast.Node, width int) ([]cells.Row, error) {
	var rows []cells.Row
	language := ""
	if fenced, ok := node.(*ast.FencedCodeBlock); ok && fenced.Info != nil {
		info := b.unescape(fenced.Info.Value(b.source))
		language, _, _ = strings.Cut(info, " ")
		inner, err := b.within(b.config.CodeBlock.StylePrimitive)
		if err != nil {
			return nil, err
		}
		if rows, err = inner.shown(info, width); err != nil {
			return nil, err
		}
	}
	lines, err := b.codeLines(string(node.Lines().Value(b.source)), language)
	for _, line := range lines {
		rows = append(rows, line.WrapVerbatim(width)...)
	}
	return rows, err
}

// codeLines returns code in the colours of its language.
func (b *blocks) codeLines(code, language string) ([]cells.Row, error) {
	theme := b.config.CodeBlock.Theme
	if b.config.CodeBlock.Chroma != nil && b.profile != termenv.Ascii {
		theme = themeOfGlamour
	}
	if theme == "" {
		return b.codeLeaf(hide.Replace(code), "")
	}
	// Glamour could not be stopped in a lexer that takes long.
	frame, err := b.codeLeaf(mark, "text")
	if err != nil {
		return nil, err
	}
	highlighted, err := b.highlight(code, language, theme)
	indent := beforeMark(frame)
	return cells.Prefix(indent, indent, b.rows(highlighted)), err
}

// codeLeaf lets glamour render a block of code.
func (b *blocks) codeLeaf(code, language string) ([]cells.Row, error) {
	block := ast.NewFencedCodeBlock(b.script.text(language))
	start := len(b.source)
	b.source = append(b.source, code...)
	block.Lines().Append(text.NewSegment(start, len(b.source)))
	return b.leaf(block)
}

// highlight is quick.Highlight of chroma, which glamour uses, except that it can be
// stopped: some lexers take quadratic time.
func (b *blocks) highlight(code, language, theme string) (string, error) {
	lexer := lexers.Get(language)
	if lexer == nil {
		lexer = lexers.Analyse(code)
	}
	if lexer == nil {
		lexer = lexers.Fallback
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = formatters.Get(formatter(b.profile)).Format(&out, styles.Get(theme), func() chroma.Token {
		if b.stopped() != nil {
			return chroma.EOF
		}
		return tokens()
	})
	if err == nil {
		err = b.stopped()
	}
	return out.String(), err
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
