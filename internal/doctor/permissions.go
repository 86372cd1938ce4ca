package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/project"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// file is a file or directory of hobnob with its required access and the mode bits
// that must not be set.
type file struct {
	check, path string
	use         access.Use
	forbidden   fs.FileMode
}

func privateFiles(paths config.Paths) []file {
	settings := filepath.Dir(paths.ConfigFile)
	// Other users may read the settings, but not write them: they contain commands.
	const anything, writing = 0o077, 0o022
	data := func(name string) string {
		path := filepath.Join(paths.DataDir, name)
		if target, err := atomicfile.Target(path); err == nil {
			return target // SQLite creates the log next to the target of a link
		}
		return path
	}
	all := []file{
		{"config directory", settings, access.Read | access.Enter, writing},
		{"config file", paths.ConfigFile, access.Read, writing},
		{"token file", filepath.Join(settings, "tokens.json"), access.Read, anything},
		{"data directory", paths.DataDir, access.KeepFiles, anything},
		{"history file", data(history.FileName), access.ReadWrite, anything},
		{"history log", data(history.FileName) + "-wal", access.ReadWrite, anything},
		{"history log", data(history.FileName) + "-shm", access.ReadWrite, anything},
		{"service file", data(service.FileName), access.ReadWrite, anything},
		{"service log", data(service.FileName) + "-wal", access.ReadWrite, anything},
		{"service log", data(service.FileName) + "-shm", access.ReadWrite, anything},
		{"trust file", data(project.TrustFile), access.ReadWrite, anything},
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

// checkPermissions reports files and directories that the user cannot access, or that
// other users can. An inaccessible directory is reported once, and the paths below it
// are skipped. On Windows, home directories are private by default.
func checkPermissions(_ context.Context, e *examination) Finding {
	if runtime.GOOS == "windows" {
		return Finding{}
	}
	for _, f := range privateFiles(e.paths) {
		e.check = f.check
		inaccessible := access.Check(f.path, f.use)
		info, err := os.Stat(f.path)
		switch {
		case inaccessible != nil && e.closed[inaccessible.Path]:
			e.report(e.closedOff(inaccessible.Path))
		case inaccessible != nil:
			e.closed[inaccessible.Path] = true
			e.report(e.problem(failure.Plain(inaccessible.Fix), "%s", inaccessible.Detail))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			e.report(e.problem(failure.Plain("check the permissions of the directories above it"), "%v", err))
		}
		switch {
		case err != nil:
		case info.Mode().Perm()&f.forbidden != 0:
			letters, verb := "rwx", "access"
			if f.forbidden == 0o022 {
				letters, verb = "w", "write to"
			}
			e.report(e.problem(failure.Plain("chmod go-"+letters+" "+shell.Quote(f.path)), "other users can %s %s (mode %04o)", verb, f.path, info.Mode().Perm()))
		case inaccessible == nil:
			e.report(e.passed("permissions are correct"))
		}
	}
	return Finding{}
}
