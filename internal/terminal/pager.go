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

// terminalTab is the distance of a terminal's tab stops, in columns.
const terminalTab = 8

// Page writes text, which must be safe already, to stdout. On a terminal that is
// too short for it, it runs the pager that HOBNOB_PAGER, else PAGER names, else
// less; a variable that is empty, and cat, mean none. Leaving the pager early is no
// error. While it runs, Ctrl-C belongs to the pager, and Ctrl-Z is a key like others:
// a less without shell and editor ignores the signal, so that only hobnob would stop
// and the pager share the keys with the shell. If a pager fails before it has read
// anything, because it is missing or its options are wrong, text is written directly.
func (s *Streams) Page(text string) error {
	if s.OutTTY && !s.Dumb && exceeds(text, s.Rows()-1, s.Columns()) && ownsTerminal(s.Out) {
		if command := pagerOf(s.Getenv); command != "" {
			// A late reply would be keys for the pager, and the modes during a question are
			// not those to restore after it.
			s.DrainReplies()
			if read, err := runPager(command, text, s.Out, s.Err); read || err == nil {
				return nil
			}
		}
	}
	_, err := io.WriteString(s.Out, text)
	return err
}

// exceeds reports whether text takes more than rows of a terminal; one without rows
// has no known size.
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

// wrappedRows returns how many rows a line takes on a terminal, which wraps it.
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

// runPager reports whether the pager has read any of the text, which must not be
// written again then.
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

	// A killed pager leaves its modes behind. Nothing here kills it, which is why it has
	// no context; the modes are restored in case something else does.
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	defer SaveModes(out)()
	disableStop(out)
	command := exec.Command(words[0], words[1:]...) //nolint:noctx // see above
	command.Env = pagerEnv(os.Environ())
	command.Stdin, command.Stdout, command.Stderr = source, out, errOut
	err = command.Run()

	// What is left in the pipe was not read.
	left, cerr := io.Copy(io.Discard, source)
	<-written
	return left < int64(len(text)), errors.Join(err, cerr)
}

// pagerEnv returns the environment of a pager. What it shows is hostile, so less gets
// no shell, no editor and no log (LESSSECURE), and runs no program on its input
// (LESSOPEN). Its default options are to quit if all fits (F), show colours (R) and
// keep the screen (X); colours are shown whatever LESS says.
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

// pagerOf returns the pager that the environment names, "" for none.
func pagerOf(env Env) string {
	for _, key := range []string{"HOBNOB_PAGER", "PAGER"} {
		pager := strings.TrimSpace(env(key))
		// An Env does not distinguish an empty variable from a missing one.
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
