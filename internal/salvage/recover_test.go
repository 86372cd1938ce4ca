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

func TestEveryUndamagedRowIsRecovered(t *testing.T) {
	s := newSample(t, 200, 1)
	t.Logf("%d rows in %d KiB and a log of %d KiB", len(s.rows), len(s.db)>>10, len(s.wal)>>10)
	damages := s.damages(500, 80, 20)
	var next sync.Mutex
	at := 0
	var recovered, whole, repaired, noticed int
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
					noticed++
				}
				for id, want := range s.rows {
					if !s.undamaged(id, hit) {
						continue
					}
					whole++
					if s.same(got[id], want, hit) {
						recovered++
					} else {
						t.Errorf("damage %d at %+v: the undamaged row\n%.300s\nis\n%.300s\n%+v", i, hit, want, got[id], report)
					}
				}
				for id := range got {
					// Without its header a frame with the news of a deletion is of no known page.
					if s.pruned[id] && !headerHit(hit) {
						t.Errorf("damage %d at %+v brought back the deleted row %s\n%+v", i, hit, id, report)
					}
				}
				repaired += report.Repaired
				next.Unlock()
			}
		})
	}
	wg.Wait()
	t.Logf("%d damages, %d noticed: %d of %d undamaged rows recovered, %d repaired", len(damages)/damageStep, noticed, recovered, whole, repaired)
}

// headerHit reports whether the header of a frame of the log was touched.
func headerHit(hit extent) bool {
	first := (hit.start - walHeader) / walFrame * walFrame
	for at := walHeader + first; at < hit.end; at += walFrame {
		if hit.inLog && hit.start < at+24 {
			return true
		}
	}
	return false
}

// same compares a recovered row with the original, field by field. Where it refers
// to a row that was damaged, the reference may have been repaired.
func (s sample) same(got, want string, hit extent) bool {
	if got == want {
		return true
	}
	a, b := s.fields(got), s.fields(want)
	if len(a) != len(b) {
		return false
	}
	reference := 4 // the head of a conversation
	if len(b) > 8 {
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

// use does with a damaged history what commands do with it. Errors are fine;
// crashes and a check that changes it are not.
func use(t *testing.T, dir string, db, wal []byte) (noticed bool) {
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
		t.Errorf("the check failed: %v", err)
	}
	for name, content := range map[string][]byte{path: db, path + "-wal": wal} {
		if after, _ := os.ReadFile(name); !bytes.Equal(after, content) {
			t.Errorf("the check changed %s", name)
		}
	}
	if s, err := history.Open(ctx, dir); err == nil {
		if len(h.Damage) == 0 && len(h.Index) > 0 {
			if err := s.RebuildIndex(ctx); err != nil && !errors.Is(err, sqlite.ErrDamaged) {
				t.Errorf("the index %v was not rebuilt: %v", h.Index, err)
			} else if h, err := Check(ctx, dir); err != nil || len(h.Index)+len(h.Damage) > 0 {
				t.Errorf("after the index was rebuilt the check found %+v, %v", h, err)
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
		t.Errorf("damage %d: the recovered history has %v, %v, %v", i, h.Damage, h.Index, err)
	}
	var hits int
	if err := out.QueryRow(`SELECT count(*) FROM turns_index WHERE turns_index MATCH 'quick AND fox'`).Scan(&hits); err != nil || hits < 5 && report.Turns > 100 {
		t.Errorf("damage %d: search found %d, %v", i, hits, err)
	}
	return readAll(t, out.DB), report
}

// FuzzSalvage takes any bytes for a history and its log: what comes out is an intact
// history all the same.
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
