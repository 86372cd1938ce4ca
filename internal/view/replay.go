package view

import (
	"fmt"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/diff"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// ReplayedTurn is a question with its old and its new reply.
type ReplayedTurn struct {
	Question   string  `json:"question"`
	Before     string  `json:"before"`
	After      string  `json:"after"`
	Same       bool    `json:"same"`
	TurnBefore string  `json:"turn_before"`
	Turn       *string `json:"turn"` // null if nothing is saved
}

// Replay is a conversation whose questions were asked of another agent. Its JSON form
// is stable within version 1.
type Replay struct {
	Version      int            `json:"version"`
	Source       string         `json:"source"`       // the old conversation
	Conversation *string        `json:"conversation"` // the new one, null if nothing is saved
	Profile      string         `json:"profile"`
	AgentID      *string        `json:"agent_id"`
	Questions    int            `json:"questions"` // to ask
	Answered     int            `json:"answered"`
	Same         int            `json:"same"`
	Turns        []ReplayedTurn `json:"turns"`
}

// diffContext is the number of unchanged lines around a difference.
const diffContext = 2

// Add adds a turn and, unless the output is JSON, prints its difference.
func (r *Replay) Add(p *cli.Printer, old history.Turn, reply, turn string) error {
	lines := diff.Lines(old.Reply, reply, diffContext)
	t := ReplayedTurn{Question: old.Question, Before: old.Reply, After: reply, Same: len(lines) == 0, TurnBefore: old.ID, Turn: cli.OrNull(turn)}
	r.Turns = append(r.Turns, t)
	r.Answered++
	if t.Same {
		r.Same++
	}
	if p.WantsJSON() {
		return nil
	}
	return p.Printf("%s", differences(p.IO, fmt.Sprintf("%d/%d  %s", r.Answered, r.Questions, history.TitleOf(t.Question)), lines))
}

// End prints the summary if there are replies, or the JSON document.
func (r *Replay) End(p *cli.Printer) error {
	switch {
	case p.WantsJSON():
		return p.JSON(r)
	case r.Answered == 0:
		return nil
	}
	return p.Printf("same replies: %d of %d\n", r.Same, r.Answered)
}

// differences returns a heading and the lines of a difference.
func differences(io *terminal.Streams, title string, lines []diff.Line) string {
	var b strings.Builder
	b.WriteString(heading(io, "# ", title) + "\n")
	if len(lines) == 0 {
		b.WriteString("the replies are the same\n")
	}
	last := diff.Kind(-1)
	for _, line := range lines {
		if io.Accessible && line.Kind != last {
			b.WriteString(spoken[line.Kind] + "\n")
		}
		last = line.Kind
		if !io.Accessible {
			b.WriteString(difference(io, line) + "\n")
		} else if line.Kind != diff.Omitted {
			b.WriteString(textOf(io, line, "") + "\n")
		}
	}
	b.WriteString("\n")
	return b.String()
}

// spoken are the headings of lines for a screen reader.
var spoken = map[diff.Kind]string{diff.Both: "In both:", diff.Removed: "Before:", diff.Added: "After:", diff.Omitted: "(same lines omitted)"}

// marks are what lines begin with, and their colours.
var marks = map[diff.Kind]struct{ text, color string }{
	diff.Both:    {" ", ""},
	diff.Removed: {"-", "\x1b[31m"},
	diff.Added:   {"+", "\x1b[32m"},
	diff.Omitted: {"...", "\x1b[2m"},
}

func difference(io *terminal.Streams, line diff.Line) string {
	mark := marks[line.Kind]
	if mark.color == "" || !io.OutTTY || !io.OutColor {
		return mark.text + textOf(io, line, "")
	}
	return mark.color + mark.text + textOf(io, line, "\x1b[7m") + "\x1b[0m"
}

// textOf returns the text of a line, with changed words in reverse if that is the
// sequence for it.
func textOf(io *terminal.Streams, line diff.Line, reverse string) string {
	var b strings.Builder
	for _, part := range line.Parts {
		text := part.Text
		if io.OutTTY {
			text = io.Clean(text)
		}
		if part.Changed && reverse != "" {
			text = reverse + text + "\x1b[27m"
		}
		b.WriteString(text)
	}
	return b.String()
}
