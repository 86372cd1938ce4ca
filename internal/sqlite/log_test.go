package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// leftLog returns a database with ten commits in its log, as left by a killed process.
func leftLog(t *testing.T) (file, log []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	db := open(t, path, schema)
	if err := db.EmptyLog(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if _, err := db.Exec("INSERT INTO notes(text) VALUES(?)", fmt.Sprint("note ", i)); err != nil {
			t.Fatal(err)
		}
	}
	file, ferr := os.ReadFile(path)
	log, lerr := os.ReadFile(path + "-wal")
	if err := errors.Join(ferr, lerr); err != nil {
		t.Fatal(err)
	}
	return file, log
}

// openCopy writes a database and its log to a new directory and opens it.
func openCopy(t *testing.T, file, log []byte) (path string, notes int, err error) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "copy.db")
	if err := errors.Join(os.WriteFile(path, file, 0o600), os.WriteFile(path+"-wal", log, 0o600)); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(t.Context(), path, schema)
	if err != nil {
		return path, 0, err
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRow("SELECT count(*) FROM notes").Scan(&notes); err != nil {
		t.Fatal(err)
	}
	return path, notes, nil
}

func TestDamagedLogIsNotReplayed(t *testing.T) {
	file, log := leftLog(t)
	if _, n, err := openCopy(t, file, log); err != nil || n != 10 {
		t.Fatalf("intact log: %d notes, %v; want 10", n, err)
	}
	const frame = 24 + 4096
	for name, at := range map[string]int{
		"magic number": 1, "salt of the log": 17, "checksum of the header": 25,
		"first frame": 32 + 24 + 100, "page number": 32 + frame + 1, "salt of a frame": 32 + 2*frame + 9,
		"checksum of a frame": 32 + 3*frame + 17, "last frame but one": 32 + 8*frame + 24 + 4000,
	} {
		damaged := bytes.Clone(log)
		damaged[at] ^= 0x55
		path, n, err := openCopy(t, file, damaged)
		if !errors.Is(err, sqlite.ErrDamaged) {
			t.Errorf("%s: opened with %d notes, %v; want ErrDamaged", name, n, err)
		}
		if _, err := sqlite.OpenExisting(t.Context(), path, schema); !errors.Is(err, sqlite.ErrDamaged) {
			t.Errorf("%s: OpenExisting: %v, want ErrDamaged", name, err)
		}
		if after, err := os.ReadFile(path + "-wal"); err != nil || !bytes.Equal(after, damaged) {
			t.Errorf("%s: the log was changed, %v", name, err)
		}
	}
}

func TestTruncatedLogIsReplayed(t *testing.T) {
	file, log := leftLog(t)
	for _, cut := range []int{0, 1, 31, 32, 33, 32 + 24 + 4096, len(log) / 2, len(log) - 4096, len(log) - 1} {
		if _, n, err := openCopy(t, file, log[:cut]); err != nil || n > 9 {
			t.Errorf("truncated to %d of %d bytes: %d notes, %v", cut, len(log), n, err)
		}
	}
	// The system may extend a file before it writes the data.
	zeros := bytes.Clone(log)
	clear(zeros[len(log)/2:])
	if _, n, err := openCopy(t, file, zeros); err != nil || n == 0 {
		t.Errorf("log with zeros at the end: %d notes, %v", n, err)
	}
}

func TestLogOfLinkedDatabase(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("creating symbolic links requires a privilege")
	}
	file, log := leftLog(t)
	intact := bytes.Clone(log)
	log[32+24+100] ^= 0x55
	path, _, _ := openCopy(t, file, log)
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), link, schema); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("damaged log: %v, want ErrDamaged", err)
	}
	if err := os.WriteFile(path+"-wal", intact, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.OpenSnapshot(t.Context(), link, schema)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var n int
	if err := db.QueryRow("SELECT count(*) FROM notes").Scan(&n); err != nil || n != 10 {
		t.Errorf("copy: %d notes, %v; want 10", n, err)
	}
}
