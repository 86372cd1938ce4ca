package markdown

import (
	"cmp"
	"errors"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

const (
	tabStop = 4 // columns; CommonMark 2.2

	// maxNesting limits the depth of a document. Glamour 1.0 uses 14 KiB of stack per
	// level of emphasis, and Go ends a process whose stack exceeds 1 GiB.
	maxNesting = 100

	// mark marks a position in rendered text. Input cannot contain it.
	mark = "\ufdd3"

	// verbatimURL is a prefix for destinations that glamour shows unchanged. It
	// parses other URLs, drops those that it cannot parse and resolves the rest.
	verbatimURL = "x:" + mark
)

var (
	errUnrenderable = errors.New("nested too deeply or too complex to render")
	entityPattern   = regexp.MustCompile(`&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);?`)

	// hide replaces characters that are special to glamour with noncharacters: &
	// begins an entity, \ an escape, and glamour cuts URLs at #. reveal reverses it.
	hide     = strings.NewReplacer("&", "\ufdd0", `\`, "\ufdd1", "#", "\ufdd2")
	reveal   = strings.NewReplacer("\ufdd0", "&", "\ufdd1", `\`, "\ufdd2", "#", verbatimURL, "", "\t", strings.Repeat(" ", tabStop))
	reserved = regexp.MustCompile("[\ufdd0-\ufdd3]")
)

// parse parses clean text as Markdown in glamour's dialect. Tabs become spaces, and
// entities for control characters stay as written. Link reference definitions, which
// CommonMark removes from a document, stay in place as HTML blocks, which are shown
// verbatim. If the document is nested too deeply or exceeds another limit, the error
// of w is errUnrenderable and the document is useless.
func (w *work) parse(source string) (ast.Node, []byte) {
	source = reserved.ReplaceAllString(expandTabs(source), "\ufffd")
	source = entityPattern.ReplaceAllStringFunc(source, func(entity string) string {
		if strings.ContainsFunc(html.UnescapeString(entity), terminal.Unsafe) {
			return hide.Replace(entity)
		}
		return entity
	})
	source = strings.TrimSuffix(source, "\n") + "\n" // goldmark drops the info string of a fence at the very end
	bounds := &bounds{work: w}
	reader := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(paragraphs{bounds}, 100)), // goldmark's own priority
	)
	goldmark.New(goldmark.WithParser(reader), goldmark.WithExtensions(extension.GFM, extension.DefinitionList))
	reader.AddOptions(bounds)
	document := reader.Parse(text.NewReader([]byte(source)))
	depth := -1 // the document itself has depth 0
	w.err = cmp.Or(w.err, ast.Walk(document, func(_ ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			depth--
		} else if depth++; depth > maxNesting {
			return ast.WalkStop, errUnrenderable
		}
		return ast.WalkContinue, nil
	}))
	return document, []byte(source)
}

// paragraphs parses the link reference definitions at the beginning of a paragraph as
// goldmark does, but preserves their lines in a block before the paragraph.
type paragraphs struct{ *bounds }

func (p paragraphs) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	parent, next := node.Parent(), node.NextSibling()
	if p.over() || p.exceeded(node.Lines(), reader.Source()) {
		parent.RemoveChild(parent, node) // before goldmark creates the cells of a table
		return
	}
	before := slices.Clone(node.Lines().Sliced(0, node.Lines().Len()))
	parser.LinkReferenceParagraphTransformer.Transform(node, reader, pc)
	left := 0
	if node.Parent() != nil {
		left, next = node.Lines().Len(), node
	}
	if left >= len(before) || parent == nil {
		return
	}
	definitions := ast.NewHTMLBlock(ast.HTMLBlockType7)
	for _, line := range before[:len(before)-left] {
		definitions.Lines().Append(line)
	}
	parent.InsertBefore(parent, next, definitions)
}

// expandTabs replaces tabs with spaces up to the tab stops of CommonMark, so that the
// width of code is known.
func expandTabs(source string) string {
	var b strings.Builder
	column := 0
	for _, r := range source {
		switch r {
		case '\t':
			spaces := tabStop - column%tabStop
			b.WriteString(strings.Repeat(" ", spaces))
			column += spaces
		case '\n':
			b.WriteRune(r)
			column = 0
		default:
			b.WriteRune(r)
			column++
		}
	}
	return b.String()
}
