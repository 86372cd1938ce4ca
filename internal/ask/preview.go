package ask

import (
	"context"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// previewJSON is a request that is not sent, as printed by --json.
type previewJSON struct {
	Body         api.Request        `json:"body"`
	Headers      map[string]string  `json:"headers"`
	Instructions *view.Instructions `json:"instructions"` // also in the body
	Method       string             `json:"method"`
	URL          string             `json:"url"`
	Version      int                `json:"version"`
}

// Preview returns the request that a question would send, and its HTTP form.
func (a Asker) Preview(ctx context.Context, question chat.Question) (chat.Plan, api.Preview, error) {
	plan, err := a.Chat.Plan(ctx, question)
	if err != nil {
		return chat.Plan{}, api.Preview{}, err
	}
	preview, err := a.client.Preview(plan.Request)
	return plan, preview, err
}

// ShowRequest prints the request that a question would send.
func (a Asker) ShowRequest(ctx context.Context, question chat.Question) error {
	text, document, err := a.preview(ctx, question)
	if err != nil {
		return err
	}
	if a.f.Print.WantsJSON() {
		return a.f.Print.JSON(document)
	}
	return a.f.Print.Text(text)
}

// ShowRequests prints the requests that a question with a text would send.
func (p Panel) ShowRequests(ctx context.Context, text string) error {
	var texts []string
	var documents []previewJSON
	for _, question := range p.questions(text) {
		text, document, err := p.asker.preview(ctx, question)
		if err != nil {
			return err
		}
		texts, documents = append(texts, text), append(documents, document)
	}
	if p.asker.f.Print.WantsJSON() {
		return p.asker.f.Print.JSON(documents)
	}
	return p.asker.f.Print.Text(strings.Join(texts, "\n"))
}

// preview returns the request of a question in its HTTP form and as JSON, and notes what
// instructions it contains.
func (a Asker) preview(ctx context.Context, question chat.Question) (string, previewJSON, error) {
	plan, preview, err := a.Preview(ctx, question)
	if err != nil {
		return "", previewJSON{}, err
	}
	instructions := view.NewInstructions(plan.Instructions, plan.InstructionsTokens)
	if instructions != nil {
		a.f.Print.Note("the first message has the instructions of %s, about %s", plan.Instructions.Owner(), plural.Count(instructions.Tokens, "token"))
	}
	document := previewJSON{plan.Request, map[string]string{}, instructions, preview.Method, preview.URL, 1}
	text := preview.Method + " " + preview.URL + "\n"
	for _, h := range preview.Headers {
		document.Headers[h[0]] = h[1]
		text += h[0] + ": " + h[1] + "\n"
	}
	return text + "\n" + string(preview.Body) + "\n", document, nil
}
