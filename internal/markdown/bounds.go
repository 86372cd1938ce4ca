package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxPairs limits the comparisons that take goldmark quadratic time and cannot be
	// interrupted: between the delimiters of a block, between link reference
	// definitions and the lines of their paragraph, and between escaped pipes in
	// tables. 10,000 of these in one place are just within the limit and take about
	// 0.1 s; hundreds in each of many paragraphs hardly count.
	maxPairs = 50_000_000

	// maxTableCells limits the number of table cells in a document. Goldmark fills up
	// rows without cells to the width of the header.
	maxTableCells = 100_000
)

// bounds limits the time to parse a document, which goldmark itself cannot limit. It
// is a parser option: if the document exceeds a limit or the work is over, all parts
// of the parser stop at once and the result is useless.
type bounds struct {
	*work
	block      ast.Node // last one parsed
	delimiters int      // in block
	pairs      int
	cells      int // of tables
	pipes      int // escaped ones in tables
}

// SetParserOption wraps all parsers of config. bounds must be the last option.
func (b *bounds) SetParserOption(config *parser.Config) {
	for i, part := range config.BlockParsers {
		config.BlockParsers[i].Value = boundBlocks{part.Value.(parser.BlockParser), b}
	}
	for i, part := range config.InlineParsers {
		config.InlineParsers[i].Value = boundInlines{part.Value.(parser.InlineParser), b}
	}
}

// boundBlocks limits how deeply blocks are nested, because goldmark visits all open
// blocks at each line.
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

// exceeded counts the lines of a paragraph as definitions and as table rows, and
// reports whether a limit is exceeded.
func (b *bounds) exceeded(lines *text.Segments, source []byte) bool {
	definitions, columns := 0, 0
	for i := range lines.Len() {
		segment := lines.At(i)
		line := util.TrimLeftSpace(util.TrimRightSpace(segment.Value(source)))
		if bytes.HasPrefix(line, []byte("[")) {
			definitions++
		}
		switch {
		case columns > 0:
			escaped := bytes.Count(line, []byte(`\|`))
			b.pairs += escaped * (b.pipes + escaped/2)
			b.pipes += escaped
			b.cells += columns
		case i > 0 && bytes.Contains(line, []byte("-")) && len(bytes.Trim(line, "-:| ")) == 0: // below the header
			columns = bytes.Count(line, []byte("|")) + 1
			b.cells += columns
		}
	}
	b.pairs += definitions * lines.Len() / 2
	if b.cells > maxTableCells || b.pairs > maxPairs {
		b.err = errUnrenderable
	}
	return b.err != nil
}
