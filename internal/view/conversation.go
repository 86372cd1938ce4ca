package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Conversation prints the instructions and the turns of a conversation, rendered on a
// terminal and as Markdown in a pipe. With --verbose it also prints the details of each
// turn. The names of agents and the style of Markdown are those of the profile.
func Conversation(p *cli.Printer, shown history.Tree, profile config.Profile) error {
	if p.WantsJSON() {
		return p.JSON(conversationJSON(shown))
	}
	c, turns := shown.Conversation, shown.Turns
	var b strings.Builder
	b.WriteString(heading(p.IO, "# ", c.Title) + "\n")
	if i := shown.Instructions; i.Text != "" {
		fmt.Fprintf(&b, "\n%s\n\n", heading(p.IO, "## ", "instructions of "+i.Owner()))
		quote(&b, p.Clean(i.Text))
	}
	short := shortTurns(turns)
	for _, t := range turns {
		asked := t.Asked.Format(time.RFC3339)
		if p.IO.OutTTY && !p.Verbose() {
			asked = when(p.IO, t.Asked)
		}
		title := append([]string{short(t.ID), asked}, labels(t, c.Head)...)
		fmt.Fprintf(&b, "\n%s\n\n", heading(p.IO, "## ", strings.Join(title, ", ")))
		if p.Verbose() {
			for _, detail := range details(t, profile) {
				fmt.Fprintf(&b, "- %s: %s\n", detail[0], terminal.CleanLine(detail[1]))
			}
			b.WriteString("\n")
		}
		quote(&b, p.Clean(t.Question))
		b.WriteString("\n")
		switch {
		case t.State != history.Answered:
			fmt.Fprintf(&b, "(%s: %s)\n", t.State, terminal.CleanLine(cmp.Or(t.Failure.Text, "no answer yet")))
		case p.IO.OutTTY:
			b.WriteString(rendered(p.IO, t.Reply, profile.Style))
		default:
			b.WriteString(strings.TrimRight(t.Reply, "\n") + "\n")
		}
	}
	return p.Page(b.String())
}

// quote writes a clean text as a quotation in Markdown.
func quote(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		b.WriteString("> " + strings.TrimRight(line, "\n") + "\n")
	}
}

// details returns the names and values of the properties of a turn that are set.
func details(t history.Turn, profile config.Profile) [][2]string {
	took, tokens := "", ""
	if !t.Ended.IsZero() {
		took = t.Ended.Sub(t.Asked).String()
	}
	if u := t.Service.Usage; u != nil {
		tokens = tokenSum(*u)
	}
	return slices.DeleteFunc([][2]string{
		{"turn", t.ID},
		{"state", string(t.State)},
		{"asked", t.Asked.Format(time.RFC3339Nano)},
		{"parent", t.Parent},
		{"took", took},
		{"agent", profile.AgentName(t.AgentID)},
		{"model", t.Service.Model},
		{"finish reason", t.Service.FinishReason},
		{"tokens", tokens},
		{"service completion", t.Service.ID},
		{"service conversation", t.Service.ConversationID},
	}, func(detail [2]string) bool { return detail[1] == "" })
}
