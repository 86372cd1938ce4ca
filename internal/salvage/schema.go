package salvage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// layout is how the schema of the history declares a table.
type layout struct {
	name    string
	sql     string   // the CREATE TABLE of the newest version
	columns []column // of the newest version
	widths  []int    // how many columns a row has, by version: a row stays as it was written
}

type column struct {
	name     string
	kind     kind
	nullable bool
	isKey    bool // it is another name of the row id, and NULL in the file
	isID     bool // of a conversation or a turn
}

// idType is the type of a text of 36 bytes in the file format.
const idType = 36*2 + 13

// readLayouts runs the migrations on an empty database and asks SQLite for the
// tables after each.
func readLayouts(ctx context.Context) (conversations, turns layout, err error) {
	conversations.name, turns.name = "conversations", "turns"
	db, err := sqlite.Open(ctx, sqlite.Memory, sqlite.Schema{})
	if err != nil {
		return conversations, turns, err
	}
	defer func() { _ = db.Close() }()
	err = db.Write(ctx, func(tx *sql.Tx) error {
		for _, migrate := range history.Schema().Migrations {
			if err := errors.Join(migrate(ctx, tx), conversations.read(ctx, tx), turns.read(ctx, tx)); err != nil {
				return err
			}
		}
		return nil
	})
	return conversations, turns, err
}

func (l *layout) read(ctx context.Context, tx *sql.Tx) error {
	if err := tx.QueryRowContext(ctx, `SELECT sql FROM sqlite_schema WHERE name = ?`, l.name).Scan(&l.sql); err != nil {
		return err
	}
	var err error
	l.columns, err = sqlite.All(ctx, tx, `SELECT name, type, NOT ("notnull" OR pk), pk AND type = 'INTEGER',
		name IN ('id', 'conversation', 'parent', 'head') FROM pragma_table_info(?)`, []any{l.name}, func(rows *sql.Rows, c *column) error {
		var declared string
		err := rows.Scan(&c.name, &declared, &c.nullable, &c.isKey, &c.isID)
		c.kind = map[string]kind{"INTEGER": kindInteger, "TEXT": kindText, "BLOB": kindBlob}[declared]
		return err
	})
	l.widths = append(l.widths, len(l.columns))
	return err
}

// fits reports whether a cell has the form of a row of the table: the number of
// columns that some version has, and values that they may have.
func (l *layout) fits(c cell) bool {
	if !slices.Contains(l.widths, len(c.types)) {
		return false
	}
	for i, t := range c.types {
		if !l.columns[i].fits(t) {
			return false
		}
	}
	return true
}

func (c column) fits(t uint64) bool {
	switch k := kindOf(t); {
	case c.isKey:
		return k == kindNull
	case k == kindNull:
		return c.nullable
	case c.isID:
		return t == idType
	default:
		return k == c.kind
	}
}

// insertSQL is the statement that adds a row, whose arguments are the row id and the
// columns but the key. It replaces a row with the same id where the new one is
// preferred.
func (l *layout) insertSQL(preferred string) string {
	names, updates := []string{"rowid"}, []string{}
	for _, c := range l.columns {
		if !c.isKey {
			names = append(names, c.name)
			updates = append(updates, c.name+" = excluded."+c.name)
		}
	}
	return fmt.Sprintf(`INSERT INTO %s(%s) VALUES(?%s) ON CONFLICT(id) DO UPDATE SET %s WHERE %s`,
		l.name, strings.Join(names, ", "), strings.Repeat(", ?", len(names)-1), strings.Join(updates, ", "), preferred)
}

// isNewer reports whether a newer hobnob wrote the file: it names a later version
// of the schema, and its tables are not those of this hobnob, as they are where
// only the number is damaged.
func isNewer(ctx context.Context, db *database) (bool, error) {
	if db.userVersion() <= len(history.Schema().Migrations) {
		return false, nil
	}
	conversations, turns, err := readLayouts(ctx)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(db.objects(), func(o object) bool {
		return o.kind == "table" && (o.name == conversations.name && o.sql != conversations.sql || o.name == turns.name && o.sql != turns.sql)
	}), nil
}
