package salvage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// maxProblems limits how many problems of one kind are reported.
const maxProblems = 5

// Health is the result of Check.
type Health struct {
	Path          string
	Missing       bool // there is no history yet
	Newer         bool // written by a newer hobnob; nothing else was checked
	Conversations int
	Turns         int
	// Damage lists the problems that Recover repairs. It is empty if the file is
	// intact.
	Damage []string
	// Index lists the problems that history.Store.RebuildIndex repairs.
	Index []string
}

// Check looks for damage in the history in dir without changing it. An error means
// that the check itself was not possible. It wraps sqlite.ErrBusy if the history is
// busy, sqlite.ErrNoAccess or sqlite.ErrReadOnly if the user cannot open it, and
// sqlite.ErrFull if the disk has no space for the index of its log.
func Check(ctx context.Context, dir string) (Health, error) {
	path, err := historyIn(dir)
	h := Health{Path: path}
	if err != nil {
		return h, sqlite.Explain(err)
	}
	info, err := os.Stat(h.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		h.Missing = true
		return h, nil
	}
	if err != nil {
		return h, sqlite.Explain(err)
	}
	if backup := unfinishedInstall(h.Path); backup != "" {
		h.damaged("a repair was interrupted; the complete history is in %s", filepath.Base(backup))
		return h, nil
	}
	empty, err := h.checkFile()
	if err != nil || h.Newer || len(h.Damage) > 0 {
		return h, sqlite.Explain(err)
	}
	db, err := sqlite.OpenExisting(ctx, h.Path, history.Schema())
	if err == nil {
		err = h.checkDatabase(ctx, db.DB)
		_ = db.Close()
	}
	switch err = sqlite.Explain(err); {
	case err == nil:
	case ctx.Err() != nil:
		return h, ctx.Err()
	case errors.Is(err, fs.ErrNotExist):
		if h.Missing = empty; !empty {
			h.damaged("the file has no schema version")
		}
	case errors.Is(err, sqlite.ErrBusy), errors.Is(err, sqlite.ErrReadOnly), errors.Is(err, sqlite.ErrNoAccess), errors.Is(err, sqlite.ErrFull):
		return h, err
	default:
		text := strings.TrimPrefix(err.Error(), "cannot open "+h.Path+": ")
		h.damaged("%s", strings.TrimPrefix(text, sqlite.ErrDamaged.Error()+": "))
	}
	return h, nil
}

func (h *Health) damaged(format string, args ...any) {
	if len(h.Damage) < maxProblems {
		h.Damage = append(h.Damage, fmt.Sprintf(format, args...))
	}
}

// checkFile reads the file directly, because SQLite silently ignores the damaged part
// of a log. It must close the file before SQLite opens it: closing it later would
// drop SQLite's locks.
func (h *Health) checkFile() (empty bool, err error) {
	// A log that another process is writing can look damaged, so check it again.
	for try := 0; ; try++ {
		f, err := openFiles(h.Path, os.O_RDONLY)
		if err != nil {
			return false, err
		}
		frames := f.content.log.damaged
		empty = len(f.content.objects()) == 0
		h.Newer = f.content.isNewer()
		f.close()
		if frames > 0 && try < 2 {
			continue
		}
		if frames > 0 {
			h.damaged("the write-ahead log has %s", plural.Count(frames, "damaged frame"))
		}
		return empty, nil
	}
}

// rule is a query that counts rows with a problem.
type rule struct{ problem, query string }

// violations returns a line for each rule whose query finds rows.
func violations(ctx context.Context, db *sql.DB, rules ...rule) (lines []string, err error) {
	for _, r := range rules {
		var n int
		if err := db.QueryRowContext(ctx, r.query).Scan(&n); err != nil {
			return lines, err
		}
		if n > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d", r.problem, n))
		}
	}
	return lines, nil
}

// checkDatabase runs SQLite's integrity check, then checks the rules of the history.
func (h *Health) checkDatabase(ctx context.Context, db *sql.DB) (err error) {
	if err := h.checkIntegrity(ctx, db); err != nil || len(h.Damage) > 0 {
		return err
	}
	if h.Damage, err = violations(ctx, db,
		rule{"rows that refer to missing rows", `SELECT count(*) FROM pragma_foreign_key_check`},
		rule{"heads that are not an answered turn of their conversation", `SELECT count(*) FROM conversations c WHERE head IS NOT NULL
			AND NOT EXISTS(SELECT 1 FROM turns WHERE id = c.head AND conversation = c.id AND state = 'answered')`},
		rule{"turns with a parent in another conversation", `SELECT count(*) FROM turns t JOIN turns p ON p.id = t.parent WHERE p.conversation <> t.conversation`},
		rule{"turns in a cycle", `SELECT (SELECT count(*) FROM turns) - (SELECT count(*) FROM (` + rooted + `))`},
	); err != nil {
		return err
	}
	if err := db.QueryRowContext(ctx, countRows).Scan(&h.Conversations, &h.Turns); err != nil {
		return err
	}
	return h.checkIndex(ctx, db)
}

// rooted selects the turns that can be reached from a root.
const rooted = `WITH RECURSIVE rooted(id) AS (
	SELECT id FROM turns WHERE parent IS NULL
	UNION SELECT t.id FROM turns t JOIN rooted ON t.parent = rooted.id
) SELECT id FROM rooted`

const countRows = `SELECT (SELECT count(*) FROM conversations), (SELECT count(*) FROM turns)`

// checkIntegrity runs SQLite's integrity check, which includes the search index.
func (h *Health) checkIntegrity(ctx context.Context, db *sql.DB) error {
	lines, err := sqlite.All(ctx, db, `PRAGMA integrity_check(20)`, nil, sqlite.Column[string])
	for _, line := range lines {
		switch {
		case line == "ok":
		case strings.Contains(line, "FTS5 table"), strings.HasPrefix(line, "fts5:"):
			h.Index = append(h.Index, line)
		default:
			h.damaged("%s", line)
		}
	}
	return err
}

// checkIndex compares the rows of the search index with those of the tables. An old
// history has no index yet; opening it adds one.
func (h *Health) checkIndex(ctx context.Context, db *sql.DB) error {
	var exists bool
	err := db.QueryRowContext(ctx, `SELECT count(*) = 2 FROM sqlite_schema WHERE name IN ('turns_index', 'titles_index')`).Scan(&exists)
	if err != nil || !exists {
		return err
	}
	lines, err := violations(ctx, db,
		rule{"turns missing from the search index", `SELECT count(*) FROM turns WHERE seq NOT IN (SELECT id FROM turns_index_docsize)`},
		rule{"turns in the search index that do not exist", `SELECT count(*) FROM turns_index_docsize WHERE id NOT IN (SELECT seq FROM turns)`},
		rule{"titles missing from the search index", `SELECT count(*) FROM conversations WHERE rowid NOT IN (SELECT id FROM titles_index_docsize)`},
		rule{"titles in the search index that do not exist", `SELECT count(*) FROM titles_index_docsize WHERE id NOT IN (SELECT rowid FROM conversations)`},
	)
	h.Index = append(h.Index, lines...)
	return err
}
