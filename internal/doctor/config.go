package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

func checkConfig(_ context.Context, e *examination) Finding {
	path := e.paths.ConfigFile
	c, err := e.f.Config()
	if err != nil {
		if b := access.Check(path, access.Read); b != nil {
			e.closed[b.Path] = true
		}
		return e.problemOf(err)
	}
	if unknown := c.Unknown(); len(unknown) > 0 {
		return e.problem(failure.Plain("correct or remove it: hobnob config edit"), "unknown setting %s in %s", strings.Join(unknown, ", "), path)
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return e.passed("no configuration file; all settings have their defaults")
	}
	return e.passed("%s", path)
}
