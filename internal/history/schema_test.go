package history

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

func TestMigrationOfFailures(t *testing.T) {
	dir := t.TempDir()
	older := Schema()
	older.Migrations = older.Migrations[:2]
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, FileName), older)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		state State
		text  string
		want  Failure
	}{
		{Failed, "POST https://h/api/v1/chat: 401 Unauthorized: no", Failure{Kind: failure.Auth, Status: 401}},
		{Failed, "POST https://h/api/v1/chat: 403 Forbidden", Failure{Kind: failure.Auth, Status: 403}},
		{Failed, "POST https://h/api/v1/chat: 429 Too Many Requests", Failure{Kind: failure.Limited, Status: 429}},
		{Failed, "POST https://h/api/v1/chat: 503 Service Unavailable: later", Failure{Kind: failure.Limited, Status: 503}},
		{Failed, "POST https://h/api/v1/chat: 404 Not Found: none: 500", Failure{Kind: failure.Refused, Status: 404}},
		{Failed, "POST https://h/api/v1/chat: 599", Failure{Kind: failure.Refused, Status: 599}},
		{Failed, "POST https://h/api/v1/chat: dial tcp: connection refused", Failure{Kind: failure.NotSent}},
		{Failed, "POST https://h/api/v1/chat: the proxy 127.0.0.1:3128 refused to connect: 407 Proxy Authentication Required", Failure{Kind: failure.NotSent}},
		{Failed, "POST https://h/api/v1/chat: 4040 things", Failure{Kind: failure.NotSent}},
		{Failed, "no token is stored", Failure{Kind: failure.Unrecorded}},
		{Unknown, "POST https://h/api/v1/chat: 500 Internal Server Error", Failure{Kind: failure.Unknown, Status: 500}},
		{Unknown, "reset by peer", Failure{Kind: failure.Unrecorded}},
	}
	if err := db.Write(t.Context(), func(tx *sql.Tx) error {
		return insertFailures(t.Context(), tx, len(cases), func(i int) (State, string) { return cases[i].state, cases[i].text })
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	store, err := OpenExisting(t.Context(), dir) // migrates the file
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	turns, err := store.Turns(t.Context(), idA)
	if err != nil || len(turns) != len(cases) {
		t.Fatalf("%d turns, %v", len(turns), err)
	}
	for i, c := range cases {
		c.want.Text = c.text
		if turns[i].Failure != c.want {
			t.Errorf("%s %q: got %+v, want %+v", c.state, c.text, turns[i].Failure, c.want)
		}
	}
}

func insertFailures(ctx context.Context, tx *sql.Tx, n int, row func(int) (State, string)) error {
	if _, err := tx.ExecContext(ctx, `INSERT INTO conversations(id, title, profile, agent_id, created, updated) VALUES(?, 't', 'p', '', 1, 1)`, idA); err != nil {
		return err
	}
	for i := range n {
		state, text := row(i)
		if _, err := tx.ExecContext(ctx, `INSERT INTO turns(seq, id, conversation, question, state, agent_id, asked, expires, ended, failure) VALUES(?, ?, ?, 'q', ?, '', 1, 1, 1, ?)`,
			i+1, fmt.Sprintf("00000000-0000-4000-8000-%012d", i), idA, state, text); err != nil {
			return err
		}
	}
	return nil
}
