package batch

import (
	"context"
	"database/sql"
	"errors"
	"slices"
)

// mergeIndex holds in a temporary database which row of the outputs is taken for each key.
type mergeIndex struct {
	*temporary
	insert, take, gap, left *sql.Stmt
}

// place is where a row of an output is, and its outcome.
type place struct {
	outcome Outcome
	file    int
	start   int64
	size    int
}

// ranks are the outcomes in the order in which one of several rows is taken.
var ranks = []Outcome{Answered, Unknown, Failed, Malformed}

func newMergeIndex(ctx context.Context) (*mergeIndex, error) {
	x := &mergeIndex{}
	var err error
	x.temporary, err = openTemporary(ctx, "CREATE TABLE rows (key TEXT PRIMARY KEY, rank INTEGER, file INTEGER, start INTEGER, size INTEGER, used INTEGER DEFAULT 0) WITHOUT ROWID", map[**sql.Stmt]string{
		&x.insert: `INSERT INTO rows (key, rank, file, start, size) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
			SET rank = excluded.rank, file = excluded.file, start = excluded.start, size = excluded.size WHERE excluded.rank < rank`,
		&x.take: "UPDATE rows SET used = 1 WHERE key = ? AND NOT used RETURNING rank, file, start, size",
		&x.gap:  "INSERT OR IGNORE INTO rows (key, used) VALUES (?, 1)",
		&x.left: "SELECT count(*) FROM rows WHERE NOT used",
	})
	if err != nil {
		return nil, err
	}
	return x, nil
}

// add adds a row, unless an earlier one with its key has the same or a lower rank.
func (x *mergeIndex) add(ctx context.Context, key string, at place) (added bool, err error) {
	result, err := x.insert.ExecContext(context.WithoutCancel(ctx), key, slices.Index(ranks, at.outcome), at.file, at.start, at.size)
	if err != nil {
		return false, x.explain(err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// pick returns the row with a key and marks the key as used. It reports false if there is
// none, and whether the key was used before.
func (x *mergeIndex) pick(ctx context.Context, key string) (at place, found, used bool, err error) {
	ctx = context.WithoutCancel(ctx)
	at, err = scanPlace(x.take.QueryRowContext(ctx, key))
	if !errors.Is(err, sql.ErrNoRows) {
		return at, err == nil, false, x.explain(err)
	}
	result, err := x.gap.ExecContext(ctx, key)
	if err != nil {
		return place{}, false, false, x.explain(err)
	}
	n, err := result.RowsAffected()
	return place{}, false, n == 0, err
}

// unused returns the number of rows that pick has not returned.
func (x *mergeIndex) unused(ctx context.Context) (n int, err error) {
	err = x.left.QueryRowContext(context.WithoutCancel(ctx)).Scan(&n)
	return n, x.explain(err)
}

// each calls fn for each row in the order of the outputs.
func (x *mergeIndex) each(ctx context.Context, fn func(place) error) error {
	rows, err := x.tx.QueryContext(context.WithoutCancel(ctx), "SELECT rank, file, start, size FROM rows ORDER BY file, start")
	if err != nil {
		return x.explain(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		at, err := scanPlace(rows)
		if err != nil {
			return x.explain(err)
		}
		if err := errors.Join(ctx.Err(), fn(at)); err != nil {
			return err
		}
	}
	return x.explain(rows.Err())
}

func scanPlace(row interface{ Scan(into ...any) error }) (at place, err error) {
	var rank int
	if err = row.Scan(&rank, &at.file, &at.start, &at.size); err == nil {
		at.outcome = ranks[rank]
	}
	return at, err
}
