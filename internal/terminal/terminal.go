// Package terminal provides the standard streams and what is specific to a terminal:
// filters for hostile text, clipboard, background colour, pager, tables, spinner and
// prompts.
//
// It does not depend on commands, settings, Markdown or the service. All text that it
// shows is treated as hostile, regardless of its origin.
//
// Widths are in columns, measured in the grapheme clusters of
// github.com/charmbracelet/x/ansi.
package terminal

import (
	"cmp"
	"errors"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// defaultWidth is the width of a terminal of unknown size, in columns.
const defaultWidth = 80

// ErrOutClosed is the error of writing to a closed stdout.
var ErrOutClosed = errors.New("standard output is closed")

// Env returns the value of an environment variable. Like os.Getenv it returns "" if the
// variable is not set.
type Env func(key string) string

// Streams holds the three standard streams and the results of Detect. Tests can use a
// literal: the zero value has no terminal, no colour, no Unicode and 80 columns.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer

	InTTY, OutTTY, ErrTTY bool

	// OutClosed reports whether the process was started without stdout. Output is then
	// lost, although writing returns no error. A parent process that passes a null device
	// open for reading and writing as stdout only looks the same.
	OutClosed bool

	// Width and Height, in columns and rows, override the size of the terminal;
	// Detect leaves them zero. See Columns and Rows.
	Width, Height int

	// OutColor and ErrColor report whether SGR sequences may be written: never with
	// NO_COLOR (https://no-color.org), always with CLICOLOR_FORCE, never with CLICOLOR=0
	// (https://bixense.com/clicolors), otherwise on a terminal that is not dumb.
	OutColor, ErrColor bool

	// Accessible is set by ACCESSIBLE, unless empty or 0: no spinner and no box drawing,
	// for screen readers.
	Accessible bool

	// UTF8 reports whether the locale supports Unicode.
	UTF8 bool

	// Dumb is set by TERM=dumb and, except on Windows, by a missing TERM: the cursor
	// cannot be moved.
	Dumb bool

	// OpenTTY opens the terminal for a prompt, which closes it; in and out may be the
	// same file. Nil opens the controlling terminal.
	OpenTTY func() (in, out *os.File, err error)

	env        Env
	screens    []*os.File  // stdout and stderr, if they are terminals
	background *background // nil disables the query
}

// Detect inspects the streams. It does not write to a terminal or query it. On Windows it
// enables escape sequences in the console; if that fails, there is no colour.
func Detect(in, out, err *os.File, env Env) *Streams {
	s := &Streams{
		In: in, Out: out, Err: err,
		InTTY: isTerminal(in), OutTTY: isTerminal(out), ErrTTY: isTerminal(err),
		OutClosed:  startedWithoutStdout(out, err),
		Accessible: isSet(env("ACCESSIBLE")),
		UTF8:       isUTF8(env, runtime.GOOS),
		Dumb:       isDumb(env, runtime.GOOS),
		env:        env,
		screens:    slices.DeleteFunc([]*os.File{out, err}, func(f *os.File) bool { return !isTerminal(f) }),
		background: new(background),
	}
	s.OutColor = color(env, s.OutTTY && !s.Dumb && enableSequences(out))
	s.ErrColor = color(env, s.ErrTTY && !s.Dumb && enableSequences(err))
	return s
}

// DisableColor turns colour off for both outputs, as for --no-color.
func (s *Streams) DisableColor() {
	s.OutColor, s.ErrColor = false, false
}

// Colors returns the number of colours of stdout's terminal: 0 without OutColor,
// otherwise 16, 256 or 1<<24. It does not query the terminal.
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

// Getenv returns a variable of the environment that was passed to Detect.
func (s *Streams) Getenv(key string) string {
	if s.env == nil {
		return ""
	}
	return s.env(key)
}

// Columns returns the width of stdout's terminal or else that of stderr's, COLUMNS or 80.
// The size is read at each call, because terminals are resized. COLUMNS comes after the
// terminals, because it may be stale after a resize.
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

// Rows returns the current height of stdout's terminal or else that of stderr's, or 0 if
// it is unknown.
func (s *Streams) Rows() int {
	if s.Height > 0 {
		return s.Height
	}
	_, rows := size(s.screens)
	return rows
}

// size returns the size of the first terminal that has one, or zeros.
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

// isUTF8 reports whether the locale, in the precedence of setlocale(3), is UTF-8. It
// returns true without a locale, because containers and ssh sessions often have none.
func isUTF8(env Env, goos string) bool {
	locale := strings.ToLower(cmp.Or(env("LC_ALL"), env("LC_CTYPE"), env("LANG")))
	return goos == "windows" || locale == "" || strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}
