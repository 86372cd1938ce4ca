package markdown

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/charmbracelet/glamour/ansi"
	"github.com/muesli/termenv"
	"github.com/yuin/goldmark/ast"
	extensions "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/hobnob-cli/hobnob/internal/cells"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// blocks lays out a document. Glamour renders single blocks of text (paragraphs,
// headings, code, table fields) and the bullets and bars, without wrapping. They are
// laid out here because glamour 1.0 joins the paragraphs of a list item, wraps text
// under bullets and bars and only at spaces, and loses text in narrow tables.
type blocks struct {
	*script
	*work
	leaves     renderer.Renderer
	config     ansi.StyleConfig
	profile    termenv.Profile
	accessible bool
	columns    int // of the whole document
}

// styled returns a copy of b with another style.
func (b *blocks) styled(config ansi.StyleConfig) *blocks {
	styled := *b
	styled.config = config
	styled.leaves = renderer.NewRenderer(renderer.WithNodeRenderers(util.Prioritized(ansi.NewRenderer(ansi.Options{
		ColorProfile:     b.profile,
		Styles:           unmarked(config),
		ChromaFormatter:  formatter(b.profile),
		InlineTableLinks: true,
	}), 1)))
	return &styled
}

// within returns b for the blocks inside a block with the style inner. Empty fields
// of inner are inherited.
func (b *blocks) within(inner ansi.StylePrimitive) *blocks {
	inner.BlockPrefix, inner.BlockSuffix, inner.Prefix, inner.Suffix, inner.Format = "", "", "", "", ""
	if inner == (ansi.StylePrimitive{}) {
		return b
	}
	config := b.config
	outer := reflect.ValueOf(&config.Document.StylePrimitive).Elem()
	for field, value := range reflect.ValueOf(inner).Fields() {
		if !value.IsZero() {
			outer.FieldByIndex(field.Index).Set(value)
		}
	}
	return b.styled(config)
}

// all lays out the children of parent in width columns, separated by an empty row
// unless tight is set.
func (b *blocks) all(parent ast.Node, width int, tight bool) []cells.Row {
	var rows []cells.Row
	for node := range children(parent) {
		if b.err != nil {
			return nil
		}
		block := b.one(node, width)
		if len(block) > 0 && len(rows) > 0 && !tight {
			rows = append(rows, nil)
		}
		rows = append(rows, block...)
	}
	return rows
}

func (b *blocks) one(node ast.Node, width int) []cells.Row {
	switch n := node.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return b.wrapped(b.paragraph(n), width)
	case *ast.Heading:
		b.resolve(n)
		return b.wrapped(n, width)
	case *ast.Blockquote:
		return b.quote(n, width)
	case *ast.List:
		return b.all(n, width, n.IsTight)
	case *ast.ListItem:
		list := n.Parent().(*ast.List)
		like := ast.NewList(list.Marker)
		like.Start = list.Start
		list.Start++ // for the next item
		return b.item(n, like, ast.NewListItem(0), width, list.IsTight)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return b.code(n, width)
	case *ast.HTMLBlock:
		text := string(n.Lines().Value(b.source))
		if n.HasClosure() {
			text += string(n.ClosureLine.Value(b.source))
		}
		return b.shown(text, width)
	case *ast.ThematicBreak:
		if b.accessible {
			return nil
		}
		return b.wrapped(n, width)
	case *extensions.Table:
		return b.table(n, width)
	case *extensions.DefinitionTerm:
		inner := b.within(b.config.DefinitionTerm)
		return inner.wrapped(inner.paragraph(n), width)
	case *extensions.DefinitionDescription:
		return b.item(n, extensions.NewDefinitionList(0, nil), extensions.NewDefinitionDescription(), width, true)
	case *extensions.DefinitionList:
		return b.all(n, width, true)
	default:
		return b.all(n, width, false)
	}
}

// leaf renders one block with glamour.
func (b *blocks) leaf(node ast.Node) []cells.Row {
	if b.over() {
		return nil
	}
	document := ast.NewDocument()
	document.AppendChild(document, node)
	var out bytes.Buffer
	b.err = b.leaves.Render(&out, b.source, document)
	return b.rows(out.String())
}

// rows splits the output of glamour into rows. It removes unsafe sequences and
// restores the characters replaced by hide.
func (b *blocks) rows(rendered string) []cells.Row {
	if b.err != nil {
		return nil
	}
	return cells.ParseLines(reveal.Replace(terminal.FilterRendered(rendered, b.profile != termenv.Ascii)))
}

func (b *blocks) wrapped(node ast.Node, width int) []cells.Row {
	var rows []cells.Row
	for _, line := range b.leaf(node) {
		rows = append(rows, line.Wrap(width)...)
	}
	return rows
}

// paragraph moves the inline nodes of a block to a paragraph for glamour.
func (b *blocks) paragraph(node ast.Node) *ast.Paragraph {
	paragraph := ast.NewParagraph()
	for child := range children(node) {
		paragraph.AppendChild(paragraph, child)
	}
	b.resolve(paragraph)
	return paragraph
}

// shown lays out text that is not Markdown and preserves its lines.
func (b *blocks) shown(text string, width int) []cells.Row {
	paragraph := ast.NewParagraph()
	for line := range strings.Lines(text) {
		node := b.text(strings.TrimSuffix(line, "\n"))
		node.SetHardLineBreak(true)
		paragraph.AppendChild(paragraph, node)
	}
	return b.wrapped(paragraph, width)
}

func (b *blocks) quote(n *ast.Blockquote, width int) []cells.Row {
	bar := b.marker(ast.NewBlockquote(), ast.NewParagraph())
	inner := b.within(b.config.BlockQuote.StylePrimitive)
	if b.cramped(width, bar) {
		return inner.all(n, width, false)
	}
	return cells.Prefix(bar, bar, inner.all(n, width-bar.Columns(), false))
}

// item lays out an item after its marker, which glamour renders for like, an empty
// item of list.
func (b *blocks) item(item, list, like ast.Node, width int, tight bool) []cells.Row {
	text := ast.NewTextBlock()
	if block := item.FirstChild(); block != nil {
		if box, ok := block.FirstChild().(*extensions.TaskCheckBox); ok {
			text.AppendChild(text, box)
		}
	}
	first := b.marker(list, like, text)
	if b.cramped(width, first) {
		return append([]cells.Row{first}, b.all(item, width, tight)...)
	}
	rows := b.all(item, width-first.Columns(), tight)
	if len(rows) == 0 {
		rows = []cells.Row{nil}
	}
	return cells.Prefix(first, cells.Blanks(first.Columns()), rows)
}

// marker nests the blocks, each in the previous one, and returns what glamour renders
// before the text of the innermost one.
func (b *blocks) marker(nested ...ast.Node) cells.Row {
	for i, node := range append(nested[1:], b.text(mark)) {
		nested[i].AppendChild(nested[i], node)
	}
	return beforeMark(b.leaf(nested[0]))
}

// beforeMark returns the part of a row before mark.
func beforeMark(rows []cells.Row) cells.Row {
	for _, row := range rows {
		if at := slices.IndexFunc(row, func(c cells.Cell) bool { return c.Text == mark }); at >= 0 {
			return row[:at]
		}
	}
	return nil
}

// cramped reports whether a marker leaves too little of width for the text.
func (b *blocks) cramped(width int, marker cells.Row) bool {
	return width-marker.Columns() < max(1, b.columns/3)
}
