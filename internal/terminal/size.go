package terminal

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// defaultWidth is the number of columns where nothing tells another.
const defaultWidth = 80

// Columns is the number of columns of stdout's terminal, else of stderr's, else
// COLUMNS, else 80. The terminals are asked at each call, because people resize
// them; COLUMNS comes last, because shells export it stale after a resize.
func (s *Streams) Columns() int {
	if s.Width > 0 {
		return s.Width
	}
	if columns, _ := s.size(); columns > 0 {
		return columns
	}
	if columns, err := strconv.Atoi(s.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	return defaultWidth
}

// Rows is the number of rows of stdout's terminal, else of stderr's, at the
// moment; 0 where there is none or it does not tell.
func (s *Streams) Rows() int {
	if s.Height > 0 {
		return s.Height
	}
	_, rows := s.size()
	return rows
}

// size is that of the first terminal that tells it, zeros without any.
func (s *Streams) size() (columns, rows int) {
	for _, f := range s.screens {
		columns, rows, err := term.GetSize(int(f.Fd()))
		if err == nil && columns > 0 {
			return columns, rows
		}
	}
	return 0, 0
}

// terminals are those of files that are.
func terminals(files ...*os.File) []*os.File {
	var found []*os.File
	for _, f := range files {
		if isTerminal(f) {
			found = append(found, f)
		}
	}
	return found
}
