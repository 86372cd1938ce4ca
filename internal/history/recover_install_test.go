package history

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// damagedHistory is a directory with a history whose log was not played back and
// whose first page of turns is gone.
func damagedHistory(t *testing.T) (dir string, db, wal []byte) {
	t.Helper()
	s := newSample(t, 60, 1)
	dir = t.TempDir()
	db, wal = s.db, s.wal
	clear(db[100:4096])
	for name, content := range map[string][]byte{"": db, "-wal": wal} {
		if err := os.WriteFile(filepath.Join(dir, FileName+name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The log holds the first page anew, so it goes too.
	for at := walFrames; at+walFrame <= len(wal); at += walFrame {
		if bytes.Equal(wal[at:at+4], []byte{0, 0, 0, 1}) {
			clear(wal[at+24+100 : at+walFrame])
		}
	}
	if err := os.WriteFile(filepath.Join(dir, FileName+"-wal"), wal, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, db, wal
}

const (
	walFrames = 32
	walFrame  = 24 + 4096
)

func wantFile(t *testing.T, path string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the damaged file bit for bit: %v", path, err)
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

func TestARecoveredHistoryTakesThePlaceAndTheDamagedOneIsKept(t *testing.T) {
	dir, db, wal := damagedHistory(t)
	h, err := Check(t.Context(), dir)
	if err != nil || len(h.Damage) == 0 {
		t.Fatalf("the check found %+v, %v", h, err)
	}
	r, err := Recover(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Turns < 50 || r.Conversations < 5 {
		t.Errorf("recovered %+v", r.Recovered)
	}
	wantFile(t, filepath.Join(dir, FileName), db)
	wantFile(t, filepath.Join(dir, FileName+"-wal"), wal)
	aside, err := r.Install()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	wantFile(t, aside, db)
	wantFile(t, aside+"-wal", wal)
	if h, err = Check(t.Context(), dir); err != nil || len(h.Damage)+len(h.Index) > 0 || h.Turns != r.Turns || h.Conversations != r.Conversations {
		t.Errorf("after the repair the check found %+v, %v", h, err)
	}
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	answer(t, s, begin(t, s, Question{Text: "after the repair"}), "goes on")
	if found(t, s, Query{Text: "repair"}) == "" {
		t.Error("the search does not find what was asked after the repair")
	}
}

func TestARecoveryThatIsNotInstalledLeavesNothing(t *testing.T) {
	dir, db, wal := damagedHistory(t)
	before := names(t, dir)
	r, err := Recover(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Recover(ended, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted recovery gave %v", err)
	}
	if after := names(t, dir); strings.Join(after, " ") != strings.Join(before, " ") {
		t.Errorf("left over: %v, before %v", after, before)
	}
	wantFile(t, filepath.Join(dir, FileName), db)
	wantFile(t, filepath.Join(dir, FileName+"-wal"), wal)
}

func TestAnInterruptedInstallIsFoundAndFinished(t *testing.T) {
	dir, db, wal := damagedHistory(t)
	path := filepath.Join(dir, FileName)
	r, err := Recover(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	aside, err := keep(path, r.now())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path+"-wal"), r.Close()); err != nil {
		t.Fatal(err)
	}
	h, err := Check(t.Context(), dir)
	if err != nil || len(h.Damage) != 1 || !strings.Contains(h.Damage[0], "interrupted") {
		t.Fatalf("the check found %+v, %v", h, err)
	}
	again, err := Recover(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = again.Close() }()
	if again.Recovered != r.Recovered {
		t.Errorf("the second recovery found %+v, the first %+v", again.Recovered, r.Recovered)
	}
	if kept, err := again.Install(); err != nil || kept != aside {
		t.Errorf("kept as %s, %v; want %s", kept, err, aside)
	}
	wantFile(t, aside, db)
	wantFile(t, aside+"-wal", wal)
}

func TestAHistoryOfANewerHobnobIsNotRecovered(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, s, Question{Text: "x"})
	if _, err := s.db.Exec(`ALTER TABLE turns ADD COLUMN later TEXT; PRAGMA user_version = 99`); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if h, err := Check(t.Context(), dir); err != nil || !h.Newer || len(h.Damage) > 0 {
		t.Errorf("the check found %+v, %v", h, err)
	}
	var newer *ReadOnlyError
	if _, err := Recover(t.Context(), dir); !errors.As(err, &newer) {
		t.Errorf("Recover gave %v", err)
	}
}

func TestADamagedVersionNumberIsNoNewerHistory(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, s, Question{Text: "x"})
	if _, err := s.db.Exec(`PRAGMA user_version = 66`); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if h, err := Check(t.Context(), dir); err != nil || h.Newer || len(h.Damage) != 1 {
		t.Errorf("the check found %+v, %v", h, err)
	}
}

func TestCheckSaysWhatIsWrongWithTheTree(t *testing.T) {
	for change, want := range map[string]string{
		`UPDATE conversations SET head = (SELECT id FROM turns WHERE state = 'pending')`: "heads are no answered turn",
		`UPDATE turns SET parent = id`: "circle",
		`PRAGMA foreign_keys = OFF; UPDATE turns SET parent = '11111111-1111-4111-8111-111111111111' WHERE seq > 0`:                                         "rows refer to others",
		`UPDATE turns SET parent = (SELECT id FROM turns ORDER BY seq LIMIT 1) WHERE conversation <> (SELECT conversation FROM turns ORDER BY seq LIMIT 1)`: "another conversation",
	} {
		dir := t.TempDir()
		s, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		answer(t, s, begin(t, s, Question{Text: "one"}), "1")
		begin(t, s, Question{Text: "two"})
		if _, err := s.db.Exec(change); err != nil {
			t.Fatal(err)
		}
		_ = s.Close()
		h, err := Check(t.Context(), dir)
		if err != nil || !strings.Contains(strings.Join(h.Damage, "; "), want) {
			t.Errorf("%s: the check found %v, %v; want %q", change, h.Damage, err, want)
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
			t.Errorf("%s: after the repair the check found %+v, %v", change, h, err)
		}
	}
}

func TestAWrongIndexIsNoticedAndMadeAnew(t *testing.T) {
	for _, change := range []string{
		`DELETE FROM turns_index`,
		`DELETE FROM titles_index`,
		`INSERT INTO turns_index(rowid, question, reply) VALUES(1, 'stray', '')`,
		`DELETE FROM turns_index WHERE rowid = (SELECT max(seq) FROM turns); INSERT INTO turns_index(rowid, question, reply) VALUES(1, 'stray', '')`,
	} {
		dir := t.TempDir()
		s, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		answer(t, s, begin(t, s, Question{Text: "goroutines"}), "leak")
		if _, err := s.db.Exec(change); err != nil {
			t.Fatal(err)
		}
		if h, err := Check(t.Context(), dir); err != nil || len(h.Index) == 0 || len(h.Damage) > 0 {
			t.Errorf("%s: the check found %+v, %v", change, h, err)
		}
		if err := s.RebuildIndex(t.Context()); err != nil {
			t.Error(err)
		}
		if h, err := Check(t.Context(), dir); err != nil || len(h.Index)+len(h.Damage) > 0 {
			t.Errorf("%s: after the rebuild the check found %+v, %v", change, h, err)
		}
		if found(t, s, Query{Text: "goroutines"}) == "" {
			t.Errorf("%s: the rebuilt index finds nothing", change)
		}
	}
}

func TestAHistoryThatIsOpenElsewhereIsNotRecovered(t *testing.T) {
	if os.Getenv("HOBNOB_TEST_LOCK") != "" {
		_, err := Recover(t.Context(), os.Getenv("HOBNOB_TEST_LOCK"))
		if !errors.Is(err, sqlite.ErrBusy) {
			t.Fatalf("Recover gave %v, want ErrBusy", err)
		}
		return
	}
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	begin(t, s, Question{Text: "x"})
	// POSIX locks do not hold within one process.
	again(t, "TestAHistoryThatIsOpenElsewhereIsNotRecovered", "HOBNOB_TEST_LOCK="+dir)
}

// again runs a test of this binary in a process of its own.
func again(t *testing.T, name, env string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+name+"$")
	command.Env = append(os.Environ(), env)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
