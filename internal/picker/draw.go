package picker

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/cells"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

const (
	// minAcross is the width from which the preview is at the right of the list.
	minAcross = 120
	// minBelow is the height from which the preview is below the list.
	minBelow = 18
	// minDetails is the width of a list from which it shows the time of the last use.
	minDetails = 50
	// maxPreview is the maximum length of a text in the preview, in bytes.
	maxPreview = 16 << 10
)

// look is the division of the screen: the typed text, the list, the preview and a line
// of help.
type look struct {
	columns, height             int
	listColumns, rows           int
	previewColumns, previewRows int
	help                        bool
}

// lookOf returns the division of a screen.
func lookOf(columns, height int) look {
	l := look{columns: columns, height: height, listColumns: columns, help: height > 3}
	l.rows = max(height-1, 0)
	if l.help {
		l.rows--
	}
	switch {
	case columns >= minAcross && l.rows >= 3:
		l.listColumns = columns / 2
		l.previewColumns, l.previewRows = columns-l.listColumns-len(" | "), l.rows
	case l.rows >= minBelow:
		l.previewColumns, l.previewRows = columns, l.rows*2/5
		l.rows -= l.previewRows + 1
	}
	return l
}

// draw returns the sequences that draw the whole screen.
func (p Picker) draw(look look, l *list, shown preview) string {
	lines, cursor := p.lines(look, l, shown)
	var b strings.Builder
	b.WriteString("\x1b[?25l")
	for i, line := range lines {
		fmt.Fprintf(&b, "\x1b[%d;1H\x1b[2K%s", i+1, line)
	}
	fmt.Fprintf(&b, "\x1b[1;%dH\x1b[?25h", cursor+1)
	return b.String()
}

// lines returns the lines of the screen and the column of the cursor in the first one.
func (p Picker) lines(look look, l *list, shown preview) (lines []string, cursor int) {
	if look.height < 1 || look.columns < 1 {
		return nil, 0
	}
	first, cursor := p.input(look.columns, l.text)
	lines = append(lines, first)
	for i := range look.rows {
		lines = append(lines, p.row(look.listColumns, l, l.top+i))
	}
	if c, ok := l.selected(); look.previewRows > 0 {
		text := ""
		if ok && shown.id == c.ID {
			text = shown.text
		}
		rows := strings.Split(terminal.Wrap(text, look.previewColumns, 0), "\n")
		below := look.previewColumns == look.columns
		if below {
			lines = append(lines, strings.Repeat(p.line("─", "-"), look.columns))
		}
		for i := range look.previewRows {
			row := ""
			if i < len(rows) {
				row = p.IO.Truncate(rows[i], look.previewColumns)
			}
			if below {
				lines = append(lines, row)
				continue
			}
			list := lines[1+i]
			lines[1+i] = list + strings.Repeat(" ", max(look.listColumns-terminal.Width(list), 0)) + p.line(" │ ", " | ") + row
		}
	}
	if look.help {
		lines = append(lines, p.status(look.columns, l))
	}
	return lines, cursor
}

// line returns a line for a terminal with or without Unicode.
func (p Picker) line(unicode, ascii string) string {
	if p.IO.UTF8 {
		return unicode
	}
	return ascii
}

// input returns the line with the typed text, of which it shows the end, and the column
// of the cursor.
func (p Picker) input(columns int, text string) (line string, cursor int) {
	const label = "search: "
	row, _ := cells.Parse(p.IO.Clean(text), "")
	if columns >= 4*len(label) {
		line = label
	}
	for len(row) > 0 && row.Columns() > columns-len(line)-1 {
		row = row[1:]
	}
	return line + row.String(), len(line) + row.Columns()
}

// row returns the row of a conversation. During a search, the rows of the earlier text are
// shown, but none is selected.
func (p Picker) row(columns int, l *list, at int) string {
	c, ok := l.read(at)
	switch {
	case !ok && l.total() == 0 && at == 0:
		return p.IO.Truncate("  no matches", columns)
	case !ok:
		return ""
	}
	selected := at == l.at && !l.stale()
	mark, after := "  ", ""
	if selected {
		mark = "> "
	}
	if columns >= minDetails {
		after = fmt.Sprintf("  %12s", p.IO.Truncate(duration.Ago(c.Updated, time.Now()), 12))
	}
	room := max(columns-len(mark)-len(after), 0)
	title := p.IO.Truncate(p.IO.CleanLine(titleOf(c)), room)
	text := p.IO.Truncate(mark+title+strings.Repeat(" ", max(room-terminal.Width(title), 0))+after, columns)
	if selected {
		return "\x1b[7m" + text + cells.Reset
	}
	return text
}

// titleOf returns the title of a conversation, or else its id.
func titleOf(c history.Conversation) string { return cmp.Or(c.Title, c.ID) }

// status returns the last line: the position in the list, and as much help as fits.
func (p Picker) status(columns int, l *list) string {
	var parts []string
	switch total := l.total(); {
	case l.stale():
		parts = []string{p.line("searching…", "searching...")}
	case l.text != "" && total >= history.MaxMatches:
		parts = []string{fmt.Sprintf("%d of %d or more", l.at+1, total)}
	case total > 0:
		parts = []string{fmt.Sprintf("%d of %d", l.at+1, total)}
	}
	for _, help := range []string{"Up and Down move, Enter chooses, Esc cancels", "Enter chooses, Esc cancels"} {
		if line := strings.Join(append(parts, help), " - "); terminal.Width(line) <= columns {
			return line
		}
	}
	return p.IO.Truncate(strings.Join(parts, ""), columns)
}

// preview is the description of a conversation.
type preview struct{ id, text string }

// describe returns the preview of a conversation: its title, unless it is that of the
// question, and the newest turn that contains the text.
func (p Picker) describe(ctx context.Context, c history.Conversation, r request) (preview, error) {
	facts := []string{history.Short(c.ID), plural.Count(c.Turns, "turn"), duration.Ago(c.Updated, time.Now())}
	lines := []string{strings.Join(facts, ", ")}
	turn, ok, err := p.Store.NewestMatch(ctx, c, r.text)
	if !ok || c.Title != history.TitleOf(turn.Question) {
		lines = slices.Insert(lines, 0, p.IO.CleanLine(titleOf(c)))
	}
	if ok {
		lines = append(lines, "", "> "+p.IO.CleanLine(beginning(turn.Question)))
		if turn.State == history.Answered {
			lines = append(lines, "", p.IO.Clean(beginning(turn.Reply)))
		} else {
			lines = append(lines, "", "no answer ("+string(turn.State)+")")
		}
	}
	return preview{c.ID, strings.ReplaceAll(strings.Join(lines, "\n"), "\t", "    ")}, err
}

// beginning returns the beginning of a text.
func beginning(text string) string {
	if len(text) <= maxPreview {
		return text
	}
	return strings.ToValidUTF8(text[:maxPreview], "")
}
