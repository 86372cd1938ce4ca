package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// style is how a character looks; a colour is an index of the 256, or unset.
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

type cell struct {
	char rune
	style
}

// screen is a terminal that knows what hobnob writes: text, line ends, colours,
// and the erasing of a line by the spinner. Anything else is an error, so that
// the picture cannot go wrong unnoticed.
type screen struct {
	width int
	rows  [][]cell
	x     int
	pen   style
}

func newScreen(width int) *screen {
	return &screen{width: width, rows: [][]cell{nil}, pen: plain}
}

// sequence is a control sequence: its parameters and its final letter.
var sequence = regexp.MustCompile(`^\x1b\[([0-9;]*)([A-Za-z])`)

func (s *screen) write(output []byte) error {
	for text := string(output); text != ""; {
		if text[0] == '\x1b' {
			found := sequence.FindStringSubmatch(text)
			if found == nil {
				return fmt.Errorf("cannot draw the sequence at %.12q", text)
			}
			if err := s.control(found[1], found[2]); err != nil {
				return err
			}
			text = text[len(found[0]):]
			continue
		}
		char, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case char == '\r':
			s.x = 0
		case char == '\n':
			s.newline()
		case char < ' ':
			return fmt.Errorf("cannot draw the character %q", char)
		default:
			s.put(char)
		}
	}
	return nil
}

// typed writes the line that a person types.
func (s *screen) typed(line string) {
	s.pen = promptStyle
	s.put('$')
	s.put(' ')
	s.pen = commandStyle
	for _, char := range line {
		s.put(char)
	}
	s.pen = plain
	s.newline()
}

func (s *screen) newline() {
	s.rows = append(s.rows, nil)
	s.x = 0
}

func (s *screen) put(char rune) {
	if s.x == s.width {
		s.newline()
	}
	last := len(s.rows) - 1
	row := s.rows[last]
	for len(row) <= s.x {
		row = append(row, cell{' ', plain})
	}
	row[s.x] = cell{char, s.pen}
	s.rows[last] = row
	s.x++
}

func (s *screen) control(parameters, letter string) error {
	last := len(s.rows) - 1
	switch {
	case letter == "m":
		return s.colour(parameters)
	case letter == "K" && (parameters == "" || parameters == "0"):
		s.rows[last] = s.rows[last][:min(s.x, len(s.rows[last]))]
		return nil
	}
	return fmt.Errorf("cannot draw the control sequence ESC [ %s %s", parameters, letter)
}

// colour applies the parameters of an SGR sequence (ECMA-48, 8.3.117).
func (s *screen) colour(parameters string) error {
	var codes []int
	for _, text := range strings.Split(parameters, ";") {
		code, err := strconv.Atoi("0" + text)
		if err != nil {
			return err
		}
		codes = append(codes, code)
	}
	for i := 0; i < len(codes); i++ {
		switch code := codes[i]; {
		case code == 0:
			s.pen = plain
		case code == 1:
			s.pen.bold = true
		case code == 22:
			s.pen.bold = false
		case (code == 38 || code == 48) && i+2 < len(codes) && codes[i+1] == 5 && codes[i+2] < 256:
			if code == 38 {
				s.pen.fg = codes[i+2]
			} else {
				s.pen.bg = codes[i+2]
			}
			i += 2
		case code == 39:
			s.pen.fg = unset
		case code == 49:
			s.pen.bg = unset
		default:
			return fmt.Errorf("cannot draw the colours ESC [ %s m", parameters)
		}
	}
	return nil
}

// lines returns the rows without the empty ones at the end.
func (s *screen) lines() [][]cell {
	rows := s.rows
	for len(rows) > 0 && len(rows[len(rows)-1]) == 0 {
		rows = rows[:len(rows)-1]
	}
	return rows
}
