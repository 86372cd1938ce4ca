package ask

import (
	"context"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/attach"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// previewJSON is a request that is not sent, as printed by --json.
type previewJSON struct {
	Body         api.Request        `json:"body"`
	Files        []fileJSON         `json:"files"` // also in the body
	Headers      map[string]string  `json:"headers"`
	Instructions *view.Instructions `json:"instructions"` // also in the body
	Method       string             `json:"method"`
	Skipped      []skippedJSON      `json:"skipped"`
	URL          string             `json:"url"`
	Version      int                `json:"version"`
}

// fileJSON is a file in a request.
type fileJSON struct {
	Name   string `json:"name"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"` // estimate
}

// skippedJSON is a file that was found and is not in a request.
type skippedJSON struct {
	Name   string  `json:"name"`
	Reason string  `json:"reason"`
	Detail *string `json:"detail"`
	Bytes  *int64  `json:"bytes"`
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

// ShowRequest prints the request that a question with files would send.
func (a Asker) ShowRequest(ctx context.Context, question chat.Question, found attach.Found) error {
	return a.showRequests(ctx, found, []chat.Question{question}, func(documents []previewJSON) error { return a.f.Print.JSON(documents[0]) })
}

// ShowRequests prints the requests that a question with a text and files would send.
func (p Panel) ShowRequests(ctx context.Context, text string, found attach.Found) error {
	return p.asker.showRequests(ctx, found, p.questions(text), func(documents []previewJSON) error { return p.asker.f.Print.JSON(documents) })
}

func (a Asker) showRequests(ctx context.Context, found attach.Found, questions []chat.Question, printJSON func([]previewJSON) error) error {
	var texts []string
	var documents []previewJSON
	for _, question := range questions {
		text, document, err := a.preview(ctx, question)
		if err == nil {
			document.Files, document.Skipped, err = a.files(ctx, question, found)
		}
		if err != nil {
			return err
		}
		texts, documents = append(texts, text), append(documents, document)
	}
	if a.f.Print.WantsJSON() {
		return printJSON(documents)
	}
	a.noteFiles(documents[0].Files)
	return a.f.Print.Text(strings.Join(texts, "\n"))
}

// files returns the files of a question, and those that are not in it.
func (a Asker) files(ctx context.Context, question chat.Question, found attach.Found) ([]fileJSON, []skippedJSON, error) {
	perToken, err := a.Chat.BytesPerToken(ctx, question.AgentID)
	files, skipped := []fileJSON{}, []skippedJSON{}
	for _, f := range found.Files {
		files = append(files, fileJSON{f.Name, len(f.Data), chat.EstimateTokens(len(f.Data), perToken)})
	}
	for _, s := range found.Skipped {
		skipped = append(skipped, skippedJSON{s.Name, string(s.Why), cli.OrNull(s.Detail), cli.OrNull(s.Size)})
	}
	return files, skipped, err
}

// noteFiles prints a line for each file.
func (a Asker) noteFiles(files []fileJSON) {
	if len(files) == 0 {
		return
	}
	var sizes, tokens []string
	var bytes, sum int
	for _, f := range files {
		sizes, tokens = append(sizes, plural.Bytes(int64(f.Bytes))), append(tokens, plural.Count(f.Tokens, "token"))
		bytes, sum = bytes+f.Bytes, sum+f.Tokens
	}
	a.f.Print.Note("%s, %s, about %s:", plural.Count(len(files), "file"), plural.Bytes(int64(bytes)), plural.Count(sum, "token"))
	for i, f := range files {
		a.f.Print.Note("%-*s  %-*s  %s", width(sizes), sizes[i], width(tokens), tokens[i], f.Name)
	}
}

// width returns the width of the longest text.
func width(texts []string) int {
	longest := 0
	for _, text := range texts {
		longest = max(longest, len(text))
	}
	return longest
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
	document := previewJSON{
		Body: plan.Request, Headers: map[string]string{}, Instructions: instructions, Method: preview.Method, URL: preview.URL, Version: cli.JSONVersion,
	}
	text := preview.Method + " " + preview.URL + "\n"
	for _, h := range preview.Headers {
		document.Headers[h[0]] = h[1]
		text += h[0] + ": " + h[1] + "\n"
	}
	return text + "\n" + string(preview.Body) + "\n", document, nil
}
