package terminal

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

// terminalTab is the distance between the tab stops of a terminal, in columns.
const terminalTab = 8

// Page writes text, which must be clean, to stdout. If text does not fit on the terminal,
// Page runs the pager in HOBNOB_PAGER or PAGER, or less if neither is set. An empty
// variable and cat disable the pager. Quitting the pager early is not an error. If it
// fails before it has read anything, for example because it is missing, text is written
// directly.
//
// While the pager runs, it handles Ctrl-C, and Ctrl-Z is an ordinary key: less ignores
// the signal if LESSSECURE is set, so that only hobnob would stop, and the pager would
// compete with the shell for keys.
func (s *Streams) Page(text string) error {
	if s.OutTTY && !s.Dumb && exceeds(text, s.Rows()-1, s.Columns()) && canRunPager(s.Out) {
		if command := pagerOf(s.Getenv); command != "" {
			// The pager would read a late response as keys, and SaveModes must not save the
			// modes of a query.
			s.DrainResponses()
			if read, err := runPager(command, text, s.Out, s.Err); read || err == nil {
				return nil
			}
		}
	}
	_, err := io.WriteString(s.Out, text)
	return err
}

// exceeds reports whether text takes more than rows rows of a terminal. It returns false
// if rows is not positive, because the size of the terminal is unknown.
func exceeds(text string, rows, columns int) bool {
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

// wrappedRows returns the number of rows that a line takes on a terminal.
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

// runPager runs a pager and reports whether it has read any of the text. Such text must
// not be written again.
func runPager(pager, text string, out, errOut io.Writer) (read bool, err error) {
	words, err := CommandLine(pager)
	if err != nil {
		return false, err
	}
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

	// A pager that is killed does not restore the modes. It has no context, because
	// hobnob never kills it, but something else may.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	defer SaveModes(out)()
	disableStop(out)
	command := exec.Command(words[0], words[1:]...) //nolint:noctx // see above
	command.Env = pagerEnv(os.Environ())
	command.Stdin, command.Stdout, command.Stderr = source, out, errOut
	err = command.Run()

	// The pager has not read the rest of the pipe.
	unread, cerr := io.Copy(io.Discard, source)
	<-written
	return unread < int64(len(text)), errors.Join(err, cerr)
}

// pagerEnv returns the environment of a pager. Text may be hostile, so less may not run a
// shell or an editor, write a log (LESSSECURE), or preprocess its input (LESSOPEN). Its
// default options are to quit if the text fits (F), show colours (R) and not clear the
// screen (X). Colours are shown even if LESS has other options.
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

// pagerOf returns the command line of the pager, or "" for none.
func pagerOf(env Env) string {
	for _, key := range []string{"HOBNOB_PAGER", "PAGER"} {
		pager := strings.TrimSpace(env(key))
		// Env does not distinguish an empty variable from a missing one.
		switch _, set := os.LookupEnv(key); {
		case pager == "cat", pager == "" && set:
			return ""
		case pager != "":
			return pager
		}
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less"
}

// SaveModes returns a function that restores the current modes of the terminal stream.
// The function does nothing if stream is not an *os.File and a terminal.
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
