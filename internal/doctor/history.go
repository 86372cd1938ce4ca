package doctor

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/salvage"
)

// checkHistory looks for damage; RepairHistory repairs it.
func checkHistory(ctx context.Context, e *Examination) []Finding {
	health, err := salvage.Check(ctx, e.Paths.DataDir)
	barrier := access.CheckDatabase(filepath.Join(e.Paths.DataDir, history.FileName))
	if err != nil && barrier != nil {
		return []Finding{closedOff("history", barrier.Path)}
	}
	return []Finding{describeHealth(health, err)}
}

// describeHealth returns the finding of salvage.Check.
func describeHealth(h salvage.Health, err error) Finding {
	const check = "history"
	repair := failure.Plain("hobnob doctor --history")
	switch {
	case err != nil:
		return problem(check, history.Hint(err), "%v", err)
	case h.Missing:
		return passed(check, "there is none yet")
	case h.Newer:
		return problem(check, failure.Plain("update hobnob"), "%s was written by a newer hobnob", h.Path)
	case len(h.Damage) > 0:
		return problem(check, repair, "%s is damaged: %s", h.Path, strings.Join(h.Damage, "; "))
	case len(h.Index) > 0:
		return problem(check, repair, "the search index is wrong: %s", strings.Join(h.Index, "; "))
	}
	return passed(check, "%s, %s, sound", cli.Counted(h.Conversations, "conversation"), cli.Counted(h.Turns, "turn"))
}
