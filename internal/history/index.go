package history

import (
	"context"
	"database/sql"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// RebuildIndex drops and recreates the search index in one transaction.
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

// FillIndex replaces the contents of the search index with all turns and titles.
func FillIndex(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM turns_index; DELETE FROM titles_index`); err != nil {
		return err
	}
	return indexAll(ctx, tx, func(string) bool { return true })
}

// indexAll adds the turns and titles with a wanted text to the index.
func indexAll(ctx context.Context, tx *sql.Tx, wanted func(text string) bool) error {
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
			from = r.id
			if !wanted(r.text) && !wanted(r.reply) {
				continue
			}
			if err := indexTurn(ctx, tx, r.id, r.text, r.reply); err != nil {
				return err
			}
		}
	}
	titles, err := sqlite.All(ctx, tx, `SELECT rowid, title FROM conversations`, nil, func(rows *sql.Rows, r *row) error { return rows.Scan(&r.id, &r.text) })
	if err != nil {
		return err
	}
	for _, r := range titles {
		if !wanted(r.text) {
			continue
		}
		if err := indexTitle(ctx, tx, r.id, r.text); err != nil {
			return err
		}
	}
	return nil
}

// indexTurn adds a turn to the index or replaces it there.
func indexTurn(ctx context.Context, tx *sql.Tx, seq int64, question, reply string) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO turns_index(rowid, question, reply) VALUES(?, ?, ?)`, seq, indexed(question), indexed(reply))
	return err
}

func indexTitle(ctx context.Context, tx *sql.Tx, rowid int64, title string) error {
	_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO titles_index(rowid, title) VALUES(?, ?)`, rowid, indexed(title))
	return err
}
