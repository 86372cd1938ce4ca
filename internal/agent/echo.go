package agent

import "context"

type echo struct{}

// NewEcho returns the agent that answers with the last message of the user,
// byte for byte, under the model name "echo". It shows what a prompt became on
// its way, and it serves tests that need an answer they can foretell.
func NewEcho() Agent { return echo{} }

func (echo) Complete(ctx context.Context, messages []Message) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	said := userMessages(messages)
	if len(said) == 0 {
		return Answer{}, ErrNoQuestion
	}
	return answer("echo", said[len(said)-1], messages), nil
}
