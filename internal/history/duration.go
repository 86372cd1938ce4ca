package history

import (
	"context"
	"slices"
	"time"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

const (
	// durationSample is the maximum number of answers in the median.
	durationSample = 20
	// minDurations is the minimum number of answers for an estimate.
	minDurations = 3
	// durationReach is how many turns are searched for those answers: the latest
	// turns of the agent with a token count, or else the latest turns of all agents.
	durationReach = 200
)

// Usual returns how long an agent usually takes in a profile: the median of up to 20
// of its latest answers on this machine. With fewer than three, ok is false. A
// retried turn counts from its first attempt. The time that Usual takes does not
// depend on the size of the history.
func (s *Store) Usual(ctx context.Context, profile, agentID string) (usual time.Duration, ok bool, err error) {
	for _, latest := range []string{
		`SELECT seq FROM turns WHERE agent_id = ?1 AND completion_tokens > 0 ORDER BY seq DESC LIMIT ?4`,
		`SELECT seq FROM turns ORDER BY seq DESC LIMIT ?4`,
	} {
		// The condition on expires excludes imported turns: they expire when asked.
		took, err := read(ctx, s, `SELECT (t.ended - t.asked) * 1000000 FROM (`+latest+`) l
			CROSS JOIN turns t ON t.seq = l.seq CROSS JOIN conversations c ON c.id = t.conversation
			WHERE t.agent_id = ?1 AND t.state = 'answered' AND t.ended > t.asked AND t.ended <= t.expires AND c.profile = ?2 LIMIT ?3`,
			[]any{agentID, profile, durationSample, durationReach}, sqlite.Column[time.Duration])
		if err != nil {
			return 0, false, err
		}
		if len(took) >= minDurations {
			return median(took), true, nil
		}
	}
	return 0, false, nil
}

// median returns the middle value, the lower one of an even number.
func median(values []time.Duration) time.Duration {
	slices.Sort(values)
	return values[(len(values)-1)/2]
}
