package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/markdown"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// exchange is one run of `chat`: it asks and shows.
type exchange struct {
	f       *cli.Factory
	opts    chatOptions
	profile config.Profile
	client  *api.Client
	asker   chat.Asker
	save    bool
	pages   bool // what is longer than the screen goes through the pager
}

// once asks one question and shows the reply. The answer is committed before
// it is printed; an answer that cannot be committed is printed all the same.
func (e *exchange) once(ctx context.Context, question chat.Question) (chat.Answer, error) {
	stop := e.wait(ctx, "asking", question.AgentID, time.Time{})
	answer, err := e.asker.Ask(ctx, question)
	stop(err)
	if err != nil {
		return answer, err
	}
	// Before it is shown: a pager may stay open for long.
	copied, cerr := e.copy(ctx, answer)
	if err = e.finish(question, answer); err == nil {
		err = cerr
	}
	if copied != "" {
		e.f.Print.Note("%s", copied)
	}
	return answer, err
}

// finish shows an answer and what there is to say about it.
func (e *exchange) finish(question chat.Question, answer chat.Answer) error {
	err := e.show(question, answer)
	var lacking *noBlockError
	shown := err == nil || errors.As(err, &lacking)
	if answer.SaveErr != nil {
		return &chat.NotSavedError{Err: errors.Join(answer.SaveErr, err), Shown: shown}
	}
	if shown {
		e.remarks(answer)
	}
	return err
}

// show writes the reply to stdout.
func (e *exchange) show(question chat.Question, answer chat.Answer) error {
	f, text := e.f, answer.Reply.Text
	var err error
	switch {
	case f.Global.JSON:
		err = f.Print.JSON(e.envelope(question, answer))
	case e.opts.Extract != "":
		err = e.showBlock(answer)
	case f.IO.OutTTY && !e.opts.Raw:
		if serr := markdown.CheckStyle(e.profile.Style, f.Env("GLAMOUR_STYLE")); serr != nil {
			f.Print.Note("%v", serr)
		}
		err = e.print(view.Markdown(f.IO, text, e.profile.Style))
	default:
		err = e.print(f.Print.Clean(withNewline(text)))
	}
	if err != nil && answer.Saved {
		return failure.WithHint(err, "%s", "the reply is saved in conversation "+history.Short(answer.Conversation))
	}
	return err
}

// remarks says on stderr what else there is to know of an answer.
func (e *exchange) remarks(answer chat.Answer) {
	f := e.f
	if reason := answer.Reply.FinishReason; reason != "stop" && reason != "" {
		f.Print.Warn("the reply may be incomplete: the service gives the reason %q", reason)
	}
	if answer.Left > 0 {
		f.Print.Note("%s not sent; nothing is lost from the history", left(answer.Left, "earlier turn"))
	}
	switch {
	case answer.Branch.Answered:
		f.Print.Warn("another question of this conversation was answered meanwhile; the conversation has a branch, and this answer is now its head")
	case answer.Branch.InFlight:
		f.Print.Warn("another question of this conversation is still waiting; when it is answered the conversation has a branch")
	}
	if u := answer.Reply.Usage; e.opts.Usage && u != nil {
		f.Print.Line("usage", fmt.Sprintf("%d prompt + %d completion = %d tokens, %.1f s", u.PromptTokens, u.CompletionTokens, u.TotalTokens, answer.Elapsed.Seconds()))
	} else if e.opts.Usage {
		f.Print.Line("usage", fmt.Sprintf("the service counted no tokens; %.1f s", answer.Elapsed.Seconds()))
	}
	if answer.Parent == "" && answer.Reply.Model == "guide" && e.unconfigured() {
		f.Print.Note("the built-in guide answered; to connect a service: hobnob login")
	}
}

func left(n int, noun string) string {
	if n == 1 {
		return cli.Counted(n, noun) + " was"
	}
	return cli.Counted(n, noun) + " were"
}

// unconfigured reports whether the embedded service was not chosen but is all there is.
func (e *exchange) unconfigured() bool {
	if !e.profile.Embedded() {
		return false
	}
	c, err := e.f.Config()
	if err != nil {
		return false
	}
	_, source, err := c.Active()
	return err == nil && source.Kind == "default"
}

// envelope is what --json prints; its fields are stable within version 1.
type envelope struct {
	Version      int             `json:"version"`
	Conversation *string         `json:"conversation"`
	Turn         *string         `json:"turn"`
	Parent       *string         `json:"parent"`
	AgentID      *string         `json:"agent_id"`
	Profile      string          `json:"profile"`
	Reply        string          `json:"reply"`
	FinishReason string          `json:"finish_reason"`
	Model        string          `json:"model"`
	Usage        *api.Usage      `json:"usage"`
	Service      serviceEnvelope `json:"service"`
	ElapsedMS    int64           `json:"elapsed_ms"`
	Saved        bool            `json:"saved"`
	Branched     bool            `json:"branched"` // another question follows the same turn
	Left         int             `json:"left"`     // earlier turns that were not sent
}

type serviceEnvelope struct {
	ID             *string      `json:"id"`
	ConversationID *string      `json:"conversation_id"`
	Created        *json.Number `json:"created"`
}

func (e *exchange) envelope(question chat.Question, answer chat.Answer) envelope {
	r := answer.Reply
	if !e.save {
		answer.Conversation, answer.Turn, answer.Parent = "", "", ""
	}
	out := envelope{
		Version: 1, Conversation: cli.OrNull(answer.Conversation), Turn: cli.OrNull(answer.Turn), Parent: cli.OrNull(answer.Parent),
		AgentID: cli.OrNull(question.AgentID), Profile: e.profile.Name, Reply: r.Text, FinishReason: r.FinishReason, Model: r.Model, Usage: r.Usage,
		Service:   serviceEnvelope{ID: cli.OrNull(r.ID), ConversationID: cli.OrNull(r.ConversationID)},
		ElapsedMS: answer.Elapsed.Milliseconds(), Saved: answer.Saved,
		Branched: answer.Branch != history.Branch{}, Left: answer.Left,
	}
	if r.Created != "" {
		out.Service.Created = &r.Created
	}
	return out
}
