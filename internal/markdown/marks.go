package markdown

import (
	"strings"

	"github.com/charmbracelet/glamour/ansi"
	"github.com/yuin/goldmark/ast"
	extensions "github.com/yuin/goldmark/extension/ast"
)

// unmarked returns config without the marks around inline nodes that can have several
// children. Glamour 1.0 puts them around each child, and goldmark splits text at
// brackets, underscores and line ends.
func unmarked(config ansi.StyleConfig) ansi.StyleConfig {
	for _, style := range []*ansi.StylePrimitive{
		&config.Emph, &config.Strong, &config.Strikethrough, &config.LinkText,
	} {
		style.BlockPrefix, style.BlockSuffix, style.Prefix, style.Suffix = "", "", "", ""
	}
	return config
}

// mark puts the marks of style around a node: those of the block outside, where the
// style does not apply, the others inside.
func (s *script) mark(parent, node ast.Node, style ansi.StylePrimitive) {
	if first := node.FirstChild(); first != nil && style.Prefix != "" {
		node.InsertBefore(node, first, s.text(style.Prefix))
	}
	if style.Suffix != "" {
		node.AppendChild(node, s.text(style.Suffix))
	}
	s.insert(parent, node, style.BlockPrefix, style.BlockSuffix)
}

// insert adds text before and after a node.
func (s *script) insert(parent, node ast.Node, before, after string) {
	if before != "" {
		parent.InsertBefore(parent, node, s.text(before))
	}
	if after != "" {
		parent.InsertAfter(parent, node, s.text(after))
	}
}

func (s *script) emphasis(n *ast.Emphasis) ansi.StylePrimitive {
	if n.Level > 1 {
		return s.style.Strong
	}
	return s.style.Emph
}

// codeMarks returns the marks around code, which glamour drops. Backticks are
// repeated as often as CommonMark 6.1 requires.
func (s *script) codeMarks(code string) (before, after string) {
	before, after = s.style.Code.BlockPrefix, s.style.Code.BlockSuffix
	if before == "" || before != after || strings.Trim(before, "`") != "" {
		return before, after
	}
	for strings.Contains(code, before) {
		before += "`"
	}
	if strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") {
		return before + " ", " " + before
	}
	return before, before
}

// strikeOut replaces n with struck-out text.
func (s *script) strikeOut(parent ast.Node, n *extensions.Strikethrough) {
	s.mark(parent, n, s.style.Strikethrough)
	s.strike(n)
	unwrap(parent, n)
}

// strike replaces all text below parent with struck-out text and leaves emphasis
// around it. Glamour renders only the text of struck-out nodes. The nodes must not be
// resolved yet.
func (s *script) strike(parent ast.Node) {
	for node := range children(parent) {
		switch n := node.(type) {
		case *ast.Emphasis:
			s.strike(n)
			s.mark(parent, n, s.emphasis(n))
		case *extensions.Strikethrough:
			s.strikeOut(parent, n)
		case *ast.CodeSpan:
			code := s.codeOf(n)
			before, after := s.codeMarks(code)
			parent.ReplaceChild(parent, n, s.struck(before+code+after))
		case *ast.Link:
			rest := s.reference(n.Destination, n.Title)
			s.strike(n)
			n.AppendChild(n, s.struck(rest))
			unwrap(parent, n)
		default:
			parent.ReplaceChild(parent, n, s.struck(s.flatOne(n)))
		}
	}
}

func (s *script) struck(shown string) ast.Node {
	struck := extensions.NewStrikethrough()
	struck.AppendChild(struck, s.text(shown))
	return struck
}

// unwrap replaces node with its children.
func unwrap(parent, node ast.Node) {
	for child := range children(node) {
		parent.InsertBefore(parent, node, child)
	}
	parent.RemoveChild(parent, node)
}
