package markdown

import (
	"bytes"
	"encoding/json"
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

// blocks lays out a document. Glamour renders blocks of text (paragraphs, headings,
// code, the fields of tables) and the bullets and bars, without wrapping. Their
// layout is done here, because glamour 1.0 joins the paragraphs of a list item, wraps
// under bullets and bars and only at spaces, and loses text of narrow tables.
type blocks struct {
	*script
	leaves     renderer.Renderer
	config     ansi.StyleConfig
	profile    termenv.Profile
	accessible bool
	columns    int          // of the whole document
	stopped    func() error // returns an error if the rendering was abandoned
}

// styled returns b with another style.
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

// within returns b for the blocks inside a block with the style inner.
func (b *blocks) within(inner ansi.StylePrimitive) (*blocks, error) {
	inner.BlockPrefix, inner.BlockSuffix, inner.Prefix, inner.Suffix, inner.Format = "", "", "", "", ""
	if inner == (ansi.StylePrimitive{}) {
		return b, nil
	}
	config := b.config
	config.Document.StylePrimitive = ansi.StylePrimitive{}
	// The JSON of a style omits its empty fields, so that they are inherited.
	for _, style := range []ansi.StylePrimitive{b.config.Document.StylePrimitive, inner} {
		data, err := json.Marshal(style)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(data, &config.Document.StylePrimitive); err != nil {
			return nil, err
		}
	}
	return b.styled(config), nil
}

// all lays out the children of parent in width columns, with an empty row between
// them unless they are tight.
func (b *blocks) all(parent ast.Node, width int, tight bool) ([]cells.Row, error) {
	var rows []cells.Row
	for node := range children(parent) {
		block, err := b.one(node, width)
		if err != nil {
			return nil, err
		}
		if len(block) > 0 && len(rows) > 0 && !tight {
			rows = append(rows, nil)
		}
		rows = append(rows, block...)
	}
	return rows, nil
}

func (b *blocks) one(node ast.Node, width int) ([]cells.Row, error) {
	switch n := node.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		return b.text(n, width)
	case *ast.Heading:
		b.resolve(n)
		return b.wrapped(n, width)
	case *ast.Blockquote:
		return b.quote(n, width)
	case *ast.List:
		return b.list(n, width)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return b.code(n, width)
	case *ast.HTMLBlock:
		return b.verbatim(n, width)
	case *ast.ThematicBreak:
		if b.accessible {
			return nil, nil
		}
		return b.wrapped(n, width)
	case *extensions.Table:
		return b.table(n, width)
	case *extensions.DefinitionTerm:
		inner, err := b.within(b.config.DefinitionTerm)
		if err != nil {
			return nil, err
		}
		return inner.text(n, width)
	case *extensions.DefinitionDescription:
		return b.item(n, extensions.NewDefinitionList(0, nil), width, true)
	case *extensions.DefinitionList:
		return b.all(n, width, true)
	default:
		return b.all(n, width, false)
	}
}

// leaf lets glamour render one block.
func (b *blocks) leaf(node ast.Node) ([]cells.Row, error) {
	if err := b.stopped(); err != nil {
		return nil, err
	}
	document := ast.NewDocument()
	document.AppendChild(document, node)
	var out bytes.Buffer
	if err := b.leaves.Render(&out, b.source, document); err != nil {
		return nil, err
	}
	return b.rows(out.String()), nil
}

// rows splits what glamour rendered into rows, safe to show and without
// stand-ins.
func (b *blocks) rows(rendered string) []cells.Row {
	return cells.ParseLines(reveal.Replace(terminal.FilterRendered(rendered, b.profile != termenv.Ascii)))
}

func (b *blocks) wrapped(node ast.Node, width int) ([]cells.Row, error) {
	lines, err := b.leaf(node)
	var rows []cells.Row
	for _, line := range lines {
		rows = append(rows, line.Wrap(width)...)
	}
	return rows, err
}

