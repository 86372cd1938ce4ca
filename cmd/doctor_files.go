package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// checkConfig reads the file. What keeps the user from it is added to told.
func checkConfig(f *cli.Factory, path string, told map[string]bool) finding {
	c, err := f.Config()
	if err != nil {
		if b := access.Check(path, access.Read); b != nil {
			told[b.Path] = true
		}
		return problemOf("config", err)
	}
	if unknown := c.Unknown(); len(unknown) > 0 {
		return problem("config", failure.Plain("correct or remove it: hobnob config edit"), "%s has what no setting is called: %s", path, strings.Join(unknown, ", "))
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fine("config", "there is no file; everything has its default")
	}
	return fine("config", "%s", path)
}

// kept is a file or directory of hobnob's, what hobnob does with it, and which
// bits of its mode must not be set.
type kept struct {
	check, path string
	wanted      access.Use
	closed      fs.FileMode
}

func keptPaths(paths config.Paths) []kept {
	settings := filepath.Dir(paths.ConfigFile)
	drafts, input := filepath.Join(paths.StateDir, "drafts"), filepath.Join(paths.StateDir, "input")
	// Writing to the settings is closed because they name commands that are run.
	const others, writing = 0o077, 0o022
	all := []kept{
		{"config directory", settings, access.Read | access.Enter, writing},
		{"config file", paths.ConfigFile, access.Read, writing},
		{"token file", filepath.Join(settings, "tokens.json"), access.Read, others},
		{"data directory", paths.DataDir, access.KeepFiles, others},
	}
	for _, database := range []struct{ check, path string }{
		{"history", filepath.Join(paths.DataDir, history.FileName)},
		{"service", filepath.Join(paths.DataDir, service.FileName)},
	} {
		all = append(all,
			kept{database.check + " file", database.path, access.ReadWrite, others},
			kept{database.check + " log", database.path + "-wal", access.ReadWrite, others},
			kept{database.check + " log", database.path + "-shm", access.ReadWrite, others},
		)
	}
	all = append(all,
		kept{"waiting", filepath.Join(paths.DataDir, "waiting"), access.KeepFiles, others},
		kept{"state directory", paths.StateDir, access.KeepFiles, others},
	)
	for _, dir := range []struct{ check, path string }{{"drafts", drafts}, {"typed input", input}} {
		all = append(all, kept{dir.check, dir.path, access.KeepFiles, others})
		inside, _ := os.ReadDir(dir.path)
		for _, entry := range inside {
			all = append(all, kept{dir.check, filepath.Join(dir.path, entry.Name()), access.ReadWrite, 0})
		}
	}
	return all
}

// checkPermissions looks at what the user must be able to use and what must be
// closed to other users: all that is written in conversations, tokens, and writing
// to the settings. Windows keeps the home of a user so by itself. One barrier is
// told once; what is behind it is skipped. In told are those that are known.
func checkPermissions(paths config.Paths, told map[string]bool) []finding {
	if runtime.GOOS == "windows" {
		return nil
	}
	var findings []finding
	named := map[string]bool{} // checks that have a line
	add := func(f finding) {
		if !f.OK || !named[f.Check] {
			findings = append(findings, f)
		}
		named[f.Check] = true
	}
	for _, k := range keptPaths(paths) {
		barrier := access.Check(k.path, k.wanted)
		info, err := os.Stat(k.path)
		switch {
		case barrier != nil && told[barrier.Path]:
			add(skipped(k.check, "not checked, because "+barrier.Path+" cannot be used"))
		case barrier != nil:
			told[barrier.Path] = true
			add(problem(k.check, failure.Plain(barrier.Fix), "%s", barrier.Detail))
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			add(problem(k.check, failure.Plain("look at the permissions of the directories above it"), "%v", err))
			continue
		}
		switch {
		case err != nil:
		case info.Mode().Perm()&k.closed != 0:
			letters := "rwx"
			if k.closed == 0o022 {
				letters = "w"
			}
			add(problem(k.check, failure.Plain("chmod go-"+letters+" "+shell.Quote(k.path)), "other users can open %s (mode %04o)", k.path, info.Mode().Perm()))
		case barrier == nil:
			add(fine(k.check, "closed to other users"))
		}
	}
	return findings
}
