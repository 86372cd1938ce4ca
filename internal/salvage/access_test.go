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

func TestAHistoryThatCannotBeOpenedIsAnError(t *testing.T) {
	if _, err := Recover(t.Context(), t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("recovering nothing gave %v, want fs.ErrNotExist", err)
	}
}

// The index of the log is a link to nowhere, which SQLite does not follow for root
// either; it then says what it says where it may not make one.
func TestAHistoryThatSQLiteCannotOpenIsNotDamaged(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right of their own")
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
		t.Errorf("gave %v and the damage %q, want sqlite.ErrNoAccess", err, health.Damage)
	}
}
