package terminal

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

// terminalTab is the distance of a terminal's tab stops, in columns.
const terminalTab = 8

// Page writes text, which must be safe already, to stdout. On a terminal that is
// too short for it, it goes through the pager that HOBNOB_PAGER, else PAGER
// names, else less; a variable that is empty, and cat, mean none. Leaving the
// pager early is no error. While it runs, Ctrl-C is the pager's, and Ctrl-Z is a key
// like others: a less without shell and editor ignores the signal, so that hobnob
// would stop alone and the pager share the keys with the shell. A pager that fails before it has read anything, because there
// is none or its options are wrong, gives way to plain output. A pager starts when
// the terminal owes no reply any more, see DrainReplies.
func (s *Streams) Page(text string) error {
	pager, ok := s.pager()
	if !ok || !s.OutTTY || s.Dumb || !s.exceedsScreen(text) || !ownsTerminal(s.Out) {
		_, err := io.WriteString(s.Out, text)
		return err
	}
	read, err := s.runPager(pager, text)
	if err != nil && !read {
		_, err = io.WriteString(s.Out, text)
		return err
	}
	return nil
}

// exceedsScreen reports whether text, with the line below it for the shell's
// prompt, takes more rows than the terminal has.
func (s *Streams) exceedsScreen(text string) bool {
	rows, columns := s.Rows()-1, s.Columns()
	if rows < 1 {
		return false
	}
	for line := range strings.Lines(text) {
		if rows -= wrappedRows(strings.TrimSuffix(line, "\n"), columns); rows < 0 {
			return true
		}
	}
	return false
}

// wrappedRows counts the rows that a line takes on a terminal, which wraps it.
func wrappedRows(line string, columns int) int {
	rows, at, state := 1, 0, byte(0)
	for line != "" {
		sequence, width, n, next := cells.Decode(line, state)
		line, state = line[n:], next
		if sequence == "\t" { // a tab stops at the edge
			at = min(at+terminalTab-at%terminalTab, columns-1)
			continue
		}
		if at+width > columns {
			rows, at = rows+1, 0
		}
		at += width
	}
	return rows
}

// runPager reports whether the pager has read anything of the text, which then
// must not be written again.
func (s *Streams) runPager(pager, text string) (read bool, err error) {
	// A late reply would be keys for the pager, and the modes of a terminal that
	// is asked something are not those to put back after it.
	s.DrainReplies()
	source, sink, err := os.Pipe()
	if err != nil {
		return false, err
	}
	defer func() { _ = source.Close() }()
	written := make(chan struct{})
	go func() {
		_, _ = io.WriteString(sink, text)
		_ = sink.Close()
		close(written)
	}()

	// A pager that was killed leaves the terminal as it is, so nothing here kills
	// it, and the terminal is put back in case somebody else did.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	defer SaveModes(s.Out)()
	disableStop(s.Out)
	command := pagerCommand(pager)
	command.Env = pagerEnv(os.Environ())
	command.Stdin, command.Stdout, command.Stderr = source, s.Out, s.Err
	err = command.Run()

	// What is still in the pipe was not read.
	left, cerr := io.Copy(io.Discard, source)
	<-written
	return left < int64(len(text)), errors.Join(err, cerr)
}

// OutliveInterrupts begins a script for sh that runs a program which has the
// terminal, and for which Ctrl-C is a key: sh itself must wait for it.
const OutliveInterrupts = "trap : INT; "

// pagerCommand runs a pager that may have options. On Unix the shell takes it
// apart, as for git and man.
func pagerCommand(pager string) *exec.Cmd {
	if _, err := exec.LookPath(pager); err == nil {
		return exec.Command(pager) //nolint:noctx // see runPager
	}
	if runtime.GOOS == "windows" {
		if words, err := SplitCommand(pager); err == nil && len(words) > 0 {
			return exec.Command(words[0], words[1:]...) //nolint:noctx // see runPager
		}
	}
	return exec.Command("sh", "-c", OutliveInterrupts+pager) //nolint:noctx // see runPager
}

// pagerEnv is the environment of a pager. What it shows is hostile, so less gets
// no shell, no editor and no log (LESSSECURE), and runs no program over its input
// (LESSOPEN). Its own options are to leave when all fits (F), show colours (R)
// and keep the screen (X); colours are shown whatever LESS says.
func pagerEnv(environment []string) []string {
	less := "FRX"
	env := slices.DeleteFunc(slices.Clone(environment), func(entry string) bool {
		key, value, _ := strings.Cut(entry, "=")
		if key == "LESS" && value != "" {
			less = "R " + value
		}
		return slices.Contains([]string{"LESS", "LESSOPEN", "LESSCLOSE", "LESSSECURE", "LESSSECURE_ALLOW", "LESSCHARSET"}, key)
	})
	return append(env, "LESS="+less, "LESSSECURE=1", "LESSCHARSET=utf-8")
}

func (s *Streams) pager() (string, bool) {
	for _, key := range []string{"HOBNOB_PAGER", "PAGER"} {
		pager := strings.TrimSpace(s.Getenv(key))
		if pager != "" || s.isEmptied(key) {
			return pager, pager != "" && pager != "cat"
		}
	}
	if _, err := exec.LookPath("less"); err != nil {
		return "", false
	}
	return "less", true
}

// isEmptied tells a variable that is set to nothing from one that is not set,
// which an Env cannot.
func (s *Streams) isEmptied(key string) bool {
	value, set := os.LookupEnv(key)
	return set && strings.TrimSpace(value) == "" && s.env != nil
}

// SaveModes returns how to restore the present modes of a terminal, which is an
// *os.File. Anything else has none.
func SaveModes(stream any) (restore func()) {
	file, ok := stream.(*os.File)
	if !ok {
		return func() {}
	}
	state, err := term.GetState(int(file.Fd()))
	if err != nil {
		return func() {}
	}
	return func() { _ = term.Restore(int(file.Fd()), state) }
}
