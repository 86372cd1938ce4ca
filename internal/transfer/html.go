package transfer

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"iter"

	"github.com/alecthomas/chroma/v2/styles"

	"github.com/hobnob-cli/hobnob/internal/history"
)

//go:embed page.css
var pageCSS string

//go:embed page.tmpl
var pageTemplate string

// htmlFormat is a self-contained page.
var htmlFormat = Format{Name: "html", Extensions: []string{"html", "htm"}, Export: writeHTML}

// writeHTML writes a self-contained page.
//
// With any content, the page loads nothing, runs no scripts and sends no referrer:
// Markdown is parsed without HTML, the result is reduced to an allow-list of elements,
// and a Content-Security-Policy forbids the rest.
func writeHTML(w io.Writer, conversations []history.Conversation, trees iter.Seq2[history.Tree, error]) error {
	page, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	code, err := codeCSS()
	if err != nil {
		return err
	}
	css, replies := pageCSS+code, newReplyRenderer()
	var heads []pageConversation
	for _, c := range conversations {
		heads = append(heads, pageConversation{ID: c.ID, Title: title(c), When: shownTime(c.Created)})
	}
	name := "Conversations"
	if len(heads) == 1 {
		name = heads[0].Title
	}
	sum := sha256.Sum256([]byte(css))
	if err := page.ExecuteTemplate(w, "head", map[string]any{
		"Title": name, "Style": template.CSS(css), "Hash": base64.StdEncoding.EncodeToString(sum[:]), "Conversations": heads,
	}); err != nil {
		return err
	}
	for tree, err := range trees {
		if err != nil {
			return err
		}
		shown := pageConversation{ID: tree.Conversation.ID, Title: title(tree.Conversation), Aside: aside(tree)}
		if i := tree.Instructions; i.Text != "" {
			shown.Instructions, shown.InstructionsTitle = replies.question(visible(i.Text)), instructionsTitle(i)
		}
		for _, t := range tree.Turns {
			shown.Turns = append(shown.Turns, pageTurn{
				Asked: shownTime(t.Asked), Model: visible(t.Service.Model), Outcome: outcome(t),
				Question: replies.question(visible(t.Question)), Reply: replies.render(visible(t.Reply)),
			})
		}
		if err := page.ExecuteTemplate(w, "conversation", shown); err != nil {
			return err
		}
	}
	return page.ExecuteTemplate(w, "foot", nil)
}

type pageConversation struct {
	ID, Title, When, Aside string
	InstructionsTitle      string
	Instructions           template.HTML // empty for none
	Turns                  []pageTurn
}

type pageTurn struct {
	Asked, Model, Outcome string
	Question, Reply       template.HTML // Reply is only shown if Outcome is empty
}

// codeCSS returns the style of highlighted code, light and dark.
func codeCSS() (string, error) {
	var css bytes.Buffer
	for _, theme := range [][2]string{
		{"not all and (prefers-color-scheme: dark), print", "github"},
		{"screen and (prefers-color-scheme: dark)", "github-dark"},
	} {
		css.WriteString("@media " + theme[0] + " {\n")
		if err := codeFormatter().WriteCSS(&css, styles.Get(theme[1])); err != nil {
			return "", err
		}
		css.WriteString("}\n")
	}
	return css.String(), nil
}
