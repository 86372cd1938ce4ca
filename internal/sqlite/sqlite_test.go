package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

var schema = sqlite.Schema{ApplicationID: 0x686f6274, Migrations: []string{
	"CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT",
}}

func open(t *testing.T, path string, schema sqlite.Schema) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, schema)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func TestOpenSetsWhatKeepsCommits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new dir?", "a#b%20.db")
	db := open(t, path, schema)
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "busy_timeout": "30000", "foreign_keys": "1", "user_version": "1"} {
		var got string
		if err := db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", pragma, got, err, want)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if _, err := db.Exec("INSERT INTO notes(text) VALUES('x')"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want mode 0600", name, info, err)
		}
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v; want mode 0700", info, err)
	}
}

func TestNewerSchemaIsReadAndNeverChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	newer := sqlite.Schema{ApplicationID: schema.ApplicationID, Migrations: append(schema.Migrations[:1:1], "ALTER TABLE notes ADD COLUMN extra TEXT")}
	db := open(t, path, newer)
	if _, err := db.Exec("INSERT INTO notes(text) VALUES('kept')"); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	old := open(t, path, schema)
	if !old.ReadOnly {
		t.Error("a newer schema was opened for writing")
	}
	var text string
	if err := old.QueryRow("SELECT text FROM notes").Scan(&text); err != nil || text != "kept" {
		t.Errorf("read %q, %v", text, err)
	}
	if _, err := old.Exec("DELETE FROM notes"); !errors.Is(sqlite.Explain(err), sqlite.ErrReadOnly) {
		t.Errorf("a write gave %v, want ErrReadOnly", err)
	}
}

func TestFilesThatAreNotOursAreRefusedUntouched(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("this is a letter, not a database, and long enough to be read as one: "+fmt.Sprint(make([]int, 500))), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), text, schema); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("a text file gave %v, want ErrDamaged", err)
	}
	other := filepath.Join(dir, "other.db")
	_ = open(t, other, sqlite.Schema{ApplicationID: 1, Migrations: []string{"CREATE TABLE theirs(x)"}}).Close()
	before, _ := os.ReadFile(other)
	if _, err := sqlite.Open(t.Context(), other, schema); err == nil {
		t.Error("a database of another program was opened")
	}
	if after, _ := os.ReadFile(other); string(after) != string(before) {
		t.Error("the database of another program was changed")
	}
}

func TestOpenExistingCreatesNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := sqlite.OpenExisting(t.Context(), filepath.Join(dir, "x.db"), schema); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gave %v, want fs.ErrNotExist", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("%v was created", entries)
	}
}

func TestManyOpenersMeetAtANewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 10 {
				db, err := sqlite.Open(context.Background(), path, schema)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := db.Exec("INSERT INTO notes(text) VALUES(?)", fmt.Sprint(i, j)); err != nil {
					t.Error(err)
				}
				_ = db.Close()
			}
		})
	}
	wg.Wait()
	var n int
	if err := open(t, path, schema).QueryRow("SELECT count(*) FROM notes").Scan(&n); err != nil || n != 160 {
		t.Errorf("%d rows, %v; want 160", n, err)
	}
}
