package history

import (
	"context"
	"database/sql"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// RebuildIndex drops the search index and fills it again, in one transaction.
func (s *Store) RebuildIndex(ctx context.Context) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, name := range []string{"turns_index", "titles_index"} {
			var create string
			if err := tx.QueryRowContext(ctx, `SELECT sql FROM sqlite_schema WHERE name = ?`, name).Scan(&create); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `DROP TABLE `+name+`; `+create); err != nil {
				return err
			}
		}
		return FillIndex(ctx, tx)
	})
}

// FillIndex fills the search index from the turns and titles, in place of what
// it held.
func FillIndex(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM turns_index; DELETE FROM titles_index`); err != nil {
		return err
	}
	type row struct {
		id          int64
		text, reply string
	}
	for from := int64(-1); ; {
		batch, err := sqlite.All(ctx, tx, `SELECT seq, question, coalesce(reply, '') FROM turns WHERE seq > ? ORDER BY seq LIMIT 500`, []any{from},
			func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.text, &r.reply) })
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			break
		}
		for _, r := range batch {
			if err := indexTurn(ctx, tx, r.id, r.text, r.reply); err != nil {
				return err
			}
			from = r.id
		}
	}
	titles, err := sqlite.All(ctx, tx, `SELECT rowid, title FROM conversations`, nil, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.text) })
	if err != nil {
		return err
	}
	for _, r := range titles {
		if err := indexTitle(ctx, tx, r.id, r.text); err != nil {
			return err
		}
	}
	return nil
}

// indexTurn puts a turn into the index, in place of what the index had of it.
func indexTurn(ctx context.Context, tx *sql.Tx, seq int64, question, reply string) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO turns_index(rowid, question, reply) VALUES(?, ?, ?)`, seq, indexed(question), indexed(reply))
	return err
}

func indexTitle(ctx context.Context, tx *sql.Tx, rowid int64, title string) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO titles_index(rowid, title) VALUES(?, ?)`, rowid, indexed(title))
	return err
}
