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
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// checkBuiltIn checks the database of the built-in service, if it exists. It needs no
// repair, because its conversations are also in the history.
func checkBuiltIn(ctx context.Context, e *examination) Finding {
	path := filepath.Join(e.paths.DataDir, service.FileName)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return Finding{}
	}
	conversations, err := service.CheckSQLite(ctx, path)
	inaccessible := access.CheckDatabase(path)
	switch {
	case err == nil:
		return e.passed("%s, intact", plural.Count(conversations, "conversation"))
	case errors.As(err, new(*sqlite.NewerError)):
		return e.problem(failure.Plain("update hobnob"), "%s was written by a newer hobnob", path)
	case errors.Is(err, sqlite.ErrBusy), errors.Is(err, sqlite.ErrFull):
		return e.problemOf(err)
	case inaccessible != nil:
		return e.closedOff(inaccessible.Path)
	case errors.Is(err, sqlite.ErrNoAccess), errors.Is(err, sqlite.ErrReadOnly):
		return e.problem(failure.Plain("check the disk and the permissions of the data directory"), "%v", err)
	}
	return e.problem(failure.Plain(moveAside(path)), "%v; only the conversation list of the built-in service is affected; your questions and answers are in the history", err)
}

// moveAside returns the command that moves the database away. It includes the log,
// which SQLite would otherwise replay into the new database.
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
