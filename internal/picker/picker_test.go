//go:build unix

package picker

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// conversations returns n conversations without turns. Between is called after each.
func conversations(n int, between func()) iter.Seq2[history.Tree, error] {
	return func(yield func(history.Tree, error) bool) {
		for i := range n {
			at := time.Date(2025, 1, 1, 0, i, 0, 0, time.UTC)
			c := history.Conversation{ID: fmt.Sprintf("%08d-0000-4000-8000-000000000000", i), Title: fmt.Sprintf("number %d", i), Profile: "work", Created: at, Updated: at}
			if !yield(history.Tree{Conversation: c}, nil) {
				return
			}
			between()
		}
	}
}

// screenOf is a terminal on which a list is shown.
type screenOf struct {
	t      *testing.T
	master *os.File
	shown  chan string
	all    string // what was written since the last call of shows
}

func newScreenOf(t *testing.T) (*screenOf, *terminal.Streams) {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = errors.Join(master.Close(), tty.Close()) })
	if err := pty.Setsize(master, &pty.Winsize{Rows: 10, Cols: 60}); err != nil {
		t.Fatal(err)
	}
	s := &screenOf{t: t, master: master, shown: make(chan string, 1000)}
	go func() {
		for {
			buffer := make([]byte, 1<<16)
			n, err := master.Read(buffer)
			if err != nil {
				return
			}
			s.shown <- string(buffer[:n])
		}
	}()
	return s, &terminal.Streams{UTF8: true, OpenTTY: func() (in, out *os.File, err error) {
		in, err = os.OpenFile(tty.Name(), os.O_RDWR, 0)
		return in, in, err
	}}
}

// types types keys and waits until text is written.
func (s *screenOf) types(keys, text string) {
	s.t.Helper()
	if _, err := s.master.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
	for s.all = ""; !strings.Contains(s.all, text); {
		select {
		case more := <-s.shown:
			s.all += more
		case <-time.After(time.Minute):
			s.t.Fatalf("%q was not shown after %q, but %q", text, keys, s.all)
		}
	}
}

type choice struct {
	conversation history.Conversation
	err          error
}

func TestKeysAreHandledDuringSlowSearch(t *testing.T) {
	store, err := history.OpenUnsaved(t.Context()) // has one connection
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if _, err := store.Import(t.Context(), conversations(30, func() {}), ""); err != nil {
		t.Fatal(err)
	}
	s, streams := newScreenOf(t)
	p := Picker{IO: streams, Store: store, Profile: "work"}
	done := make(chan choice, 1)
	begin := func() {
		go func() {
			c, err := p.Choose(t.Context())
			done <- choice{c, err}
		}()
		s.types("", "> number 29")
	}
	begin()

	block := func() (unblock func()) {
		blocked, release, finished := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		written := 0
		go func() {
			_, err := store.Import(t.Context(), conversations(1, func() {
				if written++; written == 2 { // Import checks all of them before it writes
					close(blocked)
					<-release
				}
			}), "")
			finished <- err
		}()
		<-blocked
		return func() {
			close(release)
			if err := <-finished; err != nil {
				t.Error(err)
			}
		}
	}
	unblock := block()
	for i, key := range "number 7" {
		s.types(string(key), "search: "+"number 7"[:i+1])
	}
	s.types("\x7f", "searching…")
	s.types("\x1b[B", "search: number ")
	s.types("1", "search: number 1")
	s.types("\x1b[B\x1b[B\rlater", "search: number 1")
	unblock()
	if got := <-done; got.err != nil || got.conversation.Title != "number 17" {
		t.Errorf("%q, %v", got.conversation.Title, got.err)
	}

	begin()
	unblock = block()
	s.types("zzz\r", "search: zzz")
	s.types("\x03", "\x1b[?1049l") // Ctrl-C while Enter waits for the search
	if got := <-done; !errors.Is(got.err, ErrInterrupted) {
		t.Error(got.err)
	}
	unblock()
}

func TestErrorAndPanicRestoreTerminal(t *testing.T) {
	var work task[part]
	fails := errors.New("a failure")
	work.begin(t.Context(), request{}, func(context.Context, request) (part, error) { return part{}, fails })
	if found := <-work.done; !errors.Is(found.failed(), fails) {
		t.Error("the error was lost")
	}
	work.begin(t.Context(), request{}, func(context.Context, request) (part, error) { panic("a bug") })
	found := <-work.done
	defer func() {
		if got := recover(); got != "a bug" {
			t.Errorf("the panic became %v", got)
		}
	}()
	_ = found.failed()
}
