package attach

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// unseen are elements whose text is not part of a page.
var unseen = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Iframe: true, atom.Select: true, atom.Textarea: true,
}

// blocks are elements that begin a line, with what precedes their text in Markdown.
var blocks = map[atom.Atom]string{
	atom.Div: "", atom.Br: "", atom.Header: "", atom.Nav: "", atom.Ul: "", atom.Ol: "", atom.Li: "- ", atom.Dt: "", atom.Dd: "  ", atom.Tr: "", atom.Title: "",
	atom.P: "\n", atom.Section: "\n", atom.Article: "\n", atom.Main: "\n", atom.Footer: "\n", atom.Dl: "\n", atom.Table: "\n", atom.Pre: "\n", atom.Blockquote: "\n> ",
	atom.H1: "\n# ", atom.H2: "\n## ", atom.H3: "\n### ", atom.H4: "\n#### ", atom.H5: "\n##### ", atom.H6: "\n###### ", atom.Hr: "\n",
}

// page is the text of a page in HTML.
type page struct {
	text   []byte
	hidden int // open elements that are not shown
	pre    int // open elements with preformatted text
}

// plain returns the text of a page, with headings, lists and code as in Markdown. It
// reads tokens and builds no tree, because that can take quadratic time.
func plain(data []byte) string {
	var p page
	for tokens := html.NewTokenizer(bytes.NewReader(data)); ; {
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			return strings.Trim(string(p.text), " \n") + "\n"
		case html.TextToken:
			p.write(string(tokens.Text()))
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := tokens.TagName()
			p.tag(atom.Lookup(name), kind)
		}
	}
}

func (p *page) tag(name atom.Atom, kind html.TokenType) {
	prefix, isBlock := blocks[name]
	step := map[html.TokenType]int{html.StartTagToken: 1, html.EndTagToken: -1}[kind]
	switch {
	case unseen[name]:
		p.hidden = max(0, p.hidden+step)
	case p.hidden > 0:
	case name == atom.Pre:
		p.endLine(1)
		p.text = append(p.text, "```\n"...)
		p.pre = max(0, p.pre+step)
	case isBlock:
		lines := strings.Count(prefix, "\n")
		p.endLine(1 + lines)
		if step > 0 {
			p.text = append(p.text, prefix[lines:]...)
		}
	case step > 0 && (name == atom.Td || name == atom.Th):
		p.space()
		p.text = append(p.text, "| "...)
	}
}

// write adds text, with each white space as one space except in preformatted text.
func (p *page) write(escaped string) {
	text := html.UnescapeString(escaped)
	switch words := strings.Join(strings.Fields(text), " "); {
	case p.hidden > 0:
	case p.pre > 0:
		p.text = append(p.text, text...)
	case words != "":
		if strings.TrimLeft(text, " \t\r\n") != text {
			p.space()
		}
		p.text = append(p.text, words...)
		if strings.TrimRight(text, " \t\r\n") != text {
			p.space()
		}
	case text != "":
		p.space()
	}
}

func (p *page) space() {
	if n := len(p.text); n > 0 && p.text[n-1] != ' ' && p.text[n-1] != '\n' {
		p.text = append(p.text, ' ')
	}
}

// endLine makes the text end with at least n newlines.
func (p *page) endLine(n int) {
	p.text = bytes.TrimRight(p.text, " ")
	have := len(p.text) - len(bytes.TrimRight(p.text, "\n"))
	for range n - have {
		p.text = append(p.text, '\n')
	}
}
