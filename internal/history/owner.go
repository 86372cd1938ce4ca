package history

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
)

// A process that waits for an answer holds a lock on its own file next to the
// database. The system releases the lock when the process ends for any reason, so a
// pending turn without a lock is lost. Process ids are not suitable: they are reused
// and differ between containers.

// ownersDir returns the directory of those files.
func (s *Store) ownersDir() string { return filepath.Join(filepath.Dir(s.path), "waiting") }

// owner returns the owner of the turns that this store asks. The first call takes the
// lock.
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
	if err := atomicfile.MakeDir(s.ownersDir()); err != nil {
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

// disown releases the lock.
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

// alive reports whether the process that owns a turn is still running. For a turn
// without an owner it returns true; such a turn is pending until it expires.
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

// held reports whether a process holds the lock of a file. It tries a shared lock, so
// that concurrent calls do not interfere with each other.
func held(path string) bool {
	if _, err := os.Stat(path); err != nil {
		return false
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := lock.TryRLock()
	if free {
		_ = lock.Unlock()
	}
	return err == nil && !free
}

// sweepAge protects a new file that is not locked yet from sweep.
const sweepAge = time.Minute

// sweep removes the files of killed processes.
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
