package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// checkBuiltIn looks at the database of the built-in service, if it was ever used.
// It needs no repair: what is in it is in the history, too.
func checkBuiltIn(ctx context.Context, e *Examination) []Finding {
	const check = "built-in service"
	path := filepath.Join(e.Paths.DataDir, service.FileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	conversations, err := service.CheckSQLite(ctx, path)
	barrier := access.CheckDatabase(path)
	found := passed(check, "%s, sound", cli.Counted(conversations, "conversation"))
	switch {
	case err == nil:
	case errors.Is(err, service.ErrNewer):
		found = problem(check, failure.Plain("update hobnob"), "%s was written by a newer hobnob", path)
	case errors.Is(err, sqlite.ErrBusy):
		found = problem(check, failure.Plain("another hobnob holds it; try again"), "%v", err)
	case barrier != nil:
		found = closedOff(check, barrier.Path)
	case errors.Is(err, sqlite.ErrNoAccess), errors.Is(err, sqlite.ErrReadOnly):
		found = problem(check, failure.Plain("check the disk and the permissions of the data directory"), "%v", err)
	default:
		found = problem(check, failure.Plain(moveAside(path, time.Now())), "%v; it holds only what the built-in service lists of its conversations, which a new one will not list; your questions and answers are in the history", err)
	}
	return []Finding{found}
}

// moveAside returns the command that makes room for a new database. The log goes
// with the old one: SQLite would play it back into the new one.
func moveAside(path string, now time.Time) string {
	aside := path + ".damaged-" + now.UTC().Format("20060102T150405Z")
	var commands []string
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if _, err := os.Stat(path + suffix); err == nil {
			commands = append(commands, "mv "+shell.Quote(path+suffix)+" "+shell.Quote(aside+suffix))
		}
	}
	return strings.Join(commands, " && ")
}
