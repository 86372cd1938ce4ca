package transfer

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"iter"

	"github.com/hobnob-cli/hobnob/internal/history"
)

//go:embed page.css
var pageCSS string

//go:embed page.tmpl
var pageTemplate string

// htmlFormat is one page that needs nothing else.
var htmlFormat = Format{Name: "html", Extensions: []string{"html", "htm"}, Export: writeHTML}

// writeHTML writes one self-contained page.
//
// The page loads nothing, runs nothing and sends no referrer, whatever the
// conversations contain: Markdown is parsed without HTML, the result is reduced to an
// allow-list of elements, and a Content-Security-Policy forbids the rest.
func writeHTML(w io.Writer, conversations []history.Conversation, trees iter.Seq2[history.Tree, error]) error {
	page, err := newPage()
	if err != nil {
		return err
	}
	heads := make([]pageHead, len(conversations))
	for i, c := range conversations {
		heads[i] = pageHead{ID: c.ID, Title: title(c), When: shownTime(c.Created)}
	}
	name := "Conversations"
	if len(heads) == 1 {
		name = heads[0].Title
	}
	sum := sha256.Sum256([]byte(page.css))
	if err := page.templates.ExecuteTemplate(w, "head", map[string]any{
		"Title": name, "Style": template.CSS(page.css), "Hash": base64.StdEncoding.EncodeToString(sum[:]), "Conversations": heads,
	}); err != nil {
		return err
	}
	for tree, err := range trees {
		if err != nil {
			return err
		}
		if err := page.write(w, tree); err != nil {
			return err
		}
	}
	return page.templates.ExecuteTemplate(w, "foot", nil)
}

type page struct {
	templates *template.Template
	replies   replyRenderer
	css       string
}

type pageHead struct{ ID, Title, When, Aside string }

type pageTurn struct {
	Asked, Model, Outcome string
	Question, Reply       template.HTML
}

func newPage() (*page, error) {
	templates, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return nil, err
	}
	css, err := codeCSS()
	if err != nil {
		return nil, err
	}
	return &page{templates: templates, replies: newReplyRenderer(), css: pageCSS + css}, nil
}

func (p *page) write(w io.Writer, t history.Tree) error {
	head := pageHead{ID: t.Conversation.ID, Title: title(t.Conversation), Aside: aside(t)}
	if err := p.templates.ExecuteTemplate(w, "conversation", head); err != nil {
		return err
	}
	for _, turn := range t.Turns {
		shown := pageTurn{
			Asked: shownTime(turn.Asked), Model: visible(turn.Service.Model), Question: p.replies.question(visible(turn.Question)), Outcome: outcome(turn),
		}
		if turn.State == history.Answered {
			shown.Reply = p.replies.render(visible(turn.Reply))
		}
		if err := p.templates.ExecuteTemplate(w, "turn", shown); err != nil {
			return err
		}
	}
	return p.templates.ExecuteTemplate(w, "end", nil)
}

// codeCSS returns the colours of code, for light and dark pages.
func codeCSS() (string, error) {
	var css bytes.Buffer
	css.WriteString("@media not all and (prefers-color-scheme: dark), print {\n")
	if err := writeCodeCSS(&css, "github"); err != nil {
		return "", err
	}
	css.WriteString("}\n@media screen and (prefers-color-scheme: dark) {\n")
	if err := writeCodeCSS(&css, "github-dark"); err != nil {
		return "", err
	}
	css.WriteString("}\n")
	return css.String(), nil
}
