package terminal

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extensions "github.com/yuin/goldmark/extension/ast"
)

const (
	// readableWord is the number of columns that a word of a table may need
	// before it is broken.
	readableWord = 12

	recordIndent = 2
)

// table lays out a table in columns, and where they would be too narrow to read,
// and for screen readers, as a line for each cell.
func (b *blocks) table(n *extensions.Table, width int) ([][]cell, error) {
	var table [][][]cell
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cells := make([][]cell, len(n.Alignments))
		excess := b.excess(row, len(n.Alignments))
		i := 0
		for node := row.FirstChild(); node != nil && i < len(cells); node = node.NextSibling() {
			paragraph := ast.NewParagraph()
			adopt(paragraph, node)
			b.resolve(paragraph)
			if excess != "" && i == len(cells)-1 {
				paragraph.AppendChild(paragraph, b.script.text(" | "+excess))
			}
			lines, err := b.leaf(paragraph)
			if err != nil {
				return nil, err
			}
			for _, line := range lines {
				cells[i] = append(cells[i], line...)
			}
			i++
		}
		table = append(table, cells)
	}
	separator, rule := b.ruling()
	widths, ok := columnWidths(table, width-len(columnGap)*(len(n.Alignments)-1)-len(n.Alignments)+1)
	if !ok || b.accessible {
		return records(table, width), nil
	}
	var rows [][]cell
	for i, cells := range table {
		rows = append(rows, aligned(cells, widths, n.Alignments, separator)...)
		if i == 0 {
			rows = append(rows, rule(widths))
		}
	}
	return rows, nil
}

// excess is the cells of a row that the table has no columns for, which
// CommonMark's tables leave out.
func (b *blocks) excess(row ast.Node, columns int) string {
	last := row.LastChild()
	if row.ChildCount() < columns || last == nil || last.Lines().Len() == 0 {
		return ""
	}
	rest := string(b.source[last.Lines().At(0).Stop:])
	rest, _, _ = strings.Cut(rest, "\n")
	return strings.Trim(rest, " |")
}

// ruling is what separates columns, one column wide, and the header from the
// rest.
func (b *blocks) ruling() (separator []cell, rule func(widths []int) []cell) {
	vertical, cross, horizontal := "│", "┼", "─"
	if style := b.config.Table; style.ColumnSeparator != nil && style.RowSeparator != nil && style.CenterSeparator != nil {
		vertical, cross, horizontal = *style.ColumnSeparator, *style.CenterSeparator, *style.RowSeparator
	}
	separator = []cell{{text: " ", width: 1}, {text: vertical, width: 1}, {text: " ", width: 1}}
	return separator, func(widths []int) []cell {
		var row []cell
		for i, width := range widths {
			if i > 0 {
				row = append(row, cell{text: horizontal, width: 1}, cell{text: cross, width: 1}, cell{text: horizontal, width: 1})
			}
			for range width {
				row = append(row, cell{text: horizontal, width: 1})
			}
		}
		return row
	}
}

// columnWidths gives each column the width of its widest cell, and less to the
// widest columns while all of them are wider than budget. It fails where words
// would be broken that are no longer than readableWord.
func columnWidths(table [][][]cell, budget int) ([]int, bool) {
	natural := make([]int, len(table[0]))
	least := make([]int, len(table[0]))
	for _, row := range table {
		for j, cells := range row {
			natural[j] = max(natural[j], columnsOf(cells))
			least[j] = max(least[j], min(longestWord(cells), readableWord))
		}
	}
	widest := 1
	for j := range natural {
		widest = max(widest, natural[j])
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

func longestWord(cells []cell) int {
	longest, word := 0, 0
	for _, c := range cells {
		switch {
		case c.blank():
			word = 0
		case c.width > 1: // can be broken beside it
			word = c.width
		default:
			word += c.width
		}
		longest = max(longest, word)
	}
	return longest
}

// aligned lays out one row of a table.
func aligned(row [][]cell, widths []int, alignments []extensions.Alignment, separator []cell) [][]cell {
	height := 1
	columns := make([][][]cell, len(row))
	for j, cells := range row {
		columns[j] = wrap(cells, widths[j])
		height = max(height, len(columns[j]))
	}
	lines := make([][]cell, height)
	for i := range lines {
		for j, column := range columns {
			if j > 0 {
				lines[i] = append(lines[i], separator...)
			}
			var cells []cell
			if i < len(column) {
				cells = column[i]
			}
			room := widths[j] - columnsOf(cells)
			left := 0
			switch alignments[j] {
			case extensions.AlignRight:
				left = room
			case extensions.AlignCenter:
				left = room / 2
			}
			lines[i] = append(lines[i], blanks(left)...)
			lines[i] = append(lines[i], cells...)
			lines[i] = append(lines[i], blanks(room-left)...)
		}
	}
	return lines
}

// records lays out the rows of a table one cell below the other, each behind the
// title of its column.
func records(table [][][]cell, width int) [][]cell {
	var rows [][]cell
	line := func(cells []cell) {
		if len(cells) == 0 {
			return
		}
		wrapped := wrap(cells, width)
		rows = append(rows, wrapped[0])
		if len(wrapped) > 1 {
			rest := cells[len(wrapped[0]):]
			for leadingBlanks(rest) > 0 {
				rest = rest[1:]
			}
			indent := blanks(min(recordIndent, width/3))
			rows = append(rows, quoted(indent, indent, wrap(rest, width-len(indent)))...)
		}
	}
	if len(table) == 1 {
		for _, title := range table[0] {
			line(title)
		}
		return rows
	}
	for i, cells := range table[1:] {
		if i > 0 && len(rows) > 0 {
			rows = append(rows, nil)
		}
		for j, content := range cells {
			title := table[0][j]
			var whole []cell
			whole = append(whole, title...)
			if len(title) > 0 {
				whole = append(whole, cell{text: ":", width: 1}, cell{text: " ", width: 1})
			}
			line(append(whole, content...))
		}
	}
	return rows
}
