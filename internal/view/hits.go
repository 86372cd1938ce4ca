package view

import (
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/shell"
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
	Marks        [][2]int  `json:"marks"` // byte ranges in the snippet: start, end
}

// Hits prints the hits of a search. On a terminal, hits in other profiles than the
// selected one show their profile. Elsewhere is the name of another profile with hits,
// or empty; it is used if there are no hits.
func Hits(p *cli.Printer, hits []history.Hit, selected, elsewhere string) error {
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
		if elsewhere != "" {
			p.Note("no matches in profile %s; matches in profile %s (-p %s)", selected, elsewhere, shell.Word(elsewhere))
		} else {
			p.Note("no matches")
		}
		return nil
	}
	var b strings.Builder
	conversations, turns := make([]string, len(hits)), make([]string, len(hits))
	for i, h := range hits {
		conversations[i], turns[i] = h.Conversation.ID, h.Turn.ID
	}
	conversation, turn := history.Shorts(conversations...), history.Shorts(turns...)
	for _, h := range hits {
		b.WriteString(hit(p.IO, h, conversation(h.Conversation.ID), turn(h.Turn.ID), selected))
	}
	return p.Page(b.String())
}

// hit returns a hit as one line of fields for a pipe, or as two lines for a terminal.
// Conversation and turn are short ids.
func hit(io *terminal.Streams, h history.Hit, conversation, turn, selected string) string {
	if !io.OutTTY {
		return strings.Join([]string{
			conversation, turn, when(io, h.When), h.Field, terminal.CleanLine(h.Conversation.Title), terminal.CleanLine(h.Snippet),
		}, "\t") + "\n"
	}
	if turn != "" {
		conversation += "  turn " + turn
	}
	title := terminal.CleanLine(h.Conversation.Title)
	if h.Conversation.Profile != selected {
		title = "(profile " + h.Conversation.Profile + ")  " + title
	}
	head := strings.Join([]string{conversation, when(io, h.When), title}, "  ")
	return heading(io, "", io.Truncate(head, io.Columns())) + "\n" +
		io.Truncate("  "+h.Field+": "+highlight(io, h), io.Columns()*2) + "\n"
}

// highlight returns the snippet on one line with the marked places in bold yellow.
func highlight(io *terminal.Streams, h history.Hit) string {
	// Replace single bytes by single bytes, because the marks are byte offsets.
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
