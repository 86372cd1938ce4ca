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
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// maxProblems bounds how many problems of one kind are told.
const maxProblems = 5

// Health is what Check found.
type Health struct {
	Path          string
	Missing       bool // there is no history yet
	Newer         bool // a newer hobnob wrote it; nothing more was checked
	Conversations int
	Turns         int
	// Damage is what Recover is for; empty when the file is sound.
	Damage []string
	// Index is what RebuildIndex is for.
	Index []string
}

// Check looks for damage without changing a byte of the history. The error says
// that the check itself was not possible; a busy history is sqlite.ErrBusy, one
// that the user cannot open sqlite.ErrNoAccess or sqlite.ErrReadOnly.
func Check(ctx context.Context, dir string) (Health, error) {
	h := Health{Path: filepath.Join(dir, history.FileName)}
	info, err := os.Stat(h.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		h.Missing = true
		return h, nil
	}
	if err != nil {
		return h, sqlite.Explain(err)
	}
	if aside := interrupted(h.Path); aside != "" {
		h.Damage = append(h.Damage, "a repair was interrupted; the whole of the history is in "+filepath.Base(aside))
		return h, nil
	}
	empty, err := h.checkFile(ctx)
	if err != nil || h.Newer {
		return h, sqlite.Explain(err)
	}
	db, err := sqlite.OpenExisting(ctx, h.Path, history.Schema())
	if err == nil {
		defer func() { _ = db.Close() }()
		err = h.checkDatabase(ctx, db.DB)
	} else if errors.Is(err, fs.ErrNotExist) {
		h.Missing = empty
		if err = nil; !empty {
			h.damaged("the file names no version of its schema")
		}
	}
	switch explained := sqlite.Explain(err); {
	case err == nil:
	case ctx.Err() != nil:
		return h, ctx.Err()
	case errors.Is(explained, sqlite.ErrBusy), errors.Is(explained, sqlite.ErrReadOnly), errors.Is(explained, sqlite.ErrNoAccess):
		return h, explained
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

// checkFile reads the file itself: SQLite ignores the damaged part of a log
// without a word, and a version number that is damaged looks like a newer one.
// It must end before SQLite opens the file, whose locks it would drop.
func (h *Health) checkFile(ctx context.Context) (empty bool, err error) {
	// A log that another process writes meanwhile is not damaged twice in the same way.
	for try := 0; ; try++ {
		s, err := openSources(h.Path, os.O_RDONLY)
		if err != nil {
			return false, err
		}
		frames, version := s.file.DamagedFrames(), schemaVersion(s.file)
		empty = len(s.file.Objects()) == 0
		h.Newer, err = isNewer(ctx, s.file)
		s.close()
		if err != nil {
			return false, err
		}
		if frames > 0 && try < 2 {
			continue
		}
		if frames > 0 {
			h.damaged("%d frames of the write-ahead log are damaged", frames)
		}
		if version > len(history.Schema().Migrations) && !h.Newer {
			h.damaged("the file names version %d of its history.Schema(), and has version %d", version, len(history.Schema().Migrations))
		}
		return empty, nil
	}
}

func (h *Health) checkDatabase(ctx context.Context, db *sql.DB) error {
	if err := h.checkIntegrity(ctx, db); err != nil || len(h.Damage) > 0 {
		return err
	}
	for _, rule := range []struct{ problem, query string }{
		{"rows refer to others that do not exist", `SELECT count(*) FROM pragma_foreign_key_check`},
		{"heads are no answered turn of their conversation", `SELECT count(*) FROM conversations c WHERE head IS NOT NULL
			AND NOT EXISTS(SELECT 1 FROM turns WHERE id = c.head AND conversation = c.id AND state = 'answered')`},
		{"turns follow a turn of another conversation", `SELECT count(*) FROM turns t JOIN turns p ON p.id = t.parent WHERE p.conversation <> t.conversation`},
		{"turns follow each other in a circle", `SELECT (SELECT count(*) FROM turns) - (SELECT count(*) FROM (` + rooted + `))`},
	} {
		var n int
		if err := db.QueryRowContext(ctx, rule.query).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			h.damaged("%d %s", n, rule.problem)
		}
	}
	if err := db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM conversations), (SELECT count(*) FROM turns)`).Scan(&h.Conversations, &h.Turns); err != nil {
		return err
	}
	return h.checkIndex(ctx, db)
}

// rooted selects the turns that can be reached from a root.
const rooted = `WITH RECURSIVE rooted(id) AS (
	SELECT id FROM turns WHERE parent IS NULL
	UNION SELECT t.id FROM turns t JOIN rooted ON t.parent = rooted.id
) SELECT id FROM rooted`

// checkIntegrity asks SQLite, which asks the search index too.
func (h *Health) checkIntegrity(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, `PRAGMA integrity_check(20)`)
	if err != nil {
		return err
	}
	return sqlite.Each(rows, func() error {
		var line string
		if err := rows.Scan(&line); err != nil {
			return err
		}
		switch {
		case line == "ok":
		case strings.Contains(line, "FTS5 table"), strings.HasPrefix(line, "fts5:"):
			h.Index = append(h.Index, line)
		default:
			h.damaged("%s", line)
		}
		return nil
	})
}

// checkIndex compares which rows the search index has with those there are. An
// old history gets its index when it is opened.
func (h *Health) checkIndex(ctx context.Context, db *sql.DB) error {
	var has bool
	if err := db.QueryRowContext(ctx, `SELECT count(*) = 2 FROM sqlite_schema WHERE name IN ('turns_index', 'titles_index')`).Scan(&has); err != nil || !has {
		return err
	}
	for _, rule := range []struct{ problem, query string }{
		{"turns are not in the search index", `SELECT count(*) FROM turns WHERE seq NOT IN (SELECT id FROM turns_index_docsize)`},
		{"turns of the search index do not exist", `SELECT count(*) FROM turns_index_docsize WHERE id NOT IN (SELECT seq FROM turns)`},
		{"titles are not in the search index", `SELECT count(*) FROM conversations WHERE rowid NOT IN (SELECT id FROM titles_index_docsize)`},
		{"titles of the search index do not exist", `SELECT count(*) FROM titles_index_docsize WHERE id NOT IN (SELECT rowid FROM conversations)`},
	} {
		var n int
		if err := db.QueryRowContext(ctx, rule.query).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			h.Index = append(h.Index, fmt.Sprintf("%d %s", n, rule.problem))
		}
	}
	return nil
}

// schemaVersion is the version of the schema that the file names.
func schemaVersion(f *File) int {
	version, _ := f.UserVersion()
	return int(version)
}

// isNewer reports whether a newer hobnob wrote the file: it names a later version
// of the history.Schema(), and its tables are not those of this hobnob, as they are where
// only the number is damaged.
func isNewer(ctx context.Context, f *File) (bool, error) {
	if schemaVersion(f) <= len(history.Schema().Migrations) {
		return false, nil
	}
	db, err := sqlite.Open(ctx, sqlite.Memory, history.Schema())
	if err != nil {
		return false, err
	}
	defer func() { _ = db.Close() }()
	for _, o := range f.Objects() {
		if o.Type != "table" || o.Name != "turns" && o.Name != "conversations" {
			continue
		}
		var ours string
		if err := db.QueryRowContext(ctx, `SELECT sql FROM sqlite_schema WHERE name = ?`, o.Name).Scan(&ours); err != nil {
			return false, err
		}
		if o.SQL != ours {
			return true, nil
		}
	}
	return false, nil
}
