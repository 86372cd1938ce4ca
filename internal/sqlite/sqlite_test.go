package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

var schema = sqlite.Schema{ApplicationID: 0x686f6274, Migrations: []sqlite.Migration{
	sqlite.Script("CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT"),
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

func TestOpenSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new dir?", "a#b%20.db")
	db := open(t, path, schema)
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "busy_timeout": "50", "foreign_keys": "1", "user_version": "1"} {
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
		t.Errorf("directory: %v, %v; want mode 0700", info, err)
	}
}

func TestNewerSchemaIsReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	newer := sqlite.Schema{ApplicationID: schema.ApplicationID, Migrations: append(schema.Migrations[:1:1], sqlite.Script("ALTER TABLE notes ADD COLUMN extra TEXT"))}
	db := open(t, path, newer)
	if _, err := db.Exec("INSERT INTO notes(text) VALUES('saved')"); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	old := open(t, path, schema)
	var isNewer *sqlite.NewerError
	if err := old.Writable(); !errors.As(err, &isNewer) {
		t.Errorf("newer schema: Writable: %v", err)
	}
	var text string
	if err := old.QueryRow("SELECT text FROM notes").Scan(&text); err != nil || text != "saved" {
		t.Errorf("read %q, %v", text, err)
	}
	if _, err := old.Exec("DELETE FROM notes"); !errors.Is(sqlite.Explain(err), sqlite.ErrReadOnly) {
		t.Errorf("write: %v, want ErrReadOnly", err)
	}
}

func TestOpenRefusesForeignFiles(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("this is a letter, not a database, and long enough to be read as one: "+fmt.Sprint(make([]int, 500))), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), text, schema); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("text file: %v, want ErrDamaged", err)
	}
	other := filepath.Join(dir, "other.db")
	_ = open(t, other, sqlite.Schema{ApplicationID: 1, Migrations: []sqlite.Migration{sqlite.Script("CREATE TABLE theirs(x)")}}).Close()
	anonymous := filepath.Join(dir, "anonymous.db")
	_ = open(t, anonymous, sqlite.Schema{Migrations: []sqlite.Migration{sqlite.Script("CREATE TABLE mine(x)")}}).Close()
	db := open(t, anonymous, sqlite.Schema{Migrations: []sqlite.Migration{sqlite.Script("CREATE TABLE mine(x)")}})
	if _, err := db.Exec("PRAGMA user_version = 0"); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	for _, path := range []string{other, anonymous} {
		before, _ := os.ReadFile(path)
		if _, err := sqlite.Open(t.Context(), path, schema); err == nil {
			t.Errorf("%s of another program was opened", filepath.Base(path))
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s of another program was changed", filepath.Base(path))
		}
	}
}

func TestWriteReturnsContextError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	holder, waiter := open(t, path, schema), open(t, path, schema)
	ctx, cancel := context.WithCancel(t.Context())
	err := holder.Write(t.Context(), func(*sql.Tx) error {
		waiting := make(chan error)
		go func() { waiting <- waiter.Write(ctx, func(*sql.Tx) error { return nil }) }()
		cancel()
		select {
		case err := <-waiting:
			return err
		case <-time.After(10 * time.Second):
			return errors.New("still waiting")
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Write: %v, want context.Canceled", err)
	}
}

func TestOpenExistingCreatesNothing(t *testing.T) {
	dir := t.TempDir()
	if _, err := sqlite.OpenExisting(t.Context(), filepath.Join(dir, "x.db"), schema); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v, want fs.ErrNotExist", err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("%v was created", entries)
	}
}

func TestConcurrentOpensOfNewFile(t *testing.T) {
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
				if err := db.Write(context.Background(), func(tx *sql.Tx) error {
					_, err := tx.Exec("INSERT INTO notes(text) VALUES(?)", fmt.Sprint(i, j))
					return err
				}); err != nil {
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
