package markdown

import (
	"errors"
	"html"
	"regexp"
	"strings"
	"unicode/utf8"

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

	// maxNesting bounds the depth of a document. Glamour 1.0 takes 14 KiB of
	// stack for each level of emphasis, and Go ends the process at 1 GiB.
	maxNesting = 100

	// The noncharacters at the same place stand in for these signs while
	// glamour must not see them: & begins an entity, \ an escape, # what a URL
	// is cut at.
	signs    = `&\#`
	standIns = "\ufdd0\ufdd1\ufdd2"

	// mark is a text that only we write, to find a place again.
	mark = "\ufdd3"

	// verbatimURL makes a destination one that glamour shows as it is: it parses
	// URLs, leaves out what it cannot parse and resolves the rest.
	verbatimURL = "x:" + mark

	widthOfStandIn = len(standIns) / len(signs) // bytes
)

var (
	errUnrenderable = errors.New("nested too deeply or too intricate to render")
	entityPattern   = regexp.MustCompile(`&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z][a-zA-Z0-9]*);?`)
	foreignStandIn  = regexp.MustCompile("[" + standIns + mark + "]")
	hide            = strings.NewReplacer(pairs()...)
	reveal          = strings.NewReplacer(append([]string{verbatimURL, "", "\t", strings.Repeat(" ", tabStop)}, reversed(pairs())...)...)
)

func pairs() []string {
	var pairs []string
	for i := range len(signs) {
		pairs = append(pairs, signs[i:i+1], standIns[i*widthOfStandIn:][:widthOfStandIn])
	}
	return pairs
}

func reversed(pairs []string) []string {
	var reversed []string
	for i := 0; i < len(pairs); i += 2 {
		reversed = append(reversed, pairs[i+1], pairs[i])
	}
	return reversed
}

// parse reads clean text as Markdown, in the dialect of glamour. Tabs become
// spaces, and the entities of control characters stay as they were written.
// Link reference definitions, which CommonMark leaves out of a document, stay
// where they are as blocks of HTML, which hold text to show verbatim. A document
// nested more than maxNesting deep or over another of the bounds is an error, and
// so is what stopped gives.
func parse(source string, stopped func() error) (ast.Node, []byte, error) {
	source = foreignStandIn.ReplaceAllString(expandTabs(source), "\ufffd")
	source = entityPattern.ReplaceAllStringFunc(source, func(entity string) string {
		if strings.ContainsFunc(html.UnescapeString(entity), terminal.Unsafe) {
			return hide.Replace(entity)
		}
		return entity
	})
	if !strings.HasSuffix(source, "\n") {
		source += "\n" // goldmark loses what a fence says at the very end
	}
	bounds := &bounds{stopped: stopped}
	reader := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(
			util.Prioritized(counting{bounds}, 99),
			util.Prioritized(keepDefinitions{}, 100), // goldmark's own priority
		),
	)
	goldmark.New(goldmark.WithParser(reader), goldmark.WithExtensions(extension.GFM, extension.DefinitionList))
	reader.AddOptions(bounds)
	document := reader.Parse(text.NewReader([]byte(source)))
	if bounds.over() {
		return nil, nil, bounds.err
	}
	if deeperThan(document, maxNesting) {
		return nil, nil, errUnrenderable
	}
	return document, []byte(source), nil
}

// keepDefinitions reads the link reference definitions at the start of a
// paragraph like goldmark, and puts the lines before the paragraph.
type keepDefinitions struct{}

func (keepDefinitions) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	var before []text.Segment
	before = append(before, node.Lines().Sliced(0, node.Lines().Len())...)
	parent, next := node.Parent(), node.NextSibling()
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

// deeperThan walks without recursion, because the depth is what it measures.
func deeperThan(document ast.Node, limit int) bool {
	depth := 0
	for node := document; node != nil; {
		if child := node.FirstChild(); child != nil {
			if depth++; depth > limit {
				return true
			}
			node = child
			continue
		}
		for node != nil && node.NextSibling() == nil {
			node = node.Parent()
			depth--
		}
		if node != nil {
			node = node.NextSibling()
		}
	}
	return false
}

// expandTabs replaces tabs as CommonMark counts them, so that a code block is
// as wide as it looks.
func expandTabs(source string) string {
	if !strings.Contains(source, "\t") {
		return source
	}
	var b strings.Builder
	for line := range strings.Lines(source) {
		column := 0
		for {
			before, after, found := strings.Cut(line, "\t")
			b.WriteString(before)
			if !found {
				break
			}
			column += utf8.RuneCountInString(before)
			spaces := tabStop - column%tabStop
			b.WriteString(strings.Repeat(" ", spaces))
			column += spaces
			line = after
		}
	}
	return b.String()
}
