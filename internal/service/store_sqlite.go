package service

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// schema is the schema of the SQLite store. Released migrations are never edited.
var schema = sqlite.Schema{
	ApplicationID: 0x686f6273, // "hobs"
	Migrations: []sqlite.Migration{sqlite.Script(`
CREATE TABLE conversations(
	seq      INTEGER PRIMARY KEY,
	id       TEXT NOT NULL UNIQUE,
	client   TEXT NOT NULL,
	agent_id TEXT NOT NULL,
	title    TEXT NOT NULL,
	created  REAL NOT NULL
) STRICT;
CREATE INDEX conversations_client ON conversations(client, seq);
`), sqlite.Script(`
ALTER TABLE conversations ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0 CHECK(hidden IN (0, 1));
`)},
}

// FileName is the name of the embedded service's database in the data directory.
const FileName = "service.db"

// SQLiteStore is a Store in an SQLite database.
type SQLiteStore struct{ db *sqlite.DB }

// OpenSQLite opens or creates the store at path; sqlite.Memory keeps it in memory.
func OpenSQLite(ctx context.Context, path string) (*SQLiteStore, error) {
	db, err := sqlite.Open(ctx, path, schema)
	if err != nil {
		return nil, err
	}
	// SQLite opens a read-only file without an error and fails at the first
	// statement that could write, even if it changes nothing.
	err = db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM conversations WHERE false`)
		return err
	})
	if err != nil {
		_ = db.Close()
		if errors.As(err, new(*sqlite.NewerError)) {
			return nil, err
		}
		return nil, fmt.Errorf("cannot write %s: %w", path, sqlite.Explain(err))
	}
	return &SQLiteStore{db: db}, nil
}

// Close closes the database.
func (s *SQLiteStore) Close() error { return s.db.Close() }

// Create implements Store.
func (s *SQLiteStore) Create(ctx context.Context, client string, c Conversation) error {
	err := s.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO conversations(id, client, agent_id, title, created) VALUES(?, ?, ?, ?, ?)`,
			c.ID, client, c.AgentID, c.Title, c.Created)
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot store conversation %s: %w", c.ID, sqlite.Explain(err))
	}
	return nil
}

// List implements Store.
func (s *SQLiteStore) List(ctx context.Context, client string, limit int) (list []Conversation, more bool, err error) {
	const query = `SELECT id, agent_id, title, created FROM conversations WHERE client = ? AND NOT hidden ORDER BY seq DESC LIMIT ?`
	list, err = sqlite.All(ctx, s.db, query, []any{client, limit + 1}, func(rows *sql.Rows, c *Conversation) error {
		return rows.Scan(&c.ID, &c.AgentID, &c.Title, &c.Created)
	})
	if err != nil {
		return nil, false, fmt.Errorf("cannot list conversations: %w", sqlite.Explain(err))
	}
	return list[:min(len(list), limit)], len(list) > limit, nil
}

// Hide removes conversations of a client from its listing or, if hidden is false, adds
// them again. It ignores unknown ids.
func (s *SQLiteStore) Hide(ctx context.Context, client string, hidden bool, ids []string) error {
	_, err := s.change(ctx, `UPDATE conversations SET hidden = ? WHERE client = ? AND id = ?`, ids, hidden, client)
	return err
}

// Remove removes conversations of a client permanently, also from the log of the
// database. It ignores unknown ids.
func (s *SQLiteStore) Remove(ctx context.Context, client string, ids []string) error {
	removed, err := s.change(ctx, `DELETE FROM conversations WHERE client = ? AND id = ?`, ids, client)
	if err == nil && removed > 0 {
		err = s.db.Compact(ctx)
	}
	return err
}

// change runs a statement for each id, its last argument, in one transaction, and
// returns the number of changed rows.
func (s *SQLiteStore) change(ctx context.Context, statement string, ids []string, args ...any) (changed int64, err error) {
	err = s.db.Write(ctx, func(tx *sql.Tx) error {
		for _, id := range ids {
			result, err := tx.ExecContext(ctx, statement, append(args[:len(args):len(args)], id)...)
			if err != nil {
				return err
			}
			n, err := result.RowsAffected()
			if changed += n; err != nil {
				return err
			}
		}
		return nil
	})
	return changed, sqlite.Explain(err)
}