// text lays out the inline nodes of a block as a paragraph.
func (b *blocks) text(node ast.Node, width int) ([]cells.Row, error) {
	paragraph := ast.NewParagraph()
	adopt(paragraph, node)
	b.resolve(paragraph)
	return b.wrapped(paragraph, width)
}

// shown lays out text that is not Markdown, without joining its lines.
func (b *blocks) shown(text string, width int) ([]cells.Row, error) {
	paragraph := ast.NewParagraph()
	for line := range strings.Lines(text) {
		node := b.script.text(strings.TrimSuffix(line, "\n"))
		node.SetHardLineBreak(true)
		paragraph.AppendChild(paragraph, node)
	}
	return b.wrapped(paragraph, width)
}

func (b *blocks) verbatim(n *ast.HTMLBlock, width int) ([]cells.Row, error) {
	text := string(n.Lines().Value(b.source))
	if n.HasClosure() {
		text += string(n.ClosureLine.Value(b.source))
	}
	return b.shown(text, width)
}

func (b *blocks) quote(n *ast.Blockquote, width int) ([]cells.Row, error) {
	bar, err := b.marker(ast.NewBlockquote())
	if err != nil {
		return nil, err
	}
	inner, err := b.within(b.config.BlockQuote.StylePrimitive)
	if err != nil {
		return nil, err
	}
	if b.cramped(width, bar) {
		return inner.all(n, width, false)
	}
	rows, err := inner.all(n, width-bar.Columns(), false)
	return cells.Prefix(bar, bar, rows), err
}

func (b *blocks) list(n *ast.List, width int) ([]cells.Row, error) {
	var rows []cells.Row
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		list := ast.NewList(n.Marker)
		list.Start = number
		block, err := b.item(item, list, width, n.IsTight)
		if err != nil {
			return nil, err
		}
		if len(rows) > 0 && !n.IsTight {
			rows = append(rows, nil)
		}
		rows = append(rows, block...)
		number++
	}
	return rows, nil
}

// item lays out an item after the marker that glamour gives it in list.
func (b *blocks) item(item, list ast.Node, width int, tight bool) ([]cells.Row, error) {
	var like ast.Node = ast.NewListItem(0)
	if _, ok := item.(*extensions.DefinitionDescription); ok {
		like = extensions.NewDefinitionDescription()
	}
	list.AppendChild(list, like)
	var content []ast.Node
	if box := checkBox(item); box != nil {
		box.Parent().RemoveChild(box.Parent(), box)
		content = append(content, box)
	}
	first, err := b.marker(list, content...)
	if err != nil {
		return nil, err
	}
	if b.cramped(width, first) {
		rows, err := b.all(item, width, tight)
		return append([]cells.Row{first}, rows...), err
	}
	rows, err := b.all(item, width-first.Columns(), tight)
	if len(rows) == 0 {
		rows = []cells.Row{nil}
	}
	return cells.Prefix(first, cells.Blanks(first.Columns()), rows), err
}

// checkBox returns the box that an item of a task list begins with.
func checkBox(item ast.Node) ast.Node {
	if block := item.FirstChild(); block != nil {
		if box, ok := block.FirstChild().(*extensions.TaskCheckBox); ok {
			return box
		}
	}
	return nil
}

// marker returns what glamour puts before the text of the innermost block of
// container.
func (b *blocks) marker(container ast.Node, content ...ast.Node) (cells.Row, error) {
	inner := container
	for inner.FirstChild() != nil {
		inner = inner.FirstChild()
	}
	var block ast.Node = ast.NewTextBlock()
	if container.Kind() == ast.KindBlockquote {
		block = ast.NewParagraph()
	}
	for _, node := range append(content, b.script.text(mark)) {
		block.AppendChild(block, node)
	}
	inner.AppendChild(inner, block)
	rows, err := b.leaf(container)
	return beforeMark(rows), err
}

// beforeMark returns what is before mark in its row.
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
