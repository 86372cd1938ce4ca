package batch

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// temporary is a database that close removes, with one transaction, which is never
// committed and outlives an interrupt.
type temporary struct {
	db *sql.DB
	tx *sql.Tx
}

// openTemporary creates a database with a table and prepares statements.
func openTemporary(ctx context.Context, table string, statements map[**sql.Stmt]string) (*temporary, error) {
	t := &temporary{}
	if err := t.open(context.WithoutCancel(ctx), table, statements); err != nil {
		t.close()
		return nil, t.explain(err)
	}
	return t, nil
}

func (t *temporary) open(ctx context.Context, table string, statements map[**sql.Stmt]string) (err error) {
	if t.db, err = sqlite.OpenTemporary(ctx, table); err != nil {
		return err
	}
	if t.tx, err = t.db.BeginTx(ctx, nil); err != nil {
		return err
	}
	for statement, text := range statements {
		if *statement, err = t.tx.PrepareContext(ctx, text); err != nil { //nolint:sqlclosecheck // the end of the transaction closes it
			return err
		}
	}
	return nil
}

func (t *temporary) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the temporary index failed: %w", sqlite.Explain(err))
}

func (t *temporary) close() {
	if t.tx != nil {
		_ = t.tx.Rollback()
	}
	if t.db != nil {
		_ = t.db.Close()
	}
}
