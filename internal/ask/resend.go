package ask

import (
	"context"
	"errors"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// Resend asks the questions of unanswered turns again, one after the other, and shows
// their answers. It stops if the service cannot be reached or refuses the token, or if
// an answer cannot be saved. After other failures it continues with the next question.
// It returns the last error.
func (a Asker) Resend(ctx context.Context, turns []history.Turn) error {
	limits := LimitsOf(a.Profile)
	var last error
	for _, t := range turns {
		a.f.Print.Note("asking again: %s", history.TitleOf(t.Question))
		stop := a.Wait(ctx, "asking", time.Time{}, t.AgentID)
		answer, err := a.Chat.Resend(ctx, t, limits)
		if stop(err); err == nil {
			err = a.Finish(t.AgentID, answer)
		}
		var taken *history.TakenError
		var gone *history.TurnNotFoundError
		switch {
		case err == nil:
			continue
		case errors.As(err, &taken): // by another process after the turns were listed
			a.f.Print.Note("%v", taken)
			continue
		case errors.As(err, &gone):
			a.f.Print.Note("%v", gone)
			continue
		}
		last = err
		if kind := failure.Of(err).Kind; ctx.Err() != nil || kind == failure.Auth || kind == failure.NotSent || kind == failure.NotSaved {
			break
		}
		a.f.Print.Warn("turn %s: %v", history.Short(t.ID), err)
	}
	return last
}
