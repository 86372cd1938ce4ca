package chat

import (
	"context"
	"math"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// bytesPerToken is the estimate for an agent of which nothing is known: near for
// English, high for most other writing.
const bytesPerToken = 4

// Considered is a turn of the path with what it weighs and whether it is sent.
type Considered struct {
	Turn   history.Turn
	Tokens int    // estimated, of question and reply together
	Left   string // why it is left out; empty when it is sent
}

// Consider decides turn by turn what a question carries. Left out are the turns
// that the user skips, and, the oldest first, whole turns beyond the limits;
// pinned turns count and always stay.
func (a Asker) Consider(ctx context.Context, q Question) ([]Considered, error) {
	if q.Conversation == nil {
		return nil, nil
	}
	path, err := a.History.Path(ctx, q.parent(), 0)
	if err != nil || len(path) == 0 {
		return nil, err
	}
	perToken, err := a.BytesPerToken(ctx, q.AgentID)
	if err != nil {
		return nil, err
	}
	out := make([]Considered, len(path))
	turns, tokens := 0, 0
	for i, turn := range path {
		out[i] = Considered{Turn: turn, Tokens: estimate(len(turn.Question)+len(turn.Reply), perToken)}
		switch {
		case turn.Mark == history.Skipped:
			out[i].Left = "skipped"
		case q.Context.None:
			out[i].Left = "no context is wanted"
		case turn.Mark == history.Pinned:
			turns, tokens = turns+1, tokens+out[i].Tokens
		}
	}
	full := ""
	for i := len(out) - 1; i >= 0; i-- {
		c := &out[i]
		if c.Left != "" || c.Turn.Mark == history.Pinned {
			continue
		}
		switch {
		case full != "":
		case q.Context.Turns > 0 && turns+1 > q.Context.Turns:
			full = "more turns than history.context_turns or --history allows"
		case q.Context.Tokens > 0 && tokens+c.Tokens > q.Context.Tokens:
			full = "more tokens than history.context_tokens allows"
		}
		if c.Left = full; full == "" {
			turns, tokens = turns+1, tokens+c.Tokens
		}
	}
	return out, nil
}

// BytesPerToken is what the agent's own counts of its replies come to, or the
// usual estimate when it has counted too little.
func (a Asker) BytesPerToken(ctx context.Context, agentID string) (float64, error) {
	bytes, tokens, err := a.History.ReplySizes(ctx, a.Profile, agentID)
	if err != nil || tokens < 50 || bytes < tokens/4 {
		return bytesPerToken, err
	}
	return float64(bytes) / float64(tokens), nil
}

func estimate(bytes int, perToken float64) int {
	return int(math.Ceil(float64(bytes) / perToken))
}
