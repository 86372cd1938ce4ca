package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// style is how text looks; a colour is an index of the 256, or unset.
type style struct {
	fg, bg int
	bold   bool
}

// unset is the terminal's own colour.
const unset = -1

// promptStyle and commandStyle are how the line that a person types looks.
var (
	plain        = style{fg: unset, bg: unset}
	promptStyle  = style{fg: 10, bg: unset, bold: true}
	commandStyle = style{fg: 15, bg: unset, bold: true}
)

// span is a piece of a row in one style.
type span struct {
	at   int // column
	text string
	style
}

// end is the column after the span.
func (s span) end() int { return s.at + utf8.RuneCountInString(s.text) }

// screen is a terminal that knows what hobnob writes: text, line ends, colours,
// and the erasing of a line by the spinner. Anything else is an error, so that
// the picture cannot go wrong unnoticed.
type screen struct {
	rows     [][]span // the last is being written
	pen      style
	returned bool // to the first column
}

// token is the next thing that is written: a text or a control sequence.
var token = regexp.MustCompile(`^(?:[^\x00-\x1f\x7f]+|\r?\n|\r|\x1b\[([0-9;]*)([A-Za-z]))`)

func (s *screen) write(output string) error {
	for output != "" {
		found := token.FindStringSubmatch(output)
		if found == nil {
			return fmt.Errorf("cannot draw the control character at %.12q", output)
		}
		output = output[len(found[0]):]
		switch text := found[0]; {
		case text == "\r":
			s.returned = true
		case strings.HasSuffix(text, "\n"):
			s.newline()
		case found[2] == "m":
			if err := s.colour(found[1]); err != nil {
				return err
			}
		case text == "\x1b[K" && s.returned:
			s.rows[len(s.rows)-1], s.returned = nil, false
		case found[2] != "" || s.returned:
			return fmt.Errorf("cannot draw %q", text)
		default:
			if end := s.put(text); end > columns {
				return fmt.Errorf("wider than %d columns: %q", columns, text)
			}
		}
	}
	return nil
}

// typed writes the line that a person types.
func (s *screen) typed(line string) {
	s.pen = promptStyle
	s.put("$ ")
	s.pen = commandStyle
	s.put(line)
	s.pen = plain
	s.newline()
}

func (s *screen) newline() { s.rows, s.returned = append(s.rows, nil), false }

// put writes text and returns the column after it.
func (s *screen) put(text string) (end int) {
	row, next := &s.rows[len(s.rows)-1], span{0, text, s.pen}
	if n := len(*row); n > 0 {
		last := (*row)[n-1]
		if next.at = last.end(); last.style == s.pen {
			*row, next = (*row)[:n-1], span{last.at, last.text + text, s.pen}
		}
	}
	*row = append(*row, next)
	return next.end()
}

// colour applies the parameters of an SGR sequence (ECMA-48, 8.3.117).
func (s *screen) colour(parameters string) error {
	for codes := strings.Split(parameters, ";"); len(codes) > 0; codes = codes[1:] {
		switch code := codes[0]; {
		case code == "" || code == "0":
			s.pen = plain
		case code == "1":
			s.pen.bold = true
		case (code == "38" || code == "48") && len(codes) > 2 && codes[1] == "5":
			n, err := strconv.ParseUint(codes[2], 10, 8)
			if err != nil {
				return err
			}
			if codes = codes[2:]; code == "38" {
				s.pen.fg = int(n)
			} else {
				s.pen.bg = int(n)
			}
		default:
			return fmt.Errorf("cannot draw the colours ESC [ %s m", parameters)
		}
	}
	return nil
}

// lines returns the rows without the empty ones at the end.
func (s *screen) lines() [][]span {
	rows := s.rows
	for len(rows) > 0 && len(rows[len(rows)-1]) == 0 {
		rows = rows[:len(rows)-1]
	}
	return rows
}
