// Package draft keeps a text on disk while it is being typed, so that it survives
// the end of the process, however it ends. It knows neither the terminal nor what
// the text is for.
package draft

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
)

// mostDrafts is how many drafts of one name are told apart.
const mostDrafts = 100

// Draft is one text of mode 0600, which belongs to the process that opened it.
type Draft struct {
	path string
	lock *flock.Flock
	last string // on disk; the writer's alone

	mu     sync.Mutex
	closed bool
	next   chan string // holds the newest text that is not written yet
	done   chan struct{}
	err    error
}

// Open returns a draft called name in dir and the text that it holds. It is one
// that a process left behind, if there is any; otherwise a new one, which is
// empty. A draft that another process has open is left to it. Close it.
func Open(dir, name string) (d *Draft, text string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", err
	}
	for _, exists := range []bool{true, false} {
		for n := range mostDrafts {
			path := filepath.Join(dir, fmt.Sprintf("%s-%d.md", name, n+1))
			if _, err := os.Stat(path); (err == nil) != exists {
				continue
			}
			if d, text, err := take(path); err != nil || d != nil {
				return d, text, err
			}
		}
	}
	return nil, "", fmt.Errorf("%s holds too many drafts called %s", dir, name)
}

// take opens the draft at path unless another process has it; then d is nil.
func take(path string) (d *Draft, text string, err error) {
	lock := flock.New(path+".lock", flock.SetPermissions(0o600))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, "", err
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		_ = lock.Unlock()
		return nil, "", err
	}
	d = &Draft{path: path, lock: lock, last: string(data), next: make(chan string, 1), done: make(chan struct{})}
	go d.write()
	return d, strings.ToValidUTF8(d.last, "\uFFFD"), nil
}

// Set makes text the draft. It returns at once; the text is on disk a moment
// later, and the latest one when Close returns. After Close it does nothing.
func (d *Draft) Set(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	select {
	case <-d.next: // an older one, which nobody needs
	default:
	}
	d.next <- text
}

func (d *Draft) write() {
	defer close(d.done)
	for text := range d.next {
		if text == d.last {
			continue
		}
		var err error
		if text == "" {
			err = os.Remove(d.path)
		} else {
			err = atomicfile.Write(d.path, []byte(text))
		}
		if err == nil || errors.Is(err, os.ErrNotExist) {
			d.last = text
		}
		d.err = err
	}
}

// Close writes what is not written yet and leaves the draft to the next process.
// The error is that of the latest write.
func (d *Draft) Close() error {
	d.mu.Lock()
	d.closed = true
	close(d.next)
	d.mu.Unlock()
	<-d.done
	// The lock's file stays: removed, it could be locked twice.
	return errors.Join(d.err, d.lock.Unlock())
}
