package doctor

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/salvage"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// checkLeftovers looks for temporary files that killed processes left. They may contain
// a token or conversations.
func checkLeftovers(_ context.Context, e *examination) Finding {
	settings := filepath.Dir(e.paths.ConfigFile)
	tokens := filepath.Join(settings, "tokens.json")
	dirs := []string{settings, filepath.Join(settings, "templates"), filepath.Join(e.paths.StateDir, "drafts"), filepath.Join(e.paths.StateDir, "input")}
	for _, path := range []string{e.paths.ConfigFile, tokens} {
		if target, err := atomicfile.Target(path); err == nil {
			dirs = append(dirs, filepath.Dir(target))
		}
	}
	left := slices.Concat(credential.Copies(tokens), salvage.Leftovers(e.paths.DataDir), sqlite.LeftoverSnapshots())
	for _, dir := range dirs {
		left = append(left, atomicfile.Leftovers(dir)...)
	}
	if len(left) == 0 {
		return Finding{}
	}
	slices.Sort(left)
	left = slices.Compact(left)
	quoted := make([]string, len(left))
	for i, path := range left {
		quoted[i] = shell.Quote(path)
	}
	return e.problem(failure.Plain("rm -r "+strings.Join(quoted, " ")), "killed processes left %s, which may contain a token or conversations", plural.Count(len(left), "temporary file"))
}
