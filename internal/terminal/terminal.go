// Package terminal owns the three standard streams and the facts about the
// terminal: the filters that keep hostile text from steering it, its clipboard,
// its background, the pager, tables, the spinner and the prompts.
//
// It must not know commands, settings, Markdown, the service or where a text came
// from: whatever it is given to show counts as hostile.
//
// All widths are in columns, measured by the grapheme clusters of
// github.com/charmbracelet/x/ansi.
package terminal

import (
	"cmp"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// defaultWidth is the number of columns if it is unknown.
const defaultWidth = 80

// Env returns the value of an environment variable; a missing one is empty, as with
// os.Getenv.
type Env func(key string) string

// Streams is the three standard streams and what Detect found out about them. Tests
// can use a literal: the zero value has no terminal, no colour, ASCII and 80 columns.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer

	InTTY, OutTTY, ErrTTY bool

	// Width and Height, in columns and rows, override the size of the terminal;
	// Detect leaves them zero. See Columns and Rows.
	Width, Height int

	// OutColor and ErrColor report whether SGR sequences may be written at all: not
	// with NO_COLOR (https://no-color.org), not with CLICOLOR=0, always with
	// CLICOLOR_FORCE (https://bixense.com/clicolors), otherwise on a terminal that is
	// not dumb.
	OutColor, ErrColor bool

	// Accessible is set by ACCESSIBLE (neither empty nor 0): no spinner and no
	// box drawing, for screen readers.
	Accessible bool

	// UTF8 reports whether the locale can show Unicode.
	UTF8 bool

	// Dumb is set by TERM=dumb and, except on Windows, by a missing TERM: the
	// cursor cannot be moved.
	Dumb bool

	// OpenTTY opens the terminal for a prompt, which closes it; in and out may be one
	// file. Nil opens the controlling terminal.
	OpenTTY func() (in, out *os.File, err error)

	env        Env
	screens    []*os.File  // those of stdout and stderr that are terminals
	background *background // nil never asks
}

// Detect finds out about the streams. It neither writes to a terminal nor asks one
// anything. On Windows it makes the console obey SGR sequences; one that cannot gets
// no colour.
func Detect(in, out, err *os.File, env Env) *Streams {
	s := &Streams{
		In: in, Out: out, Err: err,
		InTTY: isTerminal(in), OutTTY: isTerminal(out), ErrTTY: isTerminal(err),
		Accessible: isSet(env("ACCESSIBLE")),
		UTF8:       isUTF8(env, runtime.GOOS),
		Dumb:       isDumb(env, runtime.GOOS),
		env:        env,
		screens:    slices.DeleteFunc([]*os.File{out, err}, func(f *os.File) bool { return !isTerminal(f) }),
		background: new(background),
	}
	s.OutColor = color(env, s.OutTTY && !s.Dumb && obeysSequences(out))
	s.ErrColor = color(env, s.ErrTTY && !s.Dumb && obeysSequences(err))
	return s
}

// DisableColor turns colour off on both outputs, as --no-color does.
func (s *Streams) DisableColor() {
	s.OutColor, s.ErrColor = false, false
}

// Colors returns the number of colours that stdout's terminal shows: 0 without
// OutColor, otherwise 16, 256 or 1<<24. It does not ask the terminal.
func (s *Streams) Colors() int {
	name, depth := s.Getenv("TERM"), s.Getenv("COLORTERM")
	switch {
	case !s.OutColor:
		return 0
	case depth == "truecolor", depth == "24bit", strings.HasSuffix(name, "-direct"), name == "" && runtime.GOOS == "windows":
		return 1 << 24
	case strings.Contains(name, "256color"):
		return 256
	default:
		return 16
	}
}

// Getenv returns a variable of the environment that Detect was given.
func (s *Streams) Getenv(key string) string {
	if s.env == nil {
		return ""
	}
	return s.env(key)
}

// Columns returns the width of stdout's terminal, else of stderr's, else COLUMNS, else
// 80. It reads the size at each call, because people resize terminals; COLUMNS comes
// last, because shells leave it stale after a resize.
func (s *Streams) Columns() int {
	if s.Width > 0 {
		return s.Width
	}
	if columns, _ := size(s.screens); columns > 0 {
		return columns
	}
	if columns, err := strconv.Atoi(s.Getenv("COLUMNS")); err == nil && columns > 0 {
		return columns
	}
	return defaultWidth
}

// Rows returns the present height of stdout's terminal, else of stderr's; 0 if it is
// unknown.
func (s *Streams) Rows() int {
	if s.Height > 0 {
		return s.Height
	}
	_, rows := size(s.screens)
	return rows
}

// size returns the size of the first terminal that has one, else zeros.
func size(terminals []*os.File) (columns, rows int) {
	for _, f := range terminals {
		columns, rows, err := term.GetSize(int(f.Fd()))
		if err == nil && columns > 0 {
			return columns, rows
		}
	}
	return 0, 0
}

func isTerminal(f *os.File) bool {
	return f != nil && term.IsTerminal(int(f.Fd()))
}

func color(env Env, capable bool) bool {
	return env("NO_COLOR") == "" && (isSet(env("CLICOLOR_FORCE")) || capable && env("CLICOLOR") != "0")
}

func isSet(value string) bool {
	return value != "" && value != "0"
}

func isDumb(env Env, goos string) bool {
	name := env("TERM")
	return name == "dumb" || name == "" && goos != "windows"
}

// isUTF8 follows the order of setlocale(3). Without any locale it is true, because
// containers and ssh sessions often have none.
func isUTF8(env Env, goos string) bool {
	locale := strings.ToLower(cmp.Or(env("LC_ALL"), env("LC_CTYPE"), env("LANG")))
	return goos == "windows" || locale == "" || strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}
