package chat

import (
	"context"
	"math"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// bytesPerToken is the estimate for an agent with too few counted replies. It is
// close for English and high for most other languages.
const bytesPerToken = 4

// Context is what precedes a question.
type Context struct {
	Instructions       history.Instructions // sent if they have a text
	InstructionsTokens int                  // estimate
	Turns              []Considered
}

// Considered is an earlier turn that may be part of the context of a question.
type Considered struct {
	Turn   history.Turn
	Tokens int    // estimate for the question and the reply together
	Left   string // why the turn is omitted, empty if it is sent
}

// Consider returns the instructions and the turns on the path to the question, and
// decides which of the turns are sent. It omits the turns that the user skips and, the
// oldest first, those over the limits. The instructions and pinned turns count towards
// the limits; the instructions are always sent, and pinned turns unless Limits.None is
// set. The turns of Question.Keep are always sent.
func (a Asker) Consider(ctx context.Context, q Question) (c Context, err error) {
	if c.Instructions, err = a.Instructions(ctx, q); err != nil {
		return c, err
	}
	var path []history.Turn
	if q.Conversation != nil {
		if path, err = a.History.Path(ctx, q.parent(), 0); err != nil {
			return c, err
		}
	}
	if len(path) == 0 && c.Instructions.Text == "" {
		return c, nil
	}
	perToken, err := a.BytesPerToken(ctx, q.AgentID)
	if err != nil {
		return c, err
	}
	c.InstructionsTokens = EstimateTokens(len(c.Instructions.Text), perToken)
	c.Turns = q.choose(path, c.InstructionsTokens, perToken)
	return c, nil
}

// Unshared returns the turns that a question sends to a service that does not have them:
// those of a conversation of another profile.
func (a Asker) Unshared(ctx context.Context, q Question) ([]history.Turn, error) {
	if q.Conversation == nil || q.Conversation.Profile == a.Profile {
		return nil, nil
	}
	considered, err := a.Consider(ctx, q)
	var sent []history.Turn
	for _, c := range considered.Turns {
		if c.Left == "" {
			sent = append(sent, c.Turn)
		}
	}
	return sent, err
}

// Instructions returns the instructions that are sent with a question. They have no text
// if there are none.
func (a Asker) Instructions(ctx context.Context, q Question) (history.Instructions, error) {
	switch {
	case q.Instructions != nil:
		return *q.Instructions, nil
	case q.Conversation == nil:
		return history.Instructions{}, nil
	}
	return a.History.Instructions(ctx, q.Conversation.ID)
}

// choose decides which turns of a path are sent. The first tokens are already in use.
func (q Question) choose(path []history.Turn, tokens int, perToken float64) []Considered {
	out := make([]Considered, len(path))
	turns := 0
	for i, turn := range path {
		out[i] = Considered{Turn: turn, Tokens: EstimateTokens(len(turn.Question)+len(turn.Reply), perToken)}
		switch {
		case i >= len(path)-q.Keep:
			turns, tokens = turns+1, tokens+out[i].Tokens
		case turn.Mark == history.Skipped:
			out[i].Left = "skipped"
		case q.Context.None:
			out[i].Left = "--history 0"
		case turn.Mark == history.Pinned:
			turns, tokens = turns+1, tokens+out[i].Tokens
		}
	}
	full := ""
	for i := len(out) - 1 - q.Keep; i >= 0; i-- {
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
	return out
}

// BytesPerToken returns the average number of bytes per token in the replies of an
// agent, or a default estimate if the service has counted too few tokens.
func (a Asker) BytesPerToken(ctx context.Context, agentID string) (float64, error) {
	bytes, tokens, err := a.History.ReplySizes(ctx, a.Profile, agentID)
	if err != nil || tokens < 50 || bytes < tokens/4 {
		return bytesPerToken, err
	}
	return float64(bytes) / float64(tokens), nil
}

// EstimateTokens returns the estimated number of tokens of a text, rounded up.
func EstimateTokens(bytes int, perToken float64) int {
	return int(math.Ceil(float64(bytes) / perToken))
}
