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
	// maxCell is the maximum width of a cell, and maxCellBytes the maximum size of its
	// text; the rest is dropped before the width is measured.
	maxCell, maxCellBytes = 4096, 64 << 10
	// recordCell is the maximum width of a flexible cell in a record.
	recordCell = 80
	boldStart  = "\x1b[1m"
)

// Column describes one column of a table.
type Column struct {
	Title string
	// Right aligns the cells to the right, as for numbers.
	Right bool
	// Flexible marks the column that is truncated if the table is wider than the
	// terminal. The default is the last column.
	Flexible bool
}

// Table writes rows to stdout. Each cell is cleaned to one line of at most 4096 columns;
// missing cells are empty. On a terminal, columns are aligned under their titles, and no
// line is wider than the terminal. If the columns do not fit, each row becomes a record
// with a line "TITLE: value" for each cell, which the terminal wraps. Screen readers
// always get records, which are not truncated. Without a terminal, cells are separated by
// tabs and there are no titles.
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
			text := row[i]
			if len(text) > maxCellBytes {
				text = strings.ToValidUTF8(text[:maxCellBytes], "") + "…"
			}
			fields[i] = s.Truncate(clean(text), maxCell)
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

// table is a table for a terminal, with clean cells.
type table struct {
	*Streams
	columns []Column
	titles  []string
	rows    [][]string
}

// widths returns the widths of the columns: those of their widest cells, less the excess
// for the flexible column. Ok is false if that column would become too narrow.
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

// records writes each row as a record. For a table without rows it writes the titles.
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
