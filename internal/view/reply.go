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
)

// Reply returns the text of a reply as it is printed: rendered on a terminal
// unless it is wanted raw, byte for byte elsewhere, with a newline at the end.
func Reply(p *cli.Printer, text, style string, raw bool) string {
	if !p.IO.OutTTY || raw {
		return p.Clean(WithNewline(text))
	}
	if err := markdown.CheckStyle(style, p.IO.Getenv("GLAMOUR_STYLE")); err != nil {
		p.Note("%v", err)
	}
	return rendered(p.IO, text, style)
}

// WithNewline returns text with a newline at its end.
func WithNewline(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// Block returns the first block of code of a reply, or the first of a language. The
// error is of failure.NoBlock; the reply itself is safe: saved, or shown on stderr.
func Block(reply, language string) (string, error) {
	code, found, languages := codeblock.Find(reply, language)
	if found {
		return code, nil
	}
	for i, name := range languages {
		if name == "" {
			languages[i] = "without a language"
		}
	}
	missing := "the reply has no block of code"
	if len(languages) > 0 {
		missing = "the reply has no block of " + language + "; its blocks: " + strings.Join(slices.Compact(languages), ", ")
	}
	return "", failure.New(failure.NoBlock, failure.Hint{}, missing)
}

// Envelope is an answer as --json prints it; its fields are stable within version 1.
type Envelope struct {
	Version      int        `json:"version"`
	Conversation *string    `json:"conversation"`
	Turn         *string    `json:"turn"`
	Parent       *string    `json:"parent"`
	AgentID      *string    `json:"agent_id"`
	Profile      string     `json:"profile"`
	Reply        string     `json:"reply"`
	FinishReason string     `json:"finish_reason"`
	Model        string     `json:"model"`
	Usage        *api.Usage `json:"usage"`
	Service      struct {
		ID             *string      `json:"id"`
		ConversationID *string      `json:"conversation_id"`
		Created        *json.Number `json:"created"`
	} `json:"service"`
	ElapsedMS int64 `json:"elapsed_ms"`
	Saved     bool  `json:"saved"`
	Branched  bool  `json:"branched"` // another question follows the same turn
	Left      int   `json:"left"`     // earlier turns that were not sent
}

// NewEnvelope returns the envelope of an answer. Its local ids are left out where
// the history does not outlive the process.
func NewEnvelope(answer chat.Answer, profile, agentID string, saves bool) Envelope {
	r := answer.Reply
	out := Envelope{
		Version: 1, AgentID: cli.OrNull(agentID), Profile: profile,
		Reply: r.Text, FinishReason: r.FinishReason, Model: r.Model, Usage: r.Usage, ElapsedMS: answer.Elapsed.Milliseconds(), Saved: answer.Saved,
		Branched: answer.Branch != history.Branch{}, Left: answer.Left,
	}
	if saves {
		out.Conversation, out.Turn, out.Parent = cli.OrNull(answer.Conversation), cli.OrNull(answer.Turn), cli.OrNull(answer.Parent)
	}
	out.Service.ID, out.Service.ConversationID, out.Service.Created = cli.OrNull(r.ID), cli.OrNull(r.ConversationID), cli.OrNull(r.Created)
	return out
}

// Remarks prints on stderr what else there is to know of an answer.
func Remarks(p *cli.Printer, answer chat.Answer) {
	if reason := answer.Reply.FinishReason; reason != "stop" && reason != "" {
		p.Warn("the reply may be incomplete: the service gives the reason %q", reason)
	}
	if answer.Left > 0 {
		p.Note("%s not sent; nothing is lost from the history", cli.Were(answer.Left, "earlier turn"))
	}
	switch {
	case answer.Branch.Answered:
		p.Warn("another question of this conversation was answered meanwhile; the conversation has a branch, and this answer is now its head")
	case answer.Branch.InFlight:
		p.Warn("another question of this conversation is still waiting; when it is answered the conversation has a branch")
	}
}

// Cost prints on stderr what an answer cost.
func Cost(p *cli.Printer, answer chat.Answer) {
	counted := "the service counted no tokens;"
	if u := answer.Reply.Usage; u != nil {
		counted = tokenSum(history.Usage(*u)) + " tokens,"
	}
	p.Line("usage", fmt.Sprintf("%s %.1f s", counted, answer.Elapsed.Seconds()))
}
