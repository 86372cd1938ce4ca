// Package terminal owns the three standard streams and the facts about the
// terminal: the filters that keep hostile text from steering it, its clipboard,
// its background, the pager, tables, the spinner and the prompts.
//
// It must not know commands, settings, Markdown, the service or where a text came
// from: whatever it is given to show counts as hostile.
//
// One measure of width is used throughout, the grapheme clusters of
// github.com/charmbracelet/x/ansi, in terminal columns.
package terminal

import (
	"io"
	"os"
	"runtime"
	"strings"

	"golang.org/x/term"
)

// Env looks an environment variable up; an unset one is empty, as with
// os.Getenv.
type Env func(key string) string

// Streams is the three standard streams and what was found out about them by
// Detect. A literal with the fields that matter serves in tests: zero means
// no terminal, no colour, ASCII and 80 columns.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer

	InTTY, OutTTY, ErrTTY bool

	// Width and Height, in columns and rows, go before what the terminal tells;
	// Detect leaves them zero. See Columns and Rows.
	Width, Height int

	// OutColor and ErrColor tell whether SGR sequences may be written at all:
	// not for NO_COLOR (https://no-color.org), not with CLICOLOR=0, always with
	// CLICOLOR_FORCE (https://bixense.com/clicolors), otherwise on a terminal
	// that is not dumb.
	OutColor, ErrColor bool

	// Accessible is set by ACCESSIBLE (neither empty nor 0): no spinner and no
	// box drawing, for screen readers.
	Accessible bool

	// UTF8 tells whether the locale shows Unicode.
	UTF8 bool

	// Dumb is set by TERM=dumb and, except on Windows, by a missing TERM: the
	// cursor cannot be moved.
	Dumb bool

	// OpenTTY opens the terminal that prompts talk to, which the prompt then
	// closes; in and out may be one file. Nil opens the controlling terminal.
	OpenTTY func() (in, out *os.File, err error)

	env        Env
	screens    []*os.File  // stdout and stderr, those that are terminals
	background *background // nil asks nothing
}

// Detect finds the facts about the streams. It neither writes to a terminal nor
// asks one anything. On Windows it makes the console obey SGR sequences, and a
// console that cannot gets no colour.
func Detect(in, out, err *os.File, env Env) *Streams {
	s := &Streams{
		In: in, Out: out, Err: err,
		InTTY: isTerminal(in), OutTTY: isTerminal(out), ErrTTY: isTerminal(err),
		Accessible: isSet(env("ACCESSIBLE")),
		UTF8:       isUTF8(env, runtime.GOOS),
		Dumb:       isDumb(env, runtime.GOOS),
		env:        env,
		screens:    terminals(out, err),
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

func isTerminal(f *os.File) bool {
	return f != nil && term.IsTerminal(int(f.Fd()))
}

func color(env Env, capable bool) bool {
	forced := isSet(env("CLICOLOR_FORCE"))
	switch {
	case env("NO_COLOR") != "":
		return false
	case env("CLICOLOR") == "0" && !forced:
		return false
	default:
		return forced || capable
	}
}

func isSet(value string) bool {
	return value != "" && value != "0"
}

func isDumb(env Env, goos string) bool {
	name := env("TERM")
	return name == "dumb" || name == "" && goos != "windows"
}

// isUTF8 follows the order of setlocale(3). With no locale at all the guess is
// yes, because containers and ssh sessions come without one.
func isUTF8(env Env, goos string) bool {
	if goos == "windows" {
		return true
	}
	for _, key := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToLower(env(key)); locale != "" {
			return strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
		}
	}
	return true
}
