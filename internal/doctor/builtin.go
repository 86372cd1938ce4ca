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
func checkBuiltIn(ctx context.Context, e *examination) Finding {
	path := filepath.Join(e.paths.DataDir, service.FileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return Finding{}
	}
	conversations, err := service.CheckSQLite(ctx, path)
	barrier := access.CheckDatabase(path)
	switch {
	case err == nil:
		return e.passed("%s, sound", cli.Counted(conversations, "conversation"))
	case errors.Is(err, service.ErrNewer):
		return e.problem(failure.Plain("update hobnob"), "%s was written by a newer hobnob", path)
	case errors.Is(err, sqlite.ErrBusy):
		return e.problem(failure.Plain("another hobnob holds it; try again"), "%v", err)
	case barrier != nil:
		return e.closedOff(barrier.Path)
	case errors.Is(err, sqlite.ErrNoAccess), errors.Is(err, sqlite.ErrReadOnly):
		return e.problem(failure.Plain("check the disk and the permissions of the data directory"), "%v", err)
	}
	return e.problem(failure.Plain(moveAside(path)), "%v; it holds only what the built-in service lists of its conversations, which a new one will not list; your questions and answers are in the history", err)
}

// moveAside returns the command that makes room for a new database. The log goes
// with the old one: SQLite would play it back into the new one.
func moveAside(path string) string {
	aside := path + ".damaged-" + time.Now().UTC().Format("20060102T150405Z")
	var commands []string
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if _, err := os.Stat(path + suffix); err == nil {
			commands = append(commands, "mv "+shell.Quote(path+suffix)+" "+shell.Quote(aside+suffix))
		}
	}
	return strings.Join(commands, " && ")
}
