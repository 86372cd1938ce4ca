package history

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"
)

// A process that waits for an answer holds the lock of a file of its own beside
// the database. The system takes the lock away when the process ends, however it
// ends, so that a turn which is pending without one is known to be lost at once.
// Process numbers would not do: they are used again, and mean nothing from one
// container to the next.

// ownersDir is the directory of those files, beside the database.
func (s *Store) ownersDir() string { return filepath.Join(filepath.Dir(s.path), "waiting") }

// owner returns the name under which this process owns its pending turns, and
// takes the lock when it is asked first.
func (s *Store) owner() (string, error) {
	if err := s.Writable(); err != nil {
		return "", err
	}
	if !s.Saved() {
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock != nil {
		return s.self, nil
	}
	if err := os.MkdirAll(s.ownersDir(), 0o700); err != nil {
		return "", err
	}
	s.sweep()
	name := uuid.NewString()
	lock := flock.New(filepath.Join(s.ownersDir(), name), flock.SetPermissions(0o600))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return "", fmt.Errorf("cannot lock %s: %w", lock.Path(), err)
	}
	s.self, s.lock = name, lock
	return name, nil
}

// disown gives the lock back.
func (s *Store) disown() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock == nil {
		return nil
	}
	path := s.lock.Path()
	err := s.lock.Unlock()
	_ = os.Remove(path)
	s.lock = nil
	return err
}

// alive reports whether the process that owns a turn still lives. A turn without
// an owner counts as owned, until its time is over.
func (s *Store) alive(owner string) bool {
	s.mu.Lock()
	self, own := s.self, s.lock != nil
	s.mu.Unlock()
	switch owner {
	case "":
		return true
	case self:
		return own
	}
	return held(filepath.Join(s.ownersDir(), filepath.Base(owner)))
}

// held reports whether a process holds the lock of a file. It asks for a shared
// lock, so that two who ask at once do not take each other for the holder.
func held(path string) bool {
	if _, err := os.Stat(path); err != nil {
		return false
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDWR))
	free, err := lock.TryRLock()
	if free {
		_ = lock.Unlock()
	}
	return err == nil && !free
}

// sweepAge keeps sweep from a file that was made and is about to be locked.
const sweepAge = time.Minute

// sweep removes the files of processes that were killed.
func (s *Store) sweep() {
	entries, err := os.ReadDir(s.ownersDir())
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if path := filepath.Join(s.ownersDir(), e.Name()); err == nil && time.Since(info.ModTime()) > sweepAge && !held(path) {
			_ = os.Remove(path)
		}
	}
}
