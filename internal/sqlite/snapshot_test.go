package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// setTempDir sets os.TempDir to an empty directory.
func setTempDir(t *testing.T) string {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	return dir
}

func TestSnapshotRemovesLeftovers(t *testing.T) {
	temp := setTempDir(t)
	for _, name := range []string{"hobnob-snapshot-1", "hobnob-snapshot-2", "other-1"} {
		dir := filepath.Join(temp, name)
		if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "copy.db"), []byte("left"), 0o600)); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-time.Hour)
		if name != "hobnob-snapshot-2" { // being written
			if err := os.Chtimes(filepath.Join(dir, "copy.db"), old, old); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if left := sqlite.LeftoverSnapshots(); !slices.Equal(left, []string{filepath.Join(temp, "hobnob-snapshot-1")}) {
		t.Errorf("leftovers: %q", left)
	}
	path := filepath.Join(t.TempDir(), "x.db")
	_ = open(t, path, schema)
	snapshot, err := sqlite.OpenSnapshot(t.Context(), path, schema)
	if err != nil {
		t.Fatal(err)
	}
	if err := snapshot.Close(); err != nil {
		t.Error(err)
	}
	left, _ := filepath.Glob(filepath.Join(temp, "*"))
	if want := []string{filepath.Join(temp, "hobnob-snapshot-2"), filepath.Join(temp, "other-1")}; !slices.Equal(left, want) {
		t.Errorf("files left: %q, want %q", left, want)
	}
}

func TestSnapshotIncludesLogAndIsReadOnly(t *testing.T) {
	setTempDir(t)
	path := filepath.Join(t.TempDir(), "x.db")
	if _, err := sqlite.OpenSnapshot(t.Context(), path, schema); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v, want fs.ErrNotExist", err)
	}
	db := open(t, path, schema)
	if _, err := db.Exec("INSERT INTO notes(text) VALUES('in the log')"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
		t.Fatalf("the log is empty: %v", err)
	}
	snapshot, err := sqlite.OpenSnapshot(t.Context(), path, schema)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if err := snapshot.QueryRow("SELECT text FROM notes").Scan(&text); err != nil || text != "in the log" {
		t.Errorf("read %q, %v", text, err)
	}
	if err := snapshot.Writable(); !errors.Is(err, sqlite.ErrReadOnly) {
		t.Errorf("Writable: %v, want ErrReadOnly", err)
	}
	if err := snapshot.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "hobnob-*")); len(left) > 0 {
		t.Errorf("not removed: %v", left)
	}
}
