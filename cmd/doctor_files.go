package cmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// checkConfig reads the file.
func checkConfig(f *Factory, path string) finding {
	c, err := f.Config()
	if err != nil {
		return problemOf("config", err)
	}
	if unknown := c.Unknown(); len(unknown) > 0 {
		return problem("config", "correct or remove it: hobnob config edit", "%s has what no setting is called: %s", path, strings.Join(unknown, ", "))
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return fine("config", "there is no file; everything has its default")
	}
	return fine("config", "%s", path)
}

// checkPermissions looks at what must be closed to other users: all that is
// written in conversations, tokens, and writing to the settings, which name
// commands that are run. Windows keeps the home of a user closed by itself.
func checkPermissions(paths config.Paths) []finding {
	if runtime.GOOS == "windows" {
		return nil
	}
	settings := filepath.Dir(paths.ConfigFile)
	database := filepath.Join(paths.DataDir, history.FileName)
	const others, writing = 0o077, 0o022
	var findings []finding
	for _, p := range []struct {
		check, path string
		closed      fs.FileMode
	}{
		{"config directory", settings, writing},
		{"config file", paths.ConfigFile, writing},
		{"token file", filepath.Join(settings, "tokens.json"), others},
		{"data directory", paths.DataDir, others},
		{"history file", database, others},
		{"history log", database + "-wal", others},
		{"state directory", paths.StateDir, others},
		{"drafts", filepath.Join(paths.StateDir, "drafts"), others},
		{"typed input", filepath.Join(paths.StateDir, "input"), others},
	} {
		info, err := os.Stat(p.path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			findings = append(findings, problem(p.check, "look at the permissions of the directories above it", "%v", err))
		case info.Mode().Perm()&p.closed != 0:
			letters := "rwx"
			if p.closed == writing {
				letters = "w"
			}
			findings = append(findings, problem(p.check, "chmod go-"+letters+" "+quoted(p.path), "other users can open %s (mode %04o)", p.path, info.Mode().Perm()))
		default:
			findings = append(findings, fine(p.check, "closed to other users"))
		}
	}
	return findings
}

// quoted is a path as a shell reads it.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
