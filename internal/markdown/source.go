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

	// maxNesting limits the depth of a document. Glamour 1.0 takes 14 KiB of stack for
	// each level of emphasis, and Go ends the process at 1 GiB.
	maxNesting = 100

	// mark is a text that only this package writes, to find a place again.
	mark = "\ufdd3"

	// verbatimURL begins a destination that glamour shows unchanged: it parses URLs,
	// drops those that it cannot parse and resolves the others.
	verbatimURL = "x:" + mark
)

var (
	errUnrenderable = errors.New("nested too deeply or too intricate to render")
	entityPattern   = regexp.MustCompile(`&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);?`)

	// hide replaces characters with a meaning to glamour by noncharacters: & begins an
	// entity, \ an escape, and glamour cuts URLs at #. reveal undoes it.
	hide            = strings.NewReplacer("&", "\ufdd0", `\`, "\ufdd1", "#", "\ufdd2")
	reveal          = strings.NewReplacer("\ufdd0", "&", "\ufdd1", `\`, "\ufdd2", "#", verbatimURL, "", "\t", strings.Repeat(" ", tabStop))
	foreignStandIns = regexp.MustCompile("[\ufdd0-\ufdd3]")
)

// parse parses clean text as Markdown, in the dialect of glamour. Tabs become spaces,
// and entities of control characters stay as written. Link reference definitions,
// which CommonMark removes from a document, stay where they are as blocks of HTML,
// which are shown verbatim. The error is errUnrenderable if the document is nested too
// deeply or over another of the bounds; the document is useless then.
func (w *work) parse(source string) (ast.Node, []byte) {
	source = foreignStandIns.ReplaceAllString(expandTabs(source), "\ufffd")
	source = entityPattern.ReplaceAllStringFunc(source, func(entity string) string {
		if strings.ContainsFunc(html.UnescapeString(entity), terminal.Unsafe) {
			return hide.Replace(entity)
		}
		return entity
	})
	source = strings.TrimSuffix(source, "\n") + "\n" // goldmark drops the info of a fence at the very end
	bounds := &bounds{work: w}
	reader := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(util.Prioritized(paragraphs{bounds}, 100)), // goldmark's own priority
	)
	goldmark.New(goldmark.WithParser(reader), goldmark.WithExtensions(extension.GFM, extension.DefinitionList))
	reader.AddOptions(bounds)
	document := reader.Parse(text.NewReader([]byte(source)))
	depth := -1 // of the document itself
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

// paragraphs parses the link reference definitions at the beginning of a paragraph
// like goldmark, and puts their lines before the paragraph.
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

// expandTabs replaces tabs by spaces up to the tab stops of CommonMark, so that the
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
