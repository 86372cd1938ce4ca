package lineedit

import (
	"context"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/reeflective/readline"
)

// How soon after a key a report of the cursor's position is taken, and how late at
// most.
const reportPace, reportLimit = 10 * time.Millisecond, time.Second

// takeReports takes the reports of the cursor's position that the library finds
// among the keys, until ctx is done. It never asks for one here, but F3 with Shift,
// pasted text and late answers look like one, and then the library waits forever
// for a reader. Nothing that it exports reads them without asking the terminal.
func takeReports(ctx context.Context, lib *readline.Shell, drawn <-chan struct{}) {
	reports, guard := reportChannel(lib)
	if reports == nil {
		return
	}
	// The library replaces the channel soon after each drawing.
	again := reportPace
	for {
		guard.RLock()
		current := *reports
		guard.RUnlock()
		select {
		case <-current:
		case <-drawn:
			again = reportPace
		case <-time.After(again):
			again = min(2*again, reportLimit)
		case <-ctx.Done():
			return
		}
	}
}

// reportChannel returns unexported fields of the library: the channel of the reports
// and the mutex that guards it. They are nil if a version of it has others.
func reportChannel(lib *readline.Shell) (reports *chan []byte, guard *sync.RWMutex) {
	fields := reflect.ValueOf(lib.Keys).Elem()
	channel, mutex := fields.FieldByName("cursor"), fields.FieldByName("mutex")
	if !channel.IsValid() || !mutex.IsValid() || channel.Type() != reflect.TypeFor[chan []byte]() || mutex.Type() != reflect.TypeFor[sync.RWMutex]() {
		return nil, nil
	}
	return (*chan []byte)(unsafe.Pointer(channel.UnsafeAddr())), (*sync.RWMutex)(unsafe.Pointer(mutex.UnsafeAddr()))
}
