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
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/salvage"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// checkHistory checks the history for damage. RepairHistory repairs it.
func checkHistory(ctx context.Context, e *examination) Finding {
	health, err := salvage.Check(ctx, e.paths.DataDir)
	inaccessible := access.CheckDatabase(filepath.Join(e.paths.DataDir, history.FileName))
	if err != nil && inaccessible != nil {
		return e.closedOff(inaccessible.Path)
	}
	return e.health(health, err)
}

// health returns the finding for a result of salvage.Check.
func (e *examination) health(h salvage.Health, err error) Finding {
	repair := failure.Plain("hobnob doctor --history")
	switch {
	case err != nil:
		return e.problem(history.Hint(err), "%v", err)
	case h.Missing:
		return e.passed("no history yet")
	case h.Newer:
		return e.problem(failure.Plain("update hobnob"), "%s was written by a newer hobnob", h.Path)
	case len(h.Damage) > 0:
		return e.problem(repair, "%s is damaged: %s", h.Path, strings.Join(h.Damage, "; "))
	case len(h.Index) > 0:
		return e.problem(repair, "the search index is inconsistent: %s", strings.Join(h.Index, "; "))
	}
	return e.passed("%s, %s, intact", plural.Count(h.Conversations, "conversation"), plural.Count(h.Turns, "turn"))
}

// RepairOptions are the options of RepairHistory.
type RepairOptions struct {
	DryRun bool // change nothing
	// Confirm reports whether to replace the damaged history with the recovered one,
	// which recovered summarises. It is not called with DryRun.
	Confirm func(ctx context.Context, recovered string) (bool, error)
}

// Recovery summarises what was recovered from a damaged history. Its JSON form is
// stable.
type Recovery struct {
	Conversations     int     `json:"conversations"`
	Turns             int     `json:"turns"`
	Repaired          int     `json:"repaired"`
	LostConversations int     `json:"lost_conversations"`
	LostTurns         int     `json:"lost_turns"`
	LostIsExact       bool    `json:"lost_is_exact"`
	Installed         bool    `json:"installed"`
	DamagedFile       *string `json:"damaged_file"` // path of the saved damaged history
}

// RepairHistory checks the history and repairs it: it rebuilds an inconsistent search
// index, and recovers all readable rows of a damaged file into a new one. The Finding
// describes the state afterwards. The Recovery is nil if the file is not damaged.
func RepairHistory(ctx context.Context, f *cli.Factory, o RepairOptions) (Finding, *Recovery, error) {
	paths, err := f.Paths()
	if err != nil {
		return Finding{}, nil, err
	}
	e := &examination{f: f, paths: paths, check: "history"}
	if p := access.CheckDatabase(filepath.Join(paths.DataDir, history.FileName)); p != nil {
		return e.problem(failure.Plain(p.Fix), "%s", p.Detail), nil, nil
	}
	health, err := salvage.Check(ctx, paths.DataDir)
	if ctx.Err() != nil {
		return Finding{}, nil, context.Cause(ctx)
	}
	found, damaged := e.health(health, err), len(health.Damage) > 0
	if !damaged && len(health.Index) > 0 && !o.DryRun {
		err := rebuildIndex(ctx, paths.DataDir)
		if damaged = errors.Is(err, sqlite.ErrDamaged); err == nil {
			found = e.passed("the search index was inconsistent and has been rebuilt")
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

// rebuildIndex rebuilds the search index. It closes the history, because a recovery
// needs it closed.
func rebuildIndex(ctx context.Context, dir string) error {
	store, err := history.Open(ctx, dir)
	if err != nil {
		return err
	}
	return errors.Join(store.RebuildIndex(ctx), store.Close())
}

// recoverHistory recovers a damaged history and installs it if the user confirms.
func (e *examination) recoverHistory(ctx context.Context, o RepairOptions, found *Finding) (*Recovery, error) {
	stop := e.f.Print.Wait("reading the damaged history")
	r, err := salvage.Recover(ctx, e.paths.DataDir)
	stop()
	if err != nil {
		return nil, withHint(err)
	}
	defer func() { _ = r.Close() }()
	recovery := &Recovery{
		Conversations: r.Conversations, Turns: r.Turns, Repaired: r.Repaired,
		LostConversations: r.LostConversations, LostTurns: r.LostTurns, LostIsExact: r.Exact,
	}
	what := recovery.String()
	found.Detail += "; recoverable: " + what
	if o.DryRun {
		return recovery, nil
	}
	if yes, err := o.Confirm(ctx, what); err != nil || !yes {
		return recovery, err
	}
	damaged, err := r.Install()
	if err != nil {
		return nil, withHint(err)
	}
	recovery.Installed, recovery.DamagedFile = true, &damaged
	*found = e.passed("recovered: %s; the damaged file was saved as %s", what, damaged)
	return recovery, nil
}

// String returns the numbers of recovered and lost conversations and turns.
func (r *Recovery) String() string {
	what := fmt.Sprintf("%s with %s", plural.Count(r.Conversations, "conversation"), plural.Count(r.Turns, "turn"))
	if r.Repaired > 0 {
		what += fmt.Sprintf(", %d of them repaired", r.Repaired)
	}
	lost := fmt.Sprintf("%s and %s", plural.Count(r.LostConversations, "conversation"), plural.Count(r.LostTurns, "turn"))
	switch none := r.LostConversations+r.LostTurns == 0; {
	case none && r.LostIsExact:
	case none:
		what += "; others may be lost"
	case r.LostIsExact:
		what += "; lost: " + lost
	default:
		what += "; lost: at least " + lost
	}
	return what
}

// withHint adds a hint to the error of a failed repair, unless it has one.
func withHint(err error) error {
	if !failure.Of(err).Hint.IsZero() {
		return err
	}
	return failure.WithHint(err, "%s", history.Hint(err))
}
