package salvage

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

const oneTurn = `
INSERT INTO conversations(id, title, profile, agent_id, head, created, updated)
	VALUES('11111111-1111-4111-8111-111111111111', 'a title', 'work', '', '22222222-2222-4222-8222-222222222222', 1700000000000, 1700000000000);
INSERT INTO turns(seq, id, conversation, question, reply, state, agent_id, asked, expires, ended)
	VALUES(1700000000000 * 4096, '22222222-2222-4222-8222-222222222222', '11111111-1111-4111-8111-111111111111', 'a question', 'a reply',
	'answered', '', 1700000000000, 1700000060000, 1700000001000);`

// writeHistory creates a history with one turn in an earlier version of the schema
// and runs statements on it.
func writeHistory(t *testing.T, dir string, version int, statements string) {
	t.Helper()
	schema := history.Schema()
	schema.Migrations = schema.Migrations[:version]
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, history.FileName), schema)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), oneTurn+statements); err != nil {
		t.Fatal(err)
	}
}

// recoverTurn recovers and installs a history with one turn and returns the number of
// repaired rows.
func recoverTurn(t *testing.T, what, dir string) (repaired int) {
	t.Helper()
	r, err := Recover(t.Context(), dir)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return 0
	}
	defer func() { _ = r.Close() }()
	if r.Conversations == 0 || r.Turns != 1 || r.LostConversations+r.LostTurns > 0 {
		t.Errorf("%s: recovered %+v", what, r.Recovered)
	}
	if _, err := r.Install(); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	if h, err := Check(t.Context(), dir); err != nil || len(h.Damage)+len(h.Index) > 0 || h.Turns != 1 {
		t.Errorf("%s: Check after the repair: %+v, %v", what, h, err)
	}
	return r.Repaired
}

// A row has as many columns as its table had when it was written.
func TestRecoverEarlierVersions(t *testing.T) {
	for version := 1; version <= len(history.Schema().Migrations); version++ {
		for _, migrated := range []bool{false, true} {
			dir := t.TempDir()
			what := fmt.Sprintf("version %d, migrated %v", version, migrated)
			writeHistory(t, dir, version, "")
			if migrated {
				_ = openStore(t, dir).Close()
			}
			if repaired := recoverTurn(t, what, dir); repaired > 0 {
				t.Errorf("%s: %d rows were repaired", what, repaired)
			}
		}
	}
}

// A row is recovered whatever its columns contain. A new column with its own rule
// needs a case in row.column.
func TestInvalidValuesLoseNoRows(t *testing.T) {
	conversations, turns, err := readLayouts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []layout{conversations, turns} {
		for _, c := range l.columns {
			values := map[kind][]string{
				kindInteger: {"-1", "9223372036854775807"},
				kindText:    {"'odd'", "''", "CAST(x'6fff64' AS TEXT)"},
				kindBlob:    {"x''", "x'00ff'"},
			}[c.kind]
			switch {
			case c.isKey, c.name == "id":
				continue
			case c.isID:
				values = []string{"'" + strings.Repeat("z", 36) + "'"}
			}
			for _, v := range values {
				dir := t.TempDir()
				what := fmt.Sprintf("%s.%s = %s", l.name, c.name, v)
				writeHistory(t, dir, len(history.Schema().Migrations),
					fmt.Sprintf(`PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; UPDATE %s SET %s = %s`, l.name, c.name, v))
				repaired := recoverTurn(t, what, dir)
				if mustRepair := c.isID || slices.Contains([]string{"state", "mark", "instructions_source"}, c.name) || strings.HasPrefix(v, "CAST"); mustRepair && repaired == 0 {
					t.Errorf("%s: nothing was repaired", what)
				}
			}
		}
	}
}
