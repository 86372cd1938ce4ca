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

func checkConfig(_ context.Context, e *Examination) []Finding {
	const check = "config"
	path := e.Paths.ConfigFile
	c, err := e.Config()
	if err != nil {
		if b := access.Check(path, access.Read); b != nil {
			e.closed[b.Path] = true
		}
		return []Finding{problemOf(check, err)}
	}
	if unknown := c.Unknown(); len(unknown) > 0 {
		return []Finding{problem(check, failure.Plain("correct or remove it: hobnob config edit"), "%s has what no setting is called: %s", path, strings.Join(unknown, ", "))}
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return []Finding{passed(check, "there is no file; everything has its default")}
	}
	return []Finding{passed(check, "%s", path)}
}
