package salvage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

func TestRecoverMissingHistory(t *testing.T) {
	if _, err := Recover(t.Context(), t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Recover: %v, want fs.ErrNotExist", err)
	}
}

// The log index is a dangling link. SQLite does not follow it, even as root, and
// returns the same error as without permission to create the index.
func TestInaccessibleHistoryIsNotDamaged(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege")
	}
	dir := t.TempDir()
	store, err := history.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "nowhere", "x"), filepath.Join(dir, history.FileName+"-shm")); err != nil {
		t.Fatal(err)
	}
	health, err := Check(t.Context(), dir)
	if !errors.Is(err, sqlite.ErrNoAccess) || len(health.Damage) > 0 {
		t.Errorf("Check: %v with damage %q, want sqlite.ErrNoAccess", err, health.Damage)
	}
}
