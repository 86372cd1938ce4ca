package salvage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// damagedHistory creates a directory with a history whose log was not checkpointed
// and whose first page is zeroed except for its header.
func damagedHistory(t *testing.T) (dir string, db, wal []byte) {
	t.Helper()
	s := newSample(t, 60, 1)
	dir = t.TempDir()
	db, wal = s.db, s.wal
	clear(db[100:4096])
	for name, content := range map[string][]byte{"": db, "-wal": wal} {
		if err := os.WriteFile(filepath.Join(dir, history.FileName+name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The log has a newer copy of the first page, which is zeroed too.
	for at := walHeader; at+walFrame <= len(wal); at += walFrame {
		if bytes.Equal(wal[at:at+4], []byte{0, 0, 0, 1}) {
			clear(wal[at+24+100 : at+walFrame])
		}
	}
	if err := os.WriteFile(filepath.Join(dir, history.FileName+"-wal"), wal, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, db, wal
}

// openStore opens the history in dir.
func openStore(t *testing.T, dir string) *history.Store {
	t.Helper()
	s, err := history.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// ask records a question, and its reply unless that is empty.
func ask(t *testing.T, s *history.Store, question, reply string) {
	t.Helper()
	turn, err := s.Begin(t.Context(), history.Question{Text: question, Profile: "work", Lifetime: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if reply == "" {
		return
	}
	if _, err := s.Answer(t.Context(), turn, reply, history.Service{ConversationID: "service-" + turn.ID}); err != nil {
		t.Fatal(err)
	}
}

func wantHit(t *testing.T, s *history.Store, text string) {
	t.Helper()
	if hits, err := s.Search(t.Context(), history.Query{Text: text, Limit: 20}); err != nil || len(hits) == 0 {
		t.Errorf("search for %q: %d hits, %v", text, len(hits), err)
	}
}

// change runs SQL statements on the history in dir.
func change(t *testing.T, dir, statements string) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, history.FileName), history.Schema())
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), statements)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

const walFrame = frameHeader + 4096

func wantFile(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s differs from the damaged file: %v", path, err)
	}
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%s has mode %v", path, info.Mode())
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestInstallBacksUpDamagedHistory(t *testing.T) {
	dir, db, wal := damagedHistory(t)
	h, err := Check(t.Context(), dir)
	if err != nil || len(h.Damage) == 0 {
		t.Fatalf("Check: %+v, %v", h, err)
	}
	r, err := Recover(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Turns < 50 || r.Conversations < 5 {
		t.Errorf("recovered %+v", r.Recovered)
	}
	wantFile(t, filepath.Join(dir, history.FileName), db)
	wantFile(t, filepath.Join(dir, history.FileName+"-wal"), wal)
	backup, err := r.Install()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	wantFile(t, backup, db)
	wantFile(t, backup+"-wal", wal)
	if h, err = Check(t.Context(), dir); err != nil || len(h.Damage)+len(h.Index) > 0 || h.Turns != r.Turns || h.Conversations != r.Conversations {
		t.Errorf("Check after the repair: %+v, %v", h, err)
	}
	s := openStore(t, dir)
	ask(t, s, "after the repair", "goes on")
	wantHit(t, s, "repair")
}

func TestRecoverWithoutInstallLeavesNoFiles(t *testing.T) {
	dir, db, wal := damagedHistory(t)
	before := names(t, dir)
	r, err := Recover(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Recover(cancelled, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted Recover: %v, want context.Canceled", err)
	}
	if after := names(t, dir); strings.Join(after, " ") != strings.Join(before, " ") {
		t.Errorf("files after: %v, before: %v", after, before)
	}
	wantFile(t, filepath.Join(dir, history.FileName), db)
	wantFile(t, filepath.Join(dir, history.FileName+"-wal"), wal)
}

func TestRecoverCompletesInterruptedInstall(t *testing.T) {
	dir, db, wal := damagedHistory(t)
	path := filepath.Join(dir, history.FileName)
	r, err := Recover(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	want, err := backUp(path, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path+"-wal"), r.Close()); err != nil {
		t.Fatal(err)
	}
	h, err := Check(t.Context(), dir)
	if err != nil || len(h.Damage) != 1 || !strings.Contains(h.Damage[0], "interrupted") {
		t.Fatalf("Check: %+v, %v", h, err)
	}
	second, err := Recover(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = second.Close() }()
	if second.Recovered != r.Recovered {
		t.Errorf("second recovery: %+v, first: %+v", second.Recovered, r.Recovered)
	}
	if backup, err := second.Install(); err != nil || backup != want {
		t.Errorf("backup %s, %v; want %s", backup, err, want)
	}
	wantFile(t, want, db)
	wantFile(t, want+"-wal", wal)
}

func TestRecoverRefusesNewerHistory(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir)
	ask(t, s, "x", "")
	_ = s.Close()
	change(t, dir, `ALTER TABLE turns ADD COLUMN later TEXT; PRAGMA user_version = 99`)
	if h, err := Check(t.Context(), dir); err != nil || !h.Newer || len(h.Damage) > 0 {
		t.Errorf("Check: %+v, %v", h, err)
	}
	var newer *sqlite.NewerError
	if _, err := Recover(t.Context(), dir); !errors.As(err, &newer) {
		t.Errorf("Recover: %v, want a NewerError", err)
	}
}

func TestNewerVersionOfSameTablesIsNewer(t *testing.T) {
	for version, newer := range map[int]bool{99: true, math.MaxInt32: true, -1: false} {
		dir := t.TempDir()
		s := openStore(t, dir)
		ask(t, s, "x", "")
		_ = s.Close()
		change(t, dir, fmt.Sprintf(`PRAGMA user_version = %d`, version))
		if h, err := Check(t.Context(), dir); err != nil || h.Newer != newer || len(h.Damage) == 0 != newer {
			t.Errorf("version %d: Check: %+v, %v", version, h, err)
		}
		if _, err := history.Open(t.Context(), dir); !newer && !errors.Is(err, sqlite.ErrDamaged) {
			t.Errorf("version %d: Open: %v, want ErrDamaged", version, err)
		}
		r, err := Recover(t.Context(), dir)
		if errors.As(err, new(*sqlite.NewerError)) != newer {
			t.Errorf("version %d: Recover: %v", version, err)
		}
		if err == nil {
			_ = r.Close()
		}
	}
}

func TestCheckReportsBrokenTrees(t *testing.T) {
	for statements, want := range map[string]string{
		`UPDATE conversations SET head = (SELECT id FROM turns WHERE state = 'pending')`: "heads that are not an answered turn",
		`UPDATE turns SET parent = id`: "cycle",
		`PRAGMA foreign_keys = OFF; UPDATE turns SET parent = '11111111-1111-4111-8111-111111111111' WHERE seq > 0`:                                         "rows that refer to missing rows",
		`UPDATE turns SET parent = (SELECT id FROM turns ORDER BY seq LIMIT 1) WHERE conversation <> (SELECT conversation FROM turns ORDER BY seq LIMIT 1)`: "another conversation",
	} {
		dir := t.TempDir()
		s := openStore(t, dir)
		ask(t, s, "one", "1")
		ask(t, s, "two", "")
		_ = s.Close()
		change(t, dir, statements)
		h, err := Check(t.Context(), dir)
		if err != nil || !strings.Contains(strings.Join(h.Damage, "; "), want) {
			t.Errorf("%s: Check: %v, %v; want %q", statements, h.Damage, err, want)
		}
		r, err := Recover(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Install(); err != nil {
			t.Error(err)
		}
		_ = r.Close()
		if h, err := Check(t.Context(), dir); err != nil || len(h.Damage) > 0 || h.Turns != 2 || h.Conversations != 2 {
			t.Errorf("%s: Check after the repair: %+v, %v", statements, h, err)
		}
	}
}

func TestRebuildDamagedIndex(t *testing.T) {
	for _, statements := range []string{
		`DELETE FROM turns_index`,
		`DELETE FROM titles_index`,
		`INSERT INTO turns_index(rowid, question, reply) VALUES(1, 'stray', '')`,
		`DELETE FROM turns_index WHERE rowid = (SELECT max(seq) FROM turns); INSERT INTO turns_index(rowid, question, reply) VALUES(1, 'stray', '')`,
	} {
		dir := t.TempDir()
		s := openStore(t, dir)
		ask(t, s, "goroutines", "leak")
		change(t, dir, statements)
		if h, err := Check(t.Context(), dir); err != nil || len(h.Index) == 0 || len(h.Damage) > 0 {
			t.Errorf("%s: Check: %+v, %v", statements, h, err)
		}
		if err := s.RebuildIndex(t.Context()); err != nil {
			t.Error(err)
		}
		if h, err := Check(t.Context(), dir); err != nil || len(h.Index)+len(h.Damage) > 0 {
			t.Errorf("%s: Check after the rebuild: %+v, %v", statements, h, err)
		}
		wantHit(t, s, "goroutines")
	}
}

func TestRecoverRefusesOpenHistory(t *testing.T) {
	if os.Getenv("HOBNOB_TEST_LOCK") != "" {
		_, err := Recover(t.Context(), os.Getenv("HOBNOB_TEST_LOCK"))
		if !errors.Is(err, sqlite.ErrBusy) {
			t.Fatalf("Recover: %v, want ErrBusy", err)
		}
		return
	}
	dir := t.TempDir()
	ask(t, openStore(t, dir), "x", "")
	// POSIX locks do not exclude the process that holds them.
	runSeparately(t, "TestRecoverRefusesOpenHistory", "HOBNOB_TEST_LOCK="+dir)
}

// runSeparately runs a test of this binary in a separate process.
func runSeparately(t *testing.T, name, env string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+name+"$")
	command.Env = append(os.Environ(), env)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
