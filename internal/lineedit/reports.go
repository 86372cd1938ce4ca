package lineedit

import (
	"context"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/reeflective/readline"
)

// reportPace and reportLimit are the minimum and the maximum interval between attempts
// to receive a report of the cursor position.
const reportPace, reportLimit = 10 * time.Millisecond, time.Second

// takeReports receives the reports of the cursor position that the library finds among
// the keys, until ctx is cancelled. The library never requests one, but Shift-F3, pasted
// text and late responses look like one, and then it blocks until the report is
// received. None of its exported functions receives a report without requesting one.
func takeReports(ctx context.Context, lib *readline.Shell, drawn <-chan struct{}) {
	reports, guard := reportChannel(lib)
	if reports == nil {
		return
	}
	// The library replaces the channel soon after it draws the line.
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

// reportChannel returns unexported fields of the library: the channel of reports and
// the mutex that guards it. They are nil if the library has no such fields.
func reportChannel(lib *readline.Shell) (reports *chan []byte, guard *sync.RWMutex) {
	fields := reflect.ValueOf(lib.Keys).Elem()
	channel, mutex := fields.FieldByName("cursor"), fields.FieldByName("mutex")
	if !channel.IsValid() || !mutex.IsValid() || channel.Type() != reflect.TypeFor[chan []byte]() || mutex.Type() != reflect.TypeFor[sync.RWMutex]() {
		return nil, nil
	}
	return (*chan []byte)(unsafe.Pointer(channel.UnsafeAddr())), (*sync.RWMutex)(unsafe.Pointer(mutex.UnsafeAddr()))
}

// fedKeys returns an unexported field of the library: the keys that were passed to it and
// are not handled yet. They follow those that it has read.
func fedKeys(lib *readline.Shell) []rune {
	field := reflect.ValueOf(lib.Keys).Elem().FieldByName("macroKeys")
	if !field.IsValid() || field.Type() != reflect.TypeFor[[]rune]() {
		return nil
	}
	keys := make([]rune, field.Len())
	for i := range keys {
		keys[i] = rune(field.Index(i).Int())
	}
	return keys
}
