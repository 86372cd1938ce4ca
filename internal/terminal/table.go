package terminal

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

const (
	columnGap = "  "
	// minFlexible is the least number of columns that a shrinking column keeps.
	minFlexible = 10
	// recordCell is how many columns of a flexible cell a record shows.
	recordCell = 80
	boldStart  = "\x1b[1m"
)

// Column describes one column of a table.
type Column struct {
	Title string
	// Right aligns the cells at their right edge, for numbers.
	Right bool
	// Flexible marks the column that is truncated when the table is wider than
	// the terminal. Without any it is the last one.
	Flexible bool
}

// Table writes rows to stdout. Every cell is cleaned to one line; a missing one is
// empty. On a terminal the columns are aligned under their titles, and no line is
// wider than the terminal. Where that has no room for all columns each row is a
// record, a line of "TITLE: value" for each cell, which the terminal wraps; so it
// is for screen readers everywhere, and there nothing is truncated. Not on a
// terminal, cells are whole and separated by tabs, and there is no line of titles.
func (s *Streams) Table(columns []Column, rows [][]string) error {
	if len(columns) == 0 {
		return nil
	}
	titles := make([]string, len(columns))
	for i, column := range columns {
		titles[i] = column.Title
	}
	table := [][]string{s.cleanCells(titles, len(columns))}
	for _, row := range rows {
		table = append(table, s.cleanCells(row, len(columns)))
	}
	var b strings.Builder
	if !s.OutTTY {
		for _, row := range table[1:] {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
	} else if widths, ok := s.columnWidths(columns, table); ok && !s.Accessible {
		s.align(&b, columns, table, widths)
	} else {
		s.records(&b, columns, table)
	}
	_, err := io.WriteString(s.Out, b.String())
	return err
}

func (s *Streams) cleanCells(row []string, count int) []string {
	clean := CleanLine
	if s.OutTTY {
		clean = s.CleanLine
	}
	cells := make([]string, count)
	for i := range min(len(row), count) {
		cells[i] = clean(row[i])
	}
	return cells
}

func (s *Streams) align(b *strings.Builder, columns []Column, table [][]string, widths []int) {
	for i, row := range table {
		fields := make([]string, len(columns))
		for j, cell := range row {
			cell = s.Truncate(cell, widths[j])
			padding := strings.Repeat(" ", widths[j]-ansi.StringWidth(cell))
			if columns[j].Right {
				fields[j] = padding + cell
			} else {
				fields[j] = cell + padding
			}
		}
		line := strings.TrimRight(strings.Join(fields, columnGap), " ")
		if i == 0 && s.OutColor {
			line = boldStart + line + cells.Reset
		}
		b.WriteString(line + "\n")
	}
}

// records writes each row as the lines of its cells. A table without rows is its
// titles.
func (s *Streams) records(b *strings.Builder, columns []Column, table [][]string) {
	titles := table[0]
	if len(table) == 1 {
		b.WriteString(strings.TrimRight(strings.Join(titles, "\n"), "\n") + "\n")
		return
	}
	for i, row := range table[1:] {
		if i > 0 {
			b.WriteString("\n")
		}
		for j, cell := range row {
			if columns[j].Flexible && !s.Accessible {
				cell = s.Truncate(cell, recordCell)
			}
			b.WriteString(s.field(titles[j], cell))
		}
	}
}

// field is the line of a cell in a record, none where it has neither title nor
// value.
func (s *Streams) field(title, value string) string {
	switch {
	case title != "" && s.OutColor && !s.Accessible:
		title = boldStart + title + ":" + cells.Reset
	case title != "":
		title += ":"
	case value == "":
		return ""
	default:
		return value + "\n"
	}
	return strings.TrimRight(title+" "+value, " ") + "\n"
}

// columnWidths gives each column the width of its widest cell and takes what is
// too much from the flexible one. It fails where that cannot give enough.
func (s *Streams) columnWidths(columns []Column, table [][]string) (widths []int, ok bool) {
	widths = make([]int, len(columns))
	for _, row := range table {
		for j, cell := range row {
			widths[j] = max(widths[j], ansi.StringWidth(cell))
		}
	}
	flexible, total := len(columns)-1, len(columnGap)*(len(columns)-1)
	for j := len(columns) - 1; j >= 0; j-- {
		if columns[j].Flexible {
			flexible = j
		}
		total += widths[j]
	}
	excess := max(total-s.Columns(), 0)
	if excess > max(widths[flexible]-minFlexible, 0) {
		return nil, false
	}
	widths[flexible] -= excess
	return widths, true
}

// Truncate is the function Truncate in the characters that the locale shows.
func (s *Streams) Truncate(line string, width int) string {
	if s.UTF8 {
		return Truncate(line, width)
	}
	return ansi.Truncate(line, width, "...")
}
