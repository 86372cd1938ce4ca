package view

import (
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/cells"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

const (
	// minColumn is the minimum width of a reply next to others. Two fit on a terminal of
	// 80 columns, three on one of 120.
	minColumn = 38
	// maxColumnText is the maximum size of a reply next to others, in bytes: each cell takes
	// many times the memory of its text.
	maxColumnText = 1 << 20

	columnTab = "    "
)

// NamedReply is a reply with the name of its agent.
type NamedReply struct{ Name, Text string }

// Stacked returns replies as they are printed one below the other, each like Reply and
// under a heading.
func Stacked(p *cli.Printer, replies []NamedReply, style string, raw bool) string {
	if p.IO.OutTTY && !raw {
		noteStyle(p, style)
	}
	var b strings.Builder
	for i, r := range replies {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(heading(p.IO, "# ", r.Name) + "\n\n")
		if p.IO.OutTTY && !raw {
			b.WriteString(rendered(p.IO, r.Text, style))
		} else {
			b.WriteString(p.Clean(WithNewline(r.Text)))
		}
	}
	return b.String()
}

// SideBySide returns replies in columns of a terminal, each under the name of its agent.
// If they do not fit, it returns the reason instead.
func SideBySide(p *cli.Printer, replies []NamedReply, style string, raw bool) (text, unfit string) {
	bar := cells.Row{{Text: " ", Width: 1}, {Text: "│", Width: 1}, {Text: " ", Width: 1}}
	if !p.IO.UTF8 {
		bar[1].Text = "|"
	}
	between := bar.Columns() * (len(replies) - 1)
	width := (p.IO.Columns() - between) / max(1, len(replies))
	switch {
	case !p.IO.OutTTY:
		return "", "the output is not a terminal"
	case p.IO.Accessible:
		return "", "ACCESSIBLE is set"
	case width < minColumn:
		return "", p.Sprintf("%d columns need a terminal at least %d columns wide", len(replies), minColumn*len(replies)+between)
	case slices.ContainsFunc(replies, func(r NamedReply) bool { return len(r.Text) > maxColumnText }):
		return "", "a reply is too long"
	}
	if !raw {
		noteStyle(p, style)
	}
	columns, height := make([][]cells.Row, len(replies)), 0
	for i, r := range replies {
		columns[i] = column(p, r, width, style, raw)
		height = max(height, len(columns[i]))
	}
	var rows []cells.Row
	for y := range height {
		var line cells.Row
		for i, rows := range columns {
			if i > 0 {
				line = append(line, bar...)
			}
			var row cells.Row
			if y < len(rows) {
				row = apart(rows[y])
			}
			line = append(line, row...)
			line = append(line, cells.Blanks(width-row.Columns())...)
		}
		rows = append(rows, line)
	}
	return cells.Text(rows), ""
}

// column lays out a reply in rows of at most width columns.
func column(p *cli.Printer, r NamedReply, width int, style string, raw bool) []cells.Row {
	name, _ := cells.Parse(heading(p.IO, "# ", p.IO.Truncate(terminal.CleanLine(r.Name), width-len("# "))), "")
	text := p.Clean(r.Text)
	if !raw {
		text = renderedWithin(p.IO, width, r.Text, style)
	}
	rows := []cells.Row{name, nil}
	for _, row := range cells.ParseLines(strings.ReplaceAll(text, "\t", columnTab)) {
		if row = row.Join(); row.Columns() > width {
			rows = append(rows, row.WrapVerbatim(width)...)
		} else {
			rows = append(rows, row)
		}
	}
	return rows
}

// apart removes from either end of a row what would combine with a space next to it: a
// mark at the beginning, or a sign such as U+0600 at the end.
func apart(row cells.Row) cells.Row {
	combines := func(text string) bool {
		joined, _ := cells.Parse(text, "")
		return len(joined) == 1
	}
	for len(row) > 0 && combines(" "+row[0].Text) {
		row = row[1:]
	}
	for len(row) > 0 && combines(row[len(row)-1].Text+" ") {
		row = row[:len(row)-1]
	}
	return row
}
