package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxPairs bounds the pairs of things that goldmark compares, each with all of
	// its kind, where nothing can interrupt it: the delimiters of a block, link
	// reference definitions and the lines of their paragraph, and escaped pipes in
	// tables. 10,000 of them in one place are just within, hundreds in each of many
	// paragraphs count little; they take about a tenth of a second.
	maxPairs = 50_000_000

	// maxTableCells bounds the cells of a document's tables. A row without cells
	// gets as many as the header has.
	maxTableCells = 100_000
)

// bounds keeps the reading of a document short, of which goldmark knows nothing:
// it is an option of a parser that makes all of its parts end at once when the
// document is over one of the bounds or stopped tells that nobody waits for it.
// What is read then is not the document; err says why.
type bounds struct {
	stopped func() error
	err     error

	block      ast.Node // that was read last
	delimiters int      // in block
	pairs      int
	cells      int // of tables
	pipes      int // in tables, escaped
}

// over tells whether to end.
func (b *bounds) over() bool {
	if b.err == nil {
		b.err = b.stopped()
	}
	return b.err != nil
}

// SetParserOption comes after all parsers that config gets.
func (b *bounds) SetParserOption(config *parser.Config) {
	for i, part := range config.BlockParsers {
		if inner, ok := part.Value.(parser.BlockParser); ok {
			config.BlockParsers[i].Value = boundBlocks{inner, b}
		}
	}
	for i, part := range config.InlineParsers {
		if inner, ok := part.Value.(parser.InlineParser); ok {
			config.InlineParsers[i].Value = boundInlines{inner, b}
		}
	}
	for i, part := range config.ParagraphTransformers {
		if inner, ok := part.Value.(parser.ParagraphTransformer); ok {
			config.ParagraphTransformers[i].Value = boundParagraphs{inner, b}
		}
	}
}

// boundBlocks opens no block that would be nested too deeply: goldmark goes
// through all that are open at each line.
type boundBlocks struct {
	parser.BlockParser
	*bounds
}

func (b boundBlocks) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if b.over() {
		return nil, parser.NoChildren
	}
	node, state := b.BlockParser.Open(parent, reader, pc)
	if node != nil && state&parser.HasChildren != 0 && depthOf(parent) >= maxNesting {
		b.err = errUnrenderable
		return nil, parser.NoChildren
	}
	return node, state
}

func (b boundBlocks) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	if b.over() {
		return parser.Close
	}
	return b.BlockParser.Continue(node, reader, pc)
}

func depthOf(node ast.Node) int {
	depth := 0
	for ; node != nil; node = node.Parent() {
		depth++
	}
	return depth
}

// boundInlines counts the delimiters of each block.
type boundInlines struct {
	parser.InlineParser
	*bounds
}

func (b boundInlines) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if b.over() {
		for line, _ := block.PeekLine(); line != nil; line, _ = block.PeekLine() {
			block.AdvanceLine()
		}
		return ast.NewText()
	}
	node := b.InlineParser.Parse(parent, block, pc)
	if _, ok := node.(*parser.Delimiter); ok {
		if b.block != parent {
			b.block, b.delimiters = parent, 0
		}
		b.pairs += b.delimiters
		b.delimiters++
		if b.pairs > maxPairs {
			b.err = errUnrenderable
		}
	}
	return node
}

func (b boundInlines) CloseBlock(parent ast.Node, block text.Reader, pc parser.Context) {
	if inner, ok := b.InlineParser.(parser.CloseBlocker); ok {
		inner.CloseBlock(parent, block, pc)
	}
}

// boundParagraphs transforms nothing when it is over, so that tables are
// counted before goldmark makes their cells.
type boundParagraphs struct {
	parser.ParagraphTransformer
	*bounds
}

func (b boundParagraphs) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	if !b.over() {
		b.ParagraphTransformer.Transform(node, reader, pc)
	}
}

// counting counts what the lines of a paragraph would be as definitions and as a
// table, and comes before the transformers that make them so.
type counting struct{ *bounds }

func (c counting) Transform(node *ast.Paragraph, reader text.Reader, _ parser.Context) {
	lines := node.Lines()
	definitions, columns := 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		line := util.TrimLeftSpace(util.TrimRightSpace(segment.Value(reader.Source())))
		if bytes.HasPrefix(line, []byte("[")) {
			definitions++
		}
		switch {
		case columns > 0:
			escaped := bytes.Count(line, []byte(`\|`))
			c.pairs += escaped * (c.pipes + escaped/2)
			c.pipes += escaped
			c.cells += columns
		case i > 0 && isTableDelimiter(line):
			columns = bytes.Count(line, []byte("|")) + 1
			c.cells += columns
		}
	}
	c.pairs += definitions * lines.Len() / 2
	if c.cells > maxTableCells || c.pairs > maxPairs {
		c.err = errUnrenderable
	}
}

// isTableDelimiter tells a line that may be what is between the header and the
// rows of a table.
func isTableDelimiter(line []byte) bool {
	return bytes.Contains(line, []byte("-")) && len(bytes.Trim(line, "-:| ")) == 0
}
