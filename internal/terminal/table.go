package terminal

import (
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

const (
	columnGap = "  "
	// minFlexible is the minimum width of a column that is truncated.
	minFlexible = 10
	// recordCell is the maximum width of a flexible cell in a record.
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
// wider than the terminal. If it has no room for all columns, each row is a record,
// a line of "TITLE: value" for each cell, which the terminal wraps; screen readers
// always get records, with nothing truncated. Without a terminal, cells are complete
// and separated by tabs, and there are no titles.
func (s *Streams) Table(columns []Column, rows [][]string) error {
	if len(columns) == 0 {
		return nil
	}
	clean := CleanLine
	if s.OutTTY {
		clean = s.CleanLine
	}
	t := table{Streams: s, columns: columns}
	for _, column := range columns {
		t.titles = append(t.titles, clean(column.Title))
	}
	for _, row := range rows {
		fields := make([]string, len(columns))
		for i := range min(len(row), len(columns)) {
			fields[i] = clean(row[i])
		}
		t.rows = append(t.rows, fields)
	}
	var b strings.Builder
	if !s.OutTTY {
		for _, row := range t.rows {
			b.WriteString(strings.Join(row, "\t") + "\n")
		}
	} else if widths, ok := t.widths(); ok && !s.Accessible {
		t.align(&b, widths)
	} else {
		t.records(&b)
	}
	_, err := io.WriteString(s.Out, b.String())
	return err
}

// table is a table of clean cells for a terminal.
type table struct {
	*Streams
	columns []Column
	titles  []string
	rows    [][]string
}

// widths gives each column the width of its widest cell and takes the excess from
// the flexible one. It fails if that is not wide enough.
func (t table) widths() (widths []int, ok bool) {
	total := len(columnGap) * (len(t.columns) - 1)
	flexible := slices.IndexFunc(t.columns, func(column Column) bool { return column.Flexible })
	if flexible < 0 {
		flexible = len(t.columns) - 1
	}
	for j, title := range t.titles {
		width := ansi.StringWidth(title)
		for _, row := range t.rows {
			width = max(width, ansi.StringWidth(row[j]))
		}
		widths = append(widths, width)
		total += width
	}
	excess := max(total-t.Columns(), 0)
	if excess > max(widths[flexible]-minFlexible, 0) {
		return nil, false
	}
	widths[flexible] -= excess
	return widths, true
}

func (t table) align(b *strings.Builder, widths []int) {
	for i, row := range slices.Concat([][]string{t.titles}, t.rows) {
		fields := make([]string, len(row))
		for j, cell := range row {
			cell = t.Truncate(cell, widths[j])
			padding := strings.Repeat(" ", widths[j]-ansi.StringWidth(cell))
			if t.columns[j].Right {
				fields[j] = padding + cell
			} else {
				fields[j] = cell + padding
			}
		}
		line := strings.TrimRight(strings.Join(fields, columnGap), " ")
		if i == 0 && t.OutColor {
			line = boldStart + line + cells.Reset
		}
		b.WriteString(line + "\n")
	}
}

// records writes each row as the lines of its cells. A table without rows is its
// titles.
func (t table) records(b *strings.Builder) {
	if len(t.rows) == 0 {
		b.WriteString(strings.TrimRight(strings.Join(t.titles, "\n"), "\n") + "\n")
		return
	}
	for i, row := range t.rows {
		if i > 0 {
			b.WriteString("\n")
		}
		for j, cell := range row {
			if t.columns[j].Flexible && !t.Accessible {
				cell = t.Truncate(cell, recordCell)
			}
			title := t.titles[j]
			switch {
			case title != "" && t.OutColor && !t.Accessible:
				title = boldStart + title + ":" + cells.Reset + " "
			case title != "":
				title += ": "
			case cell == "":
				continue
			}
			b.WriteString(strings.TrimRight(title+cell, " ") + "\n")
		}
	}
}
