package markdown

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extensions "github.com/yuin/goldmark/extension/ast"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

const (
	// readableWord is the longest word, in columns, that tables do not break.
	readableWord = 12

	recordIndent = 2
)

// table lays out a table in columns. For screen readers, or if the columns would be
// too narrow to read, each field gets its own line.
func (b *blocks) table(n *extensions.Table, width int) []cells.Row {
	var table [][]cells.Row
	for row := range children(n) {
		fields := make([]cells.Row, 0, len(n.Alignments))
		excess := b.excess(row, cap(fields))
		for node := range children(row) {
			paragraph := b.paragraph(node)
			if excess != "" && node.NextSibling() == nil {
				paragraph.AppendChild(paragraph, b.text(" | "+excess))
			}
			fields = append(fields, slices.Concat(b.leaf(paragraph)...))
		}
		table = append(table, fields)
	}
	separator, crossing, line := b.ruling()
	widths, ok := columnWidths(table, width-len(separator)*(len(n.Alignments)-1))
	if !ok || b.accessible {
		return records(table, width)
	}
	rule := make([]cells.Row, len(widths))
	for i, width := range widths {
		rule[i] = slices.Repeat(line, width)
	}
	rows := aligned(table[0], widths, n.Alignments, separator)
	rows = append(rows, aligned(rule, widths, n.Alignments, crossing)...)
	for _, fields := range table[1:] {
		rows = append(rows, aligned(fields, widths, n.Alignments, separator)...)
	}
	return rows
}

// excess returns the fields of a row beyond the columns of the table, which the GFM
// table extension drops.
func (b *blocks) excess(row ast.Node, columns int) string {
	last := row.LastChild()
	if row.ChildCount() < columns || last == nil || last.Lines().Len() == 0 {
		return ""
	}
	rest, _, _ := bytes.Cut(b.source[last.Lines().At(0).Stop:], []byte("\n"))
	return strings.Trim(string(rest), " |")
}

// ruling returns the separator of two columns, in the rows and in the line below the
// header, and the character of that line.
func (b *blocks) ruling() (separator, crossing, line cells.Row) {
	vertical, cross, horizontal := "│", "┼", "─"
	if style := b.config.Table; style.ColumnSeparator != nil && style.RowSeparator != nil && style.CenterSeparator != nil {
		vertical, cross, horizontal = *style.ColumnSeparator, *style.CenterSeparator, *style.RowSeparator
	}
	line = cells.Row{{Text: horizontal, Width: 1}}
	return slices.Concat(cells.Blanks(1), cells.Row{{Text: vertical, Width: 1}}, cells.Blanks(1)),
		slices.Concat(line, cells.Row{{Text: cross, Width: 1}}, line), line
}

// columnWidths gives each column the width of its widest field. If the columns
// together exceed budget, the widest ones shrink. It fails if that would break words
// no longer than readableWord.
func columnWidths(table [][]cells.Row, budget int) ([]int, bool) {
	natural := make([]int, len(table[0]))
	least := make([]int, len(table[0]))
	widest := 1
	for _, fields := range table {
		for j, field := range fields {
			natural[j] = max(natural[j], field.Columns())
			least[j] = max(least[j], min(field.LongestWord(), readableWord))
			widest = max(widest, natural[j])
		}
	}
	for limit := min(widest, budget); limit > 0; limit-- {
		widths, total := make([]int, len(natural)), 0
		for j := range natural {
			widths[j] = max(1, least[j], min(natural[j], limit))
			total += widths[j]
		}
		if total <= budget {
			return widths, true
		}
	}
	return nil, false
}

// aligned lays out one row of a table.
func aligned(fields []cells.Row, widths []int, alignments []extensions.Alignment, separator cells.Row) []cells.Row {
	height := 1
	columns := make([][]cells.Row, len(fields))
	for j, field := range fields {
		columns[j] = field.Wrap(widths[j])
		height = max(height, len(columns[j]))
	}
	lines := make([]cells.Row, height)
	for i := range lines {
		for j, column := range columns {
			if j > 0 {
				lines[i] = append(lines[i], separator...)
			}
			var part cells.Row
			if i < len(column) {
				part = column[i]
			}
			room := widths[j] - part.Columns()
			left := 0
			switch alignments[j] {
			case extensions.AlignRight:
				left = room
			case extensions.AlignCenter:
				left = room / 2
			}
			lines[i] = slices.Concat(lines[i], cells.Blanks(left), part, cells.Blanks(room-left))
		}
	}
	return lines
}

// records lays out the rows of a table with each field on its own line, after the
// title of its column.
func records(table [][]cells.Row, width int) []cells.Row {
	var rows []cells.Row
	line := func(content cells.Row) {
		if len(content) == 0 {
			return
		}
		wrapped := content.Wrap(width)
		rows = append(rows, wrapped[0])
		if len(wrapped) > 1 {
			rest := content[len(wrapped[0]):].TrimLeft()
			indent := cells.Blanks(min(recordIndent, width/3))
			rows = append(rows, cells.Prefix(indent, indent, rest.Wrap(width-len(indent)))...)
		}
	}
	if len(table) == 1 {
		for _, title := range table[0] {
			line(title)
		}
		return rows
	}
	for i, fields := range table[1:] {
		if i > 0 && len(rows) > 0 {
			rows = append(rows, nil)
		}
		for j, field := range fields {
			if title := table[0][j]; len(title) > 0 {
				field = slices.Concat(title, cells.Row{{Text: ":", Width: 1}}, cells.Blanks(1), field)
			}
			line(field)
		}
	}
	return rows
}
