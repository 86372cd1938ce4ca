package markdown

import (
	"bufio"
	"bytes"
	"html"
	"iter"
	"strings"

	"github.com/charmbracelet/glamour/ansi"
	"github.com/yuin/goldmark/ast"
	extensions "github.com/yuin/goldmark/extension/ast"
	gmhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// script prepares the inline nodes of a document for glamour 1.0, which drops HTML,
// titles, fragments and URLs that it cannot parse, shortens URLs in tables, resolves
// entities in code, and misses some escapes elsewhere. The text to show, including
// the marks of the style, is appended to source, and the segments of the nodes point
// to it.
type script struct {
	source []byte
	style  ansi.StyleConfig
}

// resolve prepares the inline nodes below parent for glamour.
func (s *script) resolve(parent ast.Node) {
	for node := range children(parent) {
		s.resolveOne(parent, node)
	}
}

func (s *script) resolveOne(parent, node ast.Node) {
	switch n := node.(type) {
	case *ast.Text:
		n.Segment = s.add(s.textOf(n))
		n.SetSoftLineBreak(false)
	case *ast.CodeSpan:
		code := s.codeOf(n)
		before, after := s.codeMarks(code)
		n.RemoveChildren(n)
		n.AppendChild(n, s.text(code))
		s.insert(parent, n, before, after)
	case *ast.Emphasis:
		s.resolve(n)
		s.mark(parent, n, s.emphasis(n))
	case *ast.RawHTML:
		parent.ReplaceChild(parent, n, s.text(s.htmlOf(n)))
	case *ast.AutoLink:
		parent.ReplaceChild(parent, n, s.autoLink(string(n.Label(s.source))))
	case *ast.Link:
		s.insert(parent, n, "", s.reference(nil, n.Title))
		destination := s.unescape(n.Destination)
		if destination == s.flat(n) {
			parent.ReplaceChild(parent, n, s.autoLink(destination))
			return
		}
		s.resolve(n)
		n.Destination, n.Title = []byte(destinationOf(destination)), nil
		s.mark(parent, n, s.style.LinkText)
	case *ast.Image:
		s.insert(parent, n, "", s.reference(nil, n.Title))
		alt := s.text(s.flat(n))
		n.RemoveChildren(n)
		n.AppendChild(n, alt)
		n.Destination = []byte(destinationOf(s.unescape(n.Destination)))
	case *extensions.Strikethrough:
		s.strikeOut(parent, n)
	default:
		s.resolve(n)
	}
}

// autoLink returns a link that shows only its URL.
func (s *script) autoLink(url string) ast.Node {
	return ast.NewAutoLink(ast.AutoLinkURL, s.text(destinationOf(url)))
}

func destinationOf(url string) string {
	if url == "" {
		return ""
	}
	return verbatimURL + hide.Replace(url)
}

// text returns a node that shows a string unchanged.
func (s *script) text(shown string) *ast.Text {
	return ast.NewTextSegment(s.add(shown))
}

// add appends a string to the source and returns its segment.
func (s *script) add(shown string) text.Segment {
	start := len(s.source)
	s.source = append(s.source, hide.Replace(shown)...)
	return text.NewSegment(start, len(s.source))
}

// flat returns the text of the nodes below parent, including the URLs and titles of
// links. The nodes must not be resolved yet.
func (s *script) flat(parent ast.Node) string {
	var b strings.Builder
	for node := range children(parent) {
		b.WriteString(s.flatOne(node))
	}
	return b.String()
}

func (s *script) flatOne(node ast.Node) string {
	switch n := node.(type) {
	case *ast.Text:
		if n.HardLineBreak() {
			return s.textOf(n) + " "
		}
		return s.textOf(n)
	case *ast.CodeSpan:
		return s.codeOf(n)
	case *ast.RawHTML:
		return s.htmlOf(n)
	case *ast.AutoLink:
		return string(n.Label(s.source))
	case *ast.Link:
		return s.flat(n) + s.reference(n.Destination, n.Title)
	case *ast.Image:
		return s.flat(n) + s.reference(n.Destination, n.Title)
	default:
		return s.flat(n)
	}
}

// reference returns the text to show for a destination and a title, after the text of
// their link or image. Either may be empty.
func (s *script) reference(destination, title []byte) string {
	shown := ""
	if len(destination) > 0 {
		shown = " " + s.unescape(destination)
	}
	if len(title) > 0 {
		shown += " (" + s.unescape(title) + ")"
	}
	return shown
}

func (s *script) textOf(n *ast.Text) string {
	shown := s.unescape(n.Segment.Value(s.source))
	if n.SoftLineBreak() {
		shown += " "
	}
	return shown
}

func (s *script) codeOf(n *ast.CodeSpan) string {
	var b strings.Builder
	for child := range children(n) {
		b.Write(child.(*ast.Text).Segment.Value(s.source))
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

func (s *script) htmlOf(n *ast.RawHTML) string {
	return strings.ReplaceAll(string(n.Segments.Value(s.source)), "\n", " ")
}

// unescape resolves escapes and entities (CommonMark 2.4 and 2.5).
func (s *script) unescape(source []byte) string {
	if !bytes.ContainsAny(source, `\&`) {
		return string(source)
	}
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	gmhtml.DefaultWriter.Write(w, source)
	_ = w.Flush()
	return html.UnescapeString(b.String())
}

// children yields the children of parent, which may be moved or replaced during the
// iteration.
func children(parent ast.Node) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		for node := parent.FirstChild(); node != nil; {
			next := node.NextSibling()
			if !yield(node) {
				return
			}
			node = next
		}
	}
}
