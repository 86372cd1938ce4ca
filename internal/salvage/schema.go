package salvage

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// layout is the declaration of a table in the schema of the history.
type layout struct {
	name    string
	sql     string   // CREATE TABLE statement of the newest version
	columns []column // of the newest version
	widths  []int    // number of columns by version; migrations do not rewrite rows
}

type column struct {
	name     string
	kind     kind
	nullable bool
	isKey    bool // an alias of the row id, NULL in the file
	isID     bool // holds the id of a conversation or a turn
}

// idType is the serial type of a 36-byte text.
const idType = 36*2 + 13

// readLayouts runs the migrations on an empty database and reads the tables after
// each one.
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

// fits reports whether a cell looks like a row of the table: it has the number of
// columns of some version, and values of the right kinds.
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

// insertSQL returns the statement that inserts a row; its arguments are the row id
// and all columns except the key. It replaces a row with the same id if the condition
// preferred holds.
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

// isNewer reports whether a newer hobnob wrote the file: its header is that of a
// history whose schema version this hobnob does not know.
func (d *database) isNewer() bool {
	schema := history.Schema()
	p, err := d.page(1)
	return err == nil && bytes.HasPrefix(p.data, []byte("SQLite format 3\x00")) &&
		int32(binary.BigEndian.Uint32(p.data[68:])) == schema.ApplicationID &&
		int(int32(binary.BigEndian.Uint32(p.data[60:]))) > len(schema.Migrations)
}
