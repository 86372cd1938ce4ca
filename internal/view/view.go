// Package view formats conversations, trees, search hits, contexts, token usage and
// templates: as text for a terminal or a pipe, or as JSON.
//
// It must not depend on commands, slash commands or flags, and opens neither the history
// nor a connection: callers pass the data. Questions, replies and titles are untrusted.
package view

import (
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/markdown"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// heading returns a line in bold on a terminal with colour, and elsewhere with a
// Markdown mark before it.
func heading(io *terminal.Streams, mark, text string) string {
	text = terminal.CleanLine(text)
	if io.OutTTY && io.OutColor {
		return "\x1b[1m" + text + "\x1b[0m"
	}
	return mark + text
}

// when returns a time relative to now on a terminal, and in RFC 3339 format in a pipe.
// A zero time in a pipe is empty.
func when(io *terminal.Streams, t time.Time) string {
	switch {
	case io.OutTTY:
		return duration.Ago(t, time.Now())
	case t.IsZero():
		return ""
	}
	return t.Format(time.RFC3339)
}

// rendered returns Markdown rendered for the terminal of stdout in the given style.
func rendered(io *terminal.Streams, text, style string) string {
	return renderedWithin(io, io.Columns(), text, style)
}

// renderedWithin is like rendered, in a number of columns of the terminal.
func renderedWithin(io *terminal.Streams, columns int, text, style string) string {
	return markdown.Render(text, markdown.Options{
		Width: columns, Colors: io.Colors(), Unicode: io.UTF8, Accessible: io.Accessible,
		Style: style, GlamourStyle: io.Getenv("GLAMOUR_STYLE"), Light: io.LightBackground,
	})
}

// labels returns the labels of a turn in a conversation with the given head.
func labels(t history.Turn, head string) []string {
	var out []string
	if t.ID == head {
		out = append(out, "head")
	}
	switch t.Mark {
	case history.Pinned:
		out = append(out, "pinned")
	case history.Skipped:
		out = append(out, "skipped")
	}
	return out
}

// shortTurns returns a function that shortens the ids of turns that are shown together.
func shortTurns(turns []history.Turn) (short func(id string) string) {
	ids := make([]string, len(turns))
	for i, t := range turns {
		ids[i] = t.ID
	}
	return history.Shorts(ids...)
}

type turnJSON struct {
	ID           string        `json:"id"`
	Conversation string        `json:"conversation"`
	Parent       *string       `json:"parent"`
	State        history.State `json:"state"`
	Question     string        `json:"question"`
	Reply        *string       `json:"reply"`
	AgentID      *string       `json:"agent_id"`
	Asked        time.Time     `json:"asked"`
	Ended        *time.Time    `json:"ended"`
	Failure      *string       `json:"failure"`
	Mark         *history.Mark `json:"mark"`
	Model        *string       `json:"model"`
	Usage        *api.Usage    `json:"usage"`
	Service      struct {
		ID             *string `json:"id"`
		ConversationID *string `json:"conversation_id"`
	} `json:"service"`
}

// TurnsJSON prints turns as JSON.
func TurnsJSON(p *cli.Printer, turns []history.Turn) error { return p.JSON(turnsJSON(turns)) }

func turnsJSON(turns []history.Turn) []turnJSON {
	out := make([]turnJSON, len(turns))
	for i, t := range turns {
		out[i] = turnJSON{
			ID: t.ID, Conversation: t.Conversation, Parent: cli.OrNull(t.Parent), State: t.State, Question: t.Question, AgentID: cli.OrNull(t.AgentID),
			Asked: t.Asked, Ended: cli.OrNull(t.Ended), Failure: cli.OrNull(t.Failure.Text), Mark: cli.OrNull(t.Mark),
			Model: cli.OrNull(t.Service.Model), Usage: (*api.Usage)(t.Service.Usage),
		}
		if t.State == history.Answered {
			out[i].Reply = &t.Reply
		}
		out[i].Service.ID, out[i].Service.ConversationID = cli.OrNull(t.Service.ID), cli.OrNull(t.Service.ConversationID)
	}
	return out
}

func conversationJSON(t history.Tree) map[string]any {
	c := t.Conversation
	return map[string]any{
		"id": c.ID, "title": c.Title, "profile": c.Profile, "agent_id": cli.OrNull(c.AgentID), "head": cli.OrNull(c.Head), "instructions": NewInstructions(t.Instructions, 0),
		"created": c.Created, "updated": c.Updated, "turns": turnsJSON(t.Turns),
	}
}
