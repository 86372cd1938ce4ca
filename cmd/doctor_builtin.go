package cmd

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// checkBuiltIn looks at what the embedded service keeps; there is nothing to tell
// before it was used. Nothing is repaired: it is less than the history has.
func checkBuiltIn(ctx context.Context, path string) []finding {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	const check = "built-in service"
	conversations, err := service.CheckSQLite(ctx, path)
	switch {
	case err == nil:
		return []finding{fine(check, "%s, sound", cli.Counted(conversations, "conversation"))}
	case errors.Is(err, service.ErrNewer):
		return []finding{problem(check, failure.Plain("update hobnob"), "%s was written by a newer hobnob", path)}
	case errors.Is(err, sqlite.ErrBusy):
		return []finding{problem(check, failure.Plain("another hobnob holds it; try again"), "%v", err)}
	}
	if barrier := access.CheckDatabase(path); barrier != nil {
		return []finding{skipped(check, "not checked, because "+barrier.Path+" cannot be used")}
	}
	if errors.Is(err, sqlite.ErrNoAccess) || errors.Is(err, sqlite.ErrReadOnly) {
		return []finding{problem(check, failure.Plain("check the disk and the permissions of the data directory"), "%v", err)}
	}
	return []finding{problem(check, failure.Plain(moveAside(path, time.Now())), "%v; it holds only what the built-in service lists of its conversations, which a new one will not list; your questions and answers are in the history", err)}
}

// moveAside is the command that makes room for a new database. The log goes with
// the old one: SQLite would play it back into the new one.
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
