package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// file is a file or directory of hobnob's, what hobnob does with it, and which
// bits of its mode must not be set.
type file struct {
	check, path string
	use         access.Use
	forbidden   fs.FileMode
}

func privateFiles(paths config.Paths) []file {
	settings := filepath.Dir(paths.ConfigFile)
	// Writing to the settings is closed because they name commands that are run.
	const anything, writing = 0o077, 0o022
	data := func(name string) string { return filepath.Join(paths.DataDir, name) }
	all := []file{
		{"config directory", settings, access.Read | access.Enter, writing},
		{"config file", paths.ConfigFile, access.Read, writing},
		{"token file", filepath.Join(settings, "tokens.json"), access.Read, anything},
		{"data directory", paths.DataDir, access.KeepFiles, anything},
		{"history file", data(history.FileName), access.ReadWrite, anything},
		{"history log", data(history.FileName + "-wal"), access.ReadWrite, anything},
		{"history log", data(history.FileName + "-shm"), access.ReadWrite, anything},
		{"service file", data(service.FileName), access.ReadWrite, anything},
		{"service log", data(service.FileName + "-wal"), access.ReadWrite, anything},
		{"service log", data(service.FileName + "-shm"), access.ReadWrite, anything},
		{"waiting", data("waiting"), access.KeepFiles, anything},
		{"state directory", paths.StateDir, access.KeepFiles, anything},
	}
	for _, dir := range []struct{ check, name string }{{"drafts", "drafts"}, {"typed input", "input"}} {
		path := filepath.Join(paths.StateDir, dir.name)
		all = append(all, file{dir.check, path, access.KeepFiles, anything})
		entries, _ := os.ReadDir(path)
		for _, entry := range entries {
			all = append(all, file{dir.check, filepath.Join(path, entry.Name()), access.ReadWrite, 0})
		}
	}
	return all
}

// checkPermissions looks for what the user cannot use and for what is open to
// other users, which conversations, tokens and settings must not be. Windows keeps
// the home of a user private by itself. A path that cannot be used is reported
// once; what is behind it is skipped.
func checkPermissions(_ context.Context, e *examination) Finding {
	if runtime.GOOS == "windows" {
		return Finding{}
	}
	for _, f := range privateFiles(e.paths) {
		e.check = f.check
		barrier := access.Check(f.path, f.use)
		info, err := os.Stat(f.path)
		switch {
		case barrier != nil && e.closed[barrier.Path]:
			e.report(e.closedOff(barrier.Path))
		case barrier != nil:
			e.closed[barrier.Path] = true
			e.report(e.problem(failure.Plain(barrier.Fix), "%s", barrier.Detail))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			e.report(e.problem(failure.Plain("look at the permissions of the directories above it"), "%v", err))
		}
		switch {
		case err != nil:
		case info.Mode().Perm()&f.forbidden != 0:
			letters := "rwx"
			if f.forbidden == 0o022 {
				letters = "w"
			}
			e.report(e.problem(failure.Plain("chmod go-"+letters+" "+shell.Quote(f.path)), "other users can open %s (mode %04o)", f.path, info.Mode().Perm()))
		case barrier == nil:
			e.report(e.passed("closed to other users"))
		}
	}
	return Finding{}
}
