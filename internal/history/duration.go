package history

import (
	"context"
	"slices"
	"time"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

const (
	// durationSample is how many of an agent's answers tell how long it takes.
	durationSample = 20
	// fewestDurations is how many answers say anything at all.
	fewestDurations = 3
	// durationReach is how many of the latest turns are looked at for them, of the
	// agent by the index of those that counted tokens, else of all agents.
	durationReach = 200
)

// Usual is how long an agent usually takes in a profile: the median of its latest
// answers on this machine, at most 20; ok is false with fewer than three. A turn
// that was asked again counts from its first asking. How much is read does not
// depend on the size of the history.
func (s *Store) Usual(ctx context.Context, profile, agentID string) (usual time.Duration, ok bool, err error) {
	for _, latest := range []string{
		`SELECT seq FROM turns WHERE agent_id = ?1 AND completion_tokens > 0 ORDER BY seq DESC LIMIT ?4`,
		`SELECT seq FROM turns ORDER BY seq DESC LIMIT ?4`,
	} {
		// An imported turn, whose answer was awaited elsewhere, ended after it expired.
		took, err := read(ctx, s, `SELECT (t.ended - t.asked) * 1000000 FROM (`+latest+`) l
			CROSS JOIN turns t ON t.seq = l.seq CROSS JOIN conversations c ON c.id = t.conversation
			WHERE t.agent_id = ?1 AND t.state = 'answered' AND t.ended > t.asked AND t.ended <= t.expires AND c.profile = ?2 LIMIT ?3`,
			[]any{agentID, profile, durationSample, durationReach}, sqlite.Column[time.Duration])
		if err != nil {
			return 0, false, err
		}
		if len(took) >= fewestDurations {
			return median(took), true, nil
		}
	}
	return 0, false, nil
}

// median is the middle value, of an even number the lower of the two.
func median(values []time.Duration) time.Duration {
	slices.Sort(values)
	return values[(len(values)-1)/2]
}
