package terminal

import (
	"errors"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

const (
	tabStop = 4 // columns; CommonMark 2.2

	// maxNesting bounds the depth of a document. Glamour 1.0 takes 14 KiB of
	// stack for each level of emphasis, and Go ends the process at 1 GiB.
	maxNesting = 100

	// maxDefusing bounds the passes over a document in which defused HTML
	// brings new HTML to light.
	maxDefusing = 4

	// The noncharacters at the same place stand in for these signs while
	// glamour must not see them.
	signs    = `&<\`
	standIns = "\ufdd0\ufdd1\ufdd2"

	widthOfStandIn = len(standIns) / len(signs) // bytes
)

var (
	errUnrenderable = errors.New("nested too deeply to render")
	entityPattern   = regexp.MustCompile(`&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[a-zA-Z]+);?`)
	foreignStandIn  = regexp.MustCompile("[" + standIns + "]")
)

// defuse prepares clean text for glamour 1.0, which turns the entities of
// control characters into live ones, resolves entities and escapes inside code
// and leaves HTML out: all of it is made to appear as it was written. fuse, on
// what glamour made of it, is the second half. Tabs become spaces. A document
// nested more than maxNesting deep is an error.
//
// Glamour leaves the escapes of a block of code alone when it highlights it,
// which stand-ins would spoil.
func defuse(source string, highlights bool) (string, error) {
	source = foreignStandIn.ReplaceAllString(expandTabs(source), "\ufffd")
	source = entityPattern.ReplaceAllStringFunc(source, func(entity string) string {
		if strings.ContainsFunc(html.UnescapeString(entity), isUnsafe) {
			return standIn('&') + entity[1:]
		}
		return entity
	})
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.DefinitionList)).Parser()
	for range maxDefusing {
		offsets, err := explosives(parser.Parse(text.NewReader([]byte(source))), source, highlights)
		if err != nil {
			return "", err
		}
		if len(offsets) == 0 {
			return source, nil
		}
		source = replaceSigns(source, offsets)
	}
	return "", errUnrenderable
}

func fuse(rendered string) string {
	for i := range len(signs) {
		rendered = strings.ReplaceAll(rendered, standIn(signs[i]), signs[i:i+1])
	}
	return rendered
}

func standIn(sign byte) string {
	at := strings.IndexByte(signs, sign) * widthOfStandIn
	return standIns[at : at+widthOfStandIn]
}

// explosives finds the offsets of the signs that would go off: < in HTML, & and
// \ in code. It walks without recursion, because the depth is what it must
// measure.
func explosives(document ast.Node, source string, highlights bool) ([]int, error) {
	var offsets []int
	collect := func(signs string, segments ...text.Segment) {
		for _, s := range segments {
			for i := s.Start; i < s.Stop; i++ {
				if strings.IndexByte(signs, source[i]) >= 0 {
					offsets = append(offsets, i)
				}
			}
		}
	}
	depth := 0
	for node := document; node != nil; {
		switch n := node.(type) {
		case *ast.HTMLBlock:
			collect("<", n.Lines().Sliced(0, n.Lines().Len())...)
			collect("<", n.ClosureLine)
		case *ast.RawHTML:
			collect("<", n.Segments.Sliced(0, n.Segments.Len())...)
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if !highlights {
				collect(`\`, n.Lines().Sliced(0, n.Lines().Len())...)
			}
		case *ast.Text:
			if n.Parent().Kind() == ast.KindCodeSpan {
				collect(`&\`, n.Segment)
			}
		}
		if child := node.FirstChild(); child != nil {
			if depth++; depth > maxNesting {
				return nil, errUnrenderable
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
	slices.Sort(offsets)
	return slices.Compact(offsets), nil
}

// replaceSigns puts the stand-ins at offsets, which are in order.
func replaceSigns(source string, offsets []int) string {
	var b strings.Builder
	end := 0
	for _, at := range offsets {
		b.WriteString(source[end:at])
		b.WriteString(standIn(source[at]))
		end = at + 1
	}
	b.WriteString(source[end:])
	return b.String()
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
