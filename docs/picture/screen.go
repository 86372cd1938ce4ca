package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// style is the appearance of text. A colour is an index into the 256 colours of
// xterm, or unset.
type style struct {
	fg, bg int
	bold   bool
}

// unset is the terminal's default colour.
const unset = -1

// Styles of plain text, of the shell prompt and of the command after it.
var (
	plain        = style{fg: unset, bg: unset}
	promptStyle  = style{fg: 10, bg: unset, bold: true}
	commandStyle = style{fg: 15, bg: unset, bold: true}
)

// span is a part of a row in one style.
type span struct {
	at   int // column
	text string
	style
}

// end returns the column after the span.
func (s span) end() int { return s.at + utf8.RuneCountInString(s.text) }

// screen is a terminal that supports only what hobnob writes: text, line ends,
// colours, and the erasing of a line by the spinner. Anything else is an error, so
// that a wrong picture is always noticed.
type screen struct {
	rows     [][]span // the last one is being written
	pen      style
	returned bool // the cursor is in the first column
}

// token matches a text or a control sequence at the start of the output.
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
				return fmt.Errorf("line is wider than %d columns: %q", columns, text)
			}
		}
	}
	return nil
}

// typed writes the shell prompt and a command.
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
			return fmt.Errorf("cannot draw the SGR sequence ESC [ %s m", parameters)
		}
	}
	return nil
}

// lines returns the rows without trailing empty ones.
func (s *screen) lines() [][]span {
	rows := s.rows
	for len(rows) > 0 && len(rows[len(rows)-1]) == 0 {
		rows = rows[:len(rows)-1]
	}
	return rows
}
