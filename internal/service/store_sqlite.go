package service

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// schema of the service's SQLite store. Released migrations are never edited.
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
`)},
}

// FileName is the database of the service inside hobnob, in the data directory.
const FileName = "service.db"

// SQLiteStore is a Store in one file.
type SQLiteStore struct{ db *sqlite.DB }

// OpenSQLite opens or creates the store at path; sqlite.Memory keeps it in memory.
func OpenSQLite(ctx context.Context, path string) (*SQLiteStore, error) {
	db, err := sqlite.Open(ctx, path, schema)
	if err != nil {
		return nil, err
	}
	// A file that can only be read opens all the same; it refuses the first
	// statement that could write, even one with nothing to do.
	err = db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM conversations WHERE false`)
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot write %s: %w", path, sqlite.Explain(err)), db.Close())
	}
	return &SQLiteStore{db: db}, nil
}

// Close releases the file.
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
	const query = `SELECT id, agent_id, title, created FROM conversations WHERE client = ? ORDER BY seq DESC LIMIT ?`
	list, err = sqlite.All(ctx, s.db, query, []any{client, limit + 1}, func(rows *sql.Rows, c *Conversation) error {
		return rows.Scan(&c.ID, &c.AgentID, &c.Title, &c.Created)
	})
	if err != nil {
		return nil, false, fmt.Errorf("cannot list conversations: %w", sqlite.Explain(err))
	}
	return list[:min(len(list), limit)], len(list) > limit, nil
}
