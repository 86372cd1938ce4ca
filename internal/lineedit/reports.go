package lineedit

import (
	"context"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/reeflective/readline"
)

const (
	skipCommand = "hobnob-skip"

	// How soon after a key a report of the cursor's place is taken, and how late at
	// the worst.
	reportPace, reportLimit = 10 * time.Millisecond, time.Second
)

// strayCommands keep what is typed at the wrong moment from being lost or taken for
// text.
func (e *Editor) strayCommands(shell *readline.Shell) {
	abort := shell.Keymap.Commands()["abort"]
	shell.Keymap.Register(map[string]func(){
		// The library looks at the next keys to tell who calls it, and takes them.
		"abort": func() {
			rest := e.waitingKeys()
			abort()
			e.feed(rest)
		},
		skipCommand: func() { e.skipSequence(shell) },
	})
}

// skipSequence drops the rest of a key that means nothing here, such as F5: an
// escape sequence of ECMA-48, of which the beginning was read.
func (e *Editor) skipSequence(shell *readline.Shell) {
	shell.History.SkipSave()
	read := string(shell.Keys.Caller())
	for !sequenceEnds(read) {
		b, empty := shell.Keys.Pop()
		if empty {
			return
		}
		read += string(rune(b))
	}
}

// sequenceEnds tells whether what begins with Escape and [ or O is a whole sequence,
// or can no more become one.
func sequenceEnds(read string) bool {
	const introducer = len("\x1b[")
	if len(read) <= introducer {
		return false
	}
	last := read[len(read)-1]
	return read[introducer-1] == 'O' || last < 0x20 || last > 0x3f
}

// takeReports takes the reports of the cursor's place that the library finds among
// the keys, until ctx is done. It never asks for one here, but F3 with Shift, pasted
// text and late answers look like them, and it waits for ever for someone who takes
// them. Nothing exported does without asking the terminal.
func (e *Editor) takeReports(ctx context.Context) {
	fields := reflect.ValueOf(e.shell.Keys).Elem()
	channel, mutex := fields.FieldByName("cursor"), fields.FieldByName("mutex")
	if !channel.IsValid() || !mutex.IsValid() || channel.Type() != reflect.TypeFor[chan []byte]() || mutex.Type() != reflect.TypeFor[sync.RWMutex]() {
		return
	}
	reports := (*chan []byte)(unsafe.Pointer(channel.UnsafeAddr()))
	guard := (*sync.RWMutex)(unsafe.Pointer(mutex.UnsafeAddr()))
	// The channel is another one soon after each drawing.
	again := reportPace
	for {
		guard.RLock()
		current := *reports
		guard.RUnlock()
		select {
		case <-current:
		case <-e.drawn:
			again = reportPace
		case <-time.After(again):
			again = min(2*again, reportLimit)
		case <-ctx.Done():
			return
		}
	}
}
