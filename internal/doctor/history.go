package doctor

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
)

// checkHistory looks for damage; RepairHistory repairs it.
func checkHistory(ctx context.Context, e *examination) Finding {
	health, err := salvage.Check(ctx, e.paths.DataDir)
	barrier := access.CheckDatabase(filepath.Join(e.paths.DataDir, history.FileName))
	if err != nil && barrier != nil {
		return e.closedOff(barrier.Path)
	}
	return e.health(health, err)
}

// health returns the finding of salvage.Check.
func (e *examination) health(h salvage.Health, err error) Finding {
	repair := failure.Plain("hobnob doctor --history")
	switch {
	case err != nil:
		return e.problem(history.Hint(err), "%v", err)
	case h.Missing:
		return e.passed("there is none yet")
	case h.Newer:
		return e.problem(failure.Plain("update hobnob"), "%s was written by a newer hobnob", h.Path)
	case len(h.Damage) > 0:
		return e.problem(repair, "%s is damaged: %s", h.Path, strings.Join(h.Damage, "; "))
	case len(h.Index) > 0:
		return e.problem(repair, "the search index is wrong: %s", strings.Join(h.Index, "; "))
	}
	return e.passed("%s, %s, sound", cli.Counted(h.Conversations, "conversation"), cli.Counted(h.Turns, "turn"))
}

// RepairOptions say how to repair the history.
type RepairOptions struct {
	DryRun bool // change nothing
	// Confirm decides whether the recovered history replaces the damaged one;
	// recovered says what is in it. It is not called with DryRun.
	Confirm func(ctx context.Context, recovered string) (bool, error)
}

// Recovery is what was recovered of a damaged history; its JSON form is stable.
type Recovery struct {
	Conversations     int     `json:"conversations"`
	Turns             int     `json:"turns"`
	Mended            int     `json:"mended"`
	LostConversations int     `json:"lost_conversations"`
	LostTurns         int     `json:"lost_turns"`
	LostIsExact       bool    `json:"lost_is_exact"`
	Installed         bool    `json:"installed"`
	Kept              *string `json:"kept"` // where the damaged history is
}

// RepairHistory checks the history and repairs it: a wrong search index is rebuilt,
// and from a damaged file every row that can be read goes into a new one. The
// Finding is about the history as it is afterwards; the Recovery is nil when the
// file is not damaged.
func RepairHistory(ctx context.Context, f *cli.Factory, o RepairOptions) (Finding, *Recovery, error) {
	paths, err := f.Paths()
	if err != nil {
		return Finding{}, nil, err
	}
	e := &examination{f: f, paths: paths, check: "history"}
	if barrier := access.CheckDatabase(filepath.Join(paths.DataDir, history.FileName)); barrier != nil {
		return e.problem(failure.Plain(barrier.Fix), "%s", barrier.Detail), nil, nil
	}
	health, err := salvage.Check(ctx, paths.DataDir)
	if ctx.Err() != nil {
		return Finding{}, nil, context.Cause(ctx)
	}
	found, damaged := e.health(health, err), len(health.Damage) > 0
	if !damaged && len(health.Index) > 0 && !o.DryRun {
		err := rebuildIndex(ctx, paths.DataDir)
		if damaged = errors.Is(err, sqlite.ErrDamaged); err == nil {
			found = e.passed("the search index was wrong and is made anew")
		} else if !damaged {
			return Finding{}, nil, withHint(err)
		}
	}
	if err != nil || !damaged {
		return found, nil, nil
	}
	recovery, err := e.recoverHistory(ctx, o, &found)
	return found, recovery, err
}

// rebuildIndex closes the history again: a recovery after it needs it closed.
func rebuildIndex(ctx context.Context, dir string) error {
	store, err := history.Open(ctx, dir)
	if err != nil {
		return err
	}
	return errors.Join(store.RebuildIndex(ctx), store.Close())
}

// recoverHistory recovers a damaged history and installs it when the user agrees.
func (e *examination) recoverHistory(ctx context.Context, o RepairOptions, found *Finding) (*Recovery, error) {
	stop := e.f.Print.Wait("reading the damaged history")
	r, err := salvage.Recover(ctx, e.paths.DataDir)
	stop()
	if err != nil {
		return nil, withHint(err)
	}
	defer func() { _ = r.Close() }()
	recovery := &Recovery{
		Conversations: r.Conversations, Turns: r.Turns, Mended: r.Repaired,
		LostConversations: r.LostConversations, LostTurns: r.LostTurns, LostIsExact: r.Exact,
	}
	what := recovery.String()
	found.Detail += "; can be recovered: " + what
	if o.DryRun {
		return recovery, nil
	}
	if yes, err := o.Confirm(ctx, what); err != nil || !yes {
		return recovery, err
	}
	kept, err := r.Install()
	if err != nil {
		return nil, withHint(err)
	}
	recovery.Installed, recovery.Kept = true, &kept
	*found = e.passed("recovered: %s; the damaged file is kept as %s", what, kept)
	return recovery, nil
}

// String returns what was recovered and what was lost.
func (r *Recovery) String() string {
	what := fmt.Sprintf("%s with %s", cli.Counted(r.Conversations, "conversation"), cli.Counted(r.Turns, "turn"))
	if r.Mended > 0 {
		what += fmt.Sprintf(", %d of them mended", r.Mended)
	}
	lost := "lost: "
	if !r.LostIsExact {
		lost = "lost: at least "
	}
	if r.LostConversations+r.LostTurns > 0 || !r.LostIsExact {
		what += fmt.Sprintf("; %s%s and %s", lost, cli.Counted(r.LostConversations, "conversation"), cli.Counted(r.LostTurns, "turn"))
	}
	return what
}

// withHint gives a failed repair a next step, unless it has one.
func withHint(err error) error {
	if !failure.Of(err).Hint.IsZero() {
		return err
	}
	return failure.WithHint(err, "%s", history.Hint(err))
}
