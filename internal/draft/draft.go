// Package draft saves a text to disk while it is being typed, so that it survives
// a crash or kill of the process.
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
	"github.com/hobnob-cli/hobnob/internal/input"
)

// mostDrafts is the maximum number of drafts with one name.
const mostDrafts = 100

// Draft is a text in a file of mode 0600, locked by the process that opened it.
type Draft struct {
	path string
	lock *flock.Flock
	last string // the text on disk; only the writer uses it

	mu     sync.Mutex
	closed bool
	next   chan string // holds the newest text that is not written yet
	done   chan struct{}
	err    error
}

// Open opens a draft called name in dir and returns it with its text. It takes one
// that an ended process left behind if there is one, and creates an empty one
// otherwise. Drafts that other processes have open are skipped. The caller closes it.
func Open(dir, name string) (d *Draft, text string, err error) {
	if err := atomicfile.MakeDir(dir); err != nil {
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
	return nil, "", fmt.Errorf("too many drafts named %s in %s", name, dir)
}

// take opens the draft at path unless another process has it; then d is nil.
func take(path string) (d *Draft, text string, err error) {
	lock := flock.New(path+".lock", flock.SetPermissions(0o600), flock.SetFlag(os.O_CREATE|os.O_RDWR))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return nil, "", err
	}
	data, err := input.ReadFile(path, input.NoLimit)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		_ = lock.Unlock()
		return nil, "", err
	}
	d = &Draft{path: path, lock: lock, last: string(data), next: make(chan string, 1), done: make(chan struct{})}
	go d.write()
	return d, strings.ToValidUTF8(d.last, "\uFFFD"), nil
}

// Set replaces the text of the draft. It returns immediately and writes in the
// background; Close waits for the latest text. After Close, Set does nothing.
func (d *Draft) Set(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return
	}
	select {
	case <-d.next: // replaced by the newer text
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

// Close writes the latest text and unlocks the draft for the next process. It
// returns the error of the last write.
func (d *Draft) Close() error {
	d.mu.Lock()
	d.closed = true
	close(d.next)
	d.mu.Unlock()
	<-d.done
	// The lock file is not removed: otherwise two processes could hold the lock.
	return errors.Join(d.err, d.lock.Unlock())
}
