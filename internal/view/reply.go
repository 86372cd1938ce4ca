package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/codeblock"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/markdown"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Reply returns a reply as it is printed, with a newline at the end: rendered on a
// terminal unless raw is set, and unchanged in a pipe.
func Reply(p *cli.Printer, text, style string, raw bool) string {
	if !p.IO.OutTTY || raw {
		return p.Clean(WithNewline(text))
	}
	noteStyle(p, style)
	return rendered(p.IO, text, style)
}

// noteStyle prints a note if replies cannot be rendered in a style.
func noteStyle(p *cli.Printer, style string) {
	if err := markdown.CheckStyle(style, p.IO.Getenv("GLAMOUR_STYLE")); err != nil {
		p.Note("%v", err)
	}
}

// Document returns the JSON document of an answer as it is printed: as a code block on a
// terminal unless raw is set, and unchanged in a pipe, with a newline at the end.
func Document(p *cli.Printer, answer chat.Answer, style string, raw bool) string {
	if !p.IO.OutTTY || raw {
		return Reply(p, answer.Document, style, raw)
	}
	return Reply(p, Markdown(answer), style, raw)
}

// Markdown returns the reply of an answer or, if there is one, its JSON document in a code
// block.
func Markdown(answer chat.Answer) string {
	if answer.Document == "" {
		return answer.Reply.Text
	}
	return "```json\n" + answer.Document + "\n```\n" // no line of JSON closes the block
}

// WithNewline returns text with a newline at the end, adding one if necessary.
func WithNewline(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// Block returns the first code block of a reply in a language or, if language is empty,
// in any. A block for a shell must not contain hidden characters, with which it could run
// something other than what it shows. The error is of kind failure.NoBlock.
func Block(reply, language string) (string, error) {
	code, found, languages := codeblock.Find(reply, language)
	if found && codeblock.IsShell(language) && !terminal.IsPrintable(code) {
		return "", failure.New(failure.NoBlock, failure.Hint{}, "the code block contains control or invisible characters")
	}
	if found {
		return code, nil
	}
	for i, name := range languages {
		if name == "" {
			languages[i] = "(no language)"
		}
	}
	missing := "the reply has no code block"
	if len(languages) > 0 {
		missing = fmt.Sprintf("the reply has no %q code block; its code blocks: %s", language, strings.Join(slices.Compact(languages), ", "))
	}
	return "", failure.New(failure.NoBlock, failure.Hint{}, missing)
}

// Envelope is an answer as printed by --json. Its fields are stable within version 1.
type Envelope struct {
	Version      int            `json:"version"`
	Conversation *string        `json:"conversation"`
	Turn         *string        `json:"turn"`
	Parent       *string        `json:"parent"`
	AgentID      *string        `json:"agent_id"`
	Profile      string         `json:"profile"`
	Reply        string         `json:"reply"`
	FinishReason string         `json:"finish_reason"`
	Model        string         `json:"model"`
	Usage        *api.Usage     `json:"usage"`
	Service      cli.ServiceIDs `json:"service"`
	ElapsedMS    int64          `json:"elapsed_ms"`
	Saved        bool           `json:"saved"`
	Branched     bool           `json:"branched"` // another question follows the same turn
	Left         int            `json:"left"`     // number of earlier turns omitted from the context
	// Only with --schema.
	Data     json.RawMessage `json:"data,omitempty"`
	Attempts int             `json:"schema_attempts,omitempty"`
}

// NewEnvelope returns the envelope of an answer. Local ids are omitted unless saves is
// set, which means that the history outlives the process.
func NewEnvelope(answer chat.Answer, profile, agentID string, saves bool) Envelope {
	r := answer.Reply
	out := Envelope{
		Version: 1, AgentID: cli.OrNull(agentID), Profile: profile,
		Reply: r.Text, FinishReason: r.FinishReason, Model: r.Model, Usage: r.Usage, Service: cli.NewServiceIDs(r), ElapsedMS: answer.Elapsed.Milliseconds(), Saved: answer.Saved,
		Branched: answer.Branch != history.Branch{}, Left: answer.Left, Data: json.RawMessage(answer.Document), Attempts: answer.Attempts,
	}
	if saves {
		out.Conversation, out.Turn, out.Parent = cli.OrNull(answer.Conversation), cli.OrNull(answer.Turn), cli.OrNull(answer.Parent)
	}
	return out
}

// Incomplete prints a warning if the service reports that a reply may be incomplete. The
// name is that of its agent, or "" if there is only one.
func Incomplete(p *cli.Printer, name string, reply api.Reply) {
	if reply.FinishReason != "stop" && reply.FinishReason != "" {
		p.Warn("%sthe reply may be incomplete: finish reason %q", of(name), reply.FinishReason)
	}
}

// of returns the beginning of a line about the answer of a named agent.
func of(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

// Remarks prints notes and warnings about an answer on stderr.
func Remarks(p *cli.Printer, answer chat.Answer) {
	Incomplete(p, "", answer.Reply)
	if answer.Left > 0 {
		stay := "they stay"
		if answer.Left == 1 {
			stay = "it stays"
		}
		p.Note("%s omitted from the context; %s in the history", plural.Count(answer.Left, "earlier turn"), stay)
	}
	switch {
	case answer.Branch.Answered:
		p.Warn("another question in this conversation was answered in the meantime; the conversation now has a branch, and this answer is its head")
	case answer.Branch.InFlight:
		p.Warn("another question in this conversation is still pending; its answer will create a branch")
	}
}

// Cost prints on stderr the tokens and the time that an answer took. The name is that of
// the agent, or "" if there is only one.
func Cost(p *cli.Printer, name string, answer chat.Answer) {
	counted := "tokens not reported,"
	if u := answer.Reply.Usage; u != nil {
		counted = tokenSum(history.Usage(*u)) + " tokens,"
	}
	p.Line("usage", fmt.Sprintf("%s%s %.1f s", of(name), counted, answer.Elapsed.Seconds()))
}
