package salvage

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

func TestRebuildRecoversUndamagedRows(t *testing.T) {
	s := newSample(t, 200, 1)
	t.Logf("%d rows in %d KiB and a log of %d KiB", len(s.rows), len(s.db)>>10, len(s.wal)>>10)
	damages := s.damages(500, 80, 20)
	var next sync.Mutex
	at := 0
	var recovered, whole, repaired, detected int
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		dir := t.TempDir()
		wg.Go(func() {
			for {
				next.Lock()
				i := at
				at += damageStep
				next.Unlock()
				if i >= len(damages) {
					return
				}
				db, wal := bytes.Clone(s.db), bytes.Clone(s.wal)
				hit := damages[i](db, wal)
				got, report := s.recover(t, i, db, wal)
				found := use(t, dir, db, wal)
				next.Lock()
				if found {
					detected++
				}
				for id, want := range s.rows {
					if !s.undamaged(id, hit) {
						continue
					}
					whole++
					if s.same(got[id], want, hit) {
						recovered++
					} else {
						t.Errorf("damage %d at %+v: undamaged row\n%.300s\nrecovered as\n%.300s\n%+v", i, hit, want, got[id], report)
					}
				}
				for id := range got {
					// The page of a frame that records a deletion is unknown without its header.
					if s.pruned[id] && !headerHit(hit) {
						t.Errorf("damage %d at %+v: restored deleted row %s\n%+v", i, hit, id, report)
					}
				}
				repaired += report.Repaired
				next.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("%d damage cases, %d detected: %d of %d undamaged rows recovered, %d repaired", len(damages)/damageStep, detected, recovered, whole, repaired)
}

// headerHit reports whether the header of a log frame was damaged.
func headerHit(hit extent) bool {
	first := (hit.start - walHeader) / walFrame * walFrame
	for at := walHeader + first; at < hit.end; at += walFrame {
		if hit.inLog && hit.start < at+24 {
			return true
		}
	}
	return false
}

// same reports whether a recovered row equals the original. A reference to a damaged
// row may differ, because it may have been repaired.
func (s sample) same(got, want string, hit extent) bool {
	if got == want {
		return true
	}
	a, b := s.fields(got), s.fields(want)
	if len(a) != len(b) {
		return false
	}
	reference := 4 // the head of a conversation
	if len(b) > 11 {
		reference = 3 // the parent of a turn
	}
	for i := range a {
		if a[i] != b[i] && (i != reference || s.bytes[b[i]] == nil || s.undamaged(b[i], hit)) {
			return false
		}
	}
	return true
}

func (s sample) fields(row string) []string {
	var fields []string
	for row = strings.Trim(row, "[]"); row != ""; {
		quoted, err := strconv.QuotedPrefix(row)
		if err != nil {
			return nil
		}
		field, _ := strconv.Unquote(quoted)
		fields, row = append(fields, field), strings.TrimPrefix(row[len(quoted):], " ")
	}
	return fields
}

// use runs the operations of the commands on a damaged history. They may return
// errors, but must not crash, and Check must not change the files.
func use(t *testing.T, dir string, db, wal []byte) (detected bool) {
	ctx := context.Background()
	path := filepath.Join(dir, history.FileName)
	defer func() {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			_ = os.Remove(path + suffix)
		}
	}()
	for name, content := range map[string][]byte{path: db, path + "-wal": wal} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Error(err)
			return false
		}
	}
	h, err := Check(ctx, dir)
	if err != nil {
		t.Errorf("Check: %v", err)
	}
	for name, content := range map[string][]byte{path: db, path + "-wal": wal} {
		if after, _ := os.ReadFile(name); !bytes.Equal(after, content) {
			t.Errorf("Check changed %s", name)
		}
	}
	if s, err := history.Open(ctx, dir); err == nil {
		if len(h.Damage) == 0 && len(h.Index) > 0 {
			if err := s.RebuildIndex(ctx); err != nil && !errors.Is(err, sqlite.ErrDamaged) {
				t.Errorf("RebuildIndex of %v: %v", h.Index, err)
			} else if h, err := Check(ctx, dir); err != nil || len(h.Index)+len(h.Damage) > 0 {
				t.Errorf("Check after RebuildIndex: %+v, %v", h, err)
			}
		}
		_, _ = s.List(ctx, history.Filter{Profile: "work", Limit: 10})
		_, _ = s.Search(ctx, history.Query{Text: "quick fox", Limit: 10})
		if c, err := s.Latest(ctx, "work"); err == nil {
			_, _ = s.Turns(ctx, c.ID)
			_, _ = s.Path(ctx, c.Head, 0)
			if turn, err := s.Begin(ctx, history.Question{Conversation: c.ID, Parent: c.Head, Text: "and then?", Lifetime: time.Minute}); err == nil {
				_, _ = s.Answer(ctx, turn, "then", history.Service{})
			}
		}
		_ = s.Close()
	}
	return len(h.Damage)+len(h.Index) > 0
}

// recover returns the rows of a history recovered from the files.
func (s sample) recover(t *testing.T, i int, db, wal []byte) (map[string]string, Recovered) {
	f, err := open(db, wal)
	if err != nil {
		t.Errorf("damage %d: %v", i, err)
		return nil, Recovered{}
	}
	out, err := sqlite.Open(context.Background(), sqlite.Memory, history.Schema())
	if err != nil {
		t.Error(err)
		return nil, Recovered{}
	}
	defer func() { _ = out.Close() }()
	report, err := rebuildHistory(context.Background(), out.DB, f)
	if err != nil {
		t.Errorf("damage %d: %v", i, err)
		return nil, report
	}
	h := Health{}
	if err := h.checkDatabase(context.Background(), out.DB); err != nil || len(h.Damage)+len(h.Index) > 0 {
		t.Errorf("damage %d: recovered history: damage %q, index %q, %v", i, h.Damage, h.Index, err)
	}
	var hits int
	if err := out.QueryRow(`SELECT count(*) FROM turns_index WHERE turns_index MATCH 'quick AND fox'`).Scan(&hits); err != nil || hits < 5 && report.Turns > 100 {
		t.Errorf("damage %d: %d search hits, %v", i, hits, err)
	}
	return readAll(t, out.DB), report
}

// FuzzSalvage recovers arbitrary bytes as a history and its log. The recovered
// history must always be intact.
func FuzzSalvage(f *testing.F) {
	s := makeSample(f, 8, 9, func(time.Duration) {})
	f.Add(s.db, s.wal[:min(len(s.wal), 40<<10)])
	f.Add(s.db[:8192], []byte{})
	f.Fuzz(func(t *testing.T, db, wal []byte) {
		if len(db)+len(wal) > 256<<10 {
			return
		}
		s.recover(t, 0, db, wal)
	})
}
