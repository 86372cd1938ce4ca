package view

import (
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type hitJSON struct {
	Conversation string    `json:"conversation"`
	Title        string    `json:"title"`
	Profile      string    `json:"profile"`
	Turn         *string   `json:"turn"`
	Field        string    `json:"field"`
	When         time.Time `json:"when"`
	Snippet      string    `json:"snippet"`
	Marks        [][2]int  `json:"marks"` // bytes of the snippet: from, to
}

// Hits prints what a search found.
func Hits(p *cli.Printer, hits []history.Hit) error {
	if p.WantsJSON() {
		out := make([]hitJSON, len(hits))
		for i, h := range hits {
			out[i] = hitJSON{
				h.Conversation.ID, h.Conversation.Title, h.Conversation.Profile, cli.OrNull(h.Turn.ID), h.Field, h.When, h.Snippet,
				append([][2]int{}, h.Marks...),
			}
		}
		return p.JSON(out)
	}
	if len(hits) == 0 {
		p.Note("nothing was found")
		return nil
	}
	var b strings.Builder
	for _, h := range hits {
		b.WriteString(hit(p.IO, h))
	}
	return p.Page(b.String())
}

// hit returns one line of fields for a pipe, two lines for a person.
func hit(io *terminal.Streams, h history.Hit) string {
	conversation, turn := history.Short(h.Conversation.ID), history.Short(h.Turn.ID)
	if !io.OutTTY {
		return strings.Join([]string{
			conversation, turn, when(io, h.When), h.Field, terminal.CleanLine(h.Conversation.Title), terminal.CleanLine(h.Snippet),
		}, "\t") + "\n"
	}
	if turn != "" {
		conversation += "  turn " + turn
	}
	head := strings.Join([]string{conversation, when(io, h.When), terminal.CleanLine(h.Conversation.Title)}, "  ")
	return heading(io, "", io.Truncate(head, io.Columns())) + "\n" +
		io.Truncate("  "+h.Field+": "+highlight(io, h), io.Columns()*2) + "\n"
}

// highlight returns the snippet on one line with the marked places in bold yellow.
func highlight(io *terminal.Streams, h history.Hit) string {
	// One byte for one byte, so that the marks stay where they are.
	line := strings.NewReplacer("\n", " ", "\t", " ", "\r", " ").Replace(h.Snippet)
	if !io.OutColor {
		return terminal.Clean(line)
	}
	var b strings.Builder
	at := 0
	for _, m := range h.Marks {
		b.WriteString(terminal.Clean(line[at:m[0]]) + "\x1b[1;33m" + terminal.Clean(line[m[0]:m[1]]) + "\x1b[0m")
		at = m[1]
	}
	return b.String() + terminal.Clean(line[at:])
}
