package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/salvage"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// repairReport is what a recovery found; its JSON form is stable.
type repairReport struct {
	Conversations     int     `json:"conversations"`
	Turns             int     `json:"turns"`
	Mended            int     `json:"mended"`
	LostConversations int     `json:"lost_conversations"`
	LostTurns         int     `json:"lost_turns"`
	LostIsExact       bool    `json:"lost_is_exact"`
	Installed         bool    `json:"installed"`
	Kept              *string `json:"kept"` // where the damaged history is
}

// checkHistory looks at the history and, with --history, repairs it.
func checkHistory(ctx context.Context, opts doctorOptions, dir string) (finding, *repairReport, error) {
	barrier := access.CheckDatabase(filepath.Join(dir, history.FileName))
	health, err := salvage.Check(ctx, dir)
	switch {
	case ctx.Err() != nil:
		return finding{}, nil, context.Cause(ctx)
	case barrier != nil && opts.History:
		return problem("history", failure.Plain(barrier.Fix), "%s", barrier.Detail), nil, nil
	case barrier != nil && err != nil:
		return skipped("history", "not checked, because "+barrier.Path+" cannot be used"), nil, nil
	case err != nil:
		return problem("history", history.Hint(err), "%v", err), nil, nil
	}
	found := describeHealth(health)
	broken := len(health.Damage) > 0
	if opts.History && !opts.DryRun && !broken && len(health.Index) > 0 {
		switch err := rebuildIndex(ctx, dir); {
		case errors.Is(err, sqlite.ErrDamaged):
			broken = true
		case err != nil:
			return finding{}, nil, withStorageHint(err)
		default:
			found = fine("history", "the search index was wrong and is made anew")
		}
	}
	if !opts.History || !broken {
		return found, nil, nil
	}
	repair, err := recoverHistory(ctx, opts, dir, &found)
	return found, repair, err
}

// rebuildIndex closes the history again, which a recovery after it must not find open.
func rebuildIndex(ctx context.Context, dir string) error {
	store, err := history.Open(ctx, dir)
	if err != nil {
		return err
	}
	return errors.Join(store.RebuildIndex(ctx), store.Close())
}

// recoverHistory recovers a damaged history and, when the user agrees, puts it in place.
func recoverHistory(ctx context.Context, opts doctorOptions, dir string, found *finding) (*repairReport, error) {
	f := opts.f
	stop := f.IO.WaitFor(terminal.Waiting{Label: "reading the damaged history"})
	recovery, err := salvage.Recover(ctx, dir)
	stop()
	if err != nil {
		return nil, withStorageHint(err)
	}
	defer func() { _ = recovery.Close() }()
	r := recovery.Recovered
	report := &repairReport{
		Conversations: r.Conversations, Turns: r.Turns, Mended: r.Repaired,
		LostConversations: r.LostConversations, LostTurns: r.LostTurns, LostIsExact: r.Exact,
	}
	what := describeRecovered(r)
	found.detail = failure.Hintf("%s; can be recovered: %s", found.detail, what)
	if opts.DryRun {
		return report, nil
	}
	if !opts.Yes {
		f.Print.Note("the history is damaged; can be recovered: %s", what)
		yes, err := f.IO.Confirm(ctx, "Put the recovered history in place, and keep the damaged one beside it?")
		if errors.Is(err, terminal.ErrNoTerminal) {
			return nil, failure.Usagef("add --yes, or look first with --dry-run", "there is nobody to ask whether the recovered history (%s) may take the place of the damaged one", what)
		}
		if err != nil || !yes {
			return report, err
		}
	}
	kept, err := recovery.Install()
	if err != nil {
		return nil, withStorageHint(err)
	}
	report.Installed, report.Kept = true, &kept
	*found = fine("history", "recovered: %s; the damaged file is kept as %s", what, kept)
	return report, nil
}

// withStorageHint gives a failed repair a next step, unless it has one.
func withStorageHint(err error) error {
	if !failure.Of(err).Hint.IsZero() {
		return err
	}
	return failure.WithHint(err, "%s", history.Hint(err))
}

func describeRecovered(r salvage.Recovered) string {
	what := fmt.Sprintf("%s with %s", cli.Counted(r.Conversations, "conversation"), cli.Counted(r.Turns, "turn"))
	if r.Repaired > 0 {
		what += fmt.Sprintf(", %d of them mended", r.Repaired)
	}
	least := "lost: "
	if !r.Exact {
		least = "lost: at least "
	}
	if r.LostConversations+r.LostTurns > 0 || !r.Exact {
		what += fmt.Sprintf("; %s%s and %s", least, cli.Counted(r.LostConversations, "conversation"), cli.Counted(r.LostTurns, "turn"))
	}
	return what
}

func describeHealth(h salvage.Health) finding {
	switch {
	case h.Missing:
		return fine("history", "there is none yet")
	case h.Newer:
		return problem("history", failure.Plain("update hobnob"), "%s was written by a newer hobnob", h.Path)
	case len(h.Damage) > 0:
		return problem("history", failure.Plain("hobnob doctor --history"), "%s is damaged: %s", h.Path, strings.Join(h.Damage, "; "))
	case len(h.Index) > 0:
		return problem("history", failure.Plain("hobnob doctor --history"), "the search index is wrong: %s", strings.Join(h.Index, "; "))
	}
	return fine("history", "%s, %s, sound", cli.Counted(h.Conversations, "conversation"), cli.Counted(h.Turns, "turn"))
}
