package agent

import (
	"sync"

	"github.com/hobnob-cli/hobnob/docs"
	"github.com/hobnob-cli/hobnob/internal/agent/guide"
)

// GuideID is the UUID of the agent guide.
const GuideID = "6f1d3c52-7c1e-4b0a-9a57-2f0c4f6a1e01"

// newGuide returns the agent that answers questions about hobnob from its manual,
// under the model name "guide". The manual is read when the first question comes.
func newGuide() (Agent, error) {
	open := sync.OnceValues(func() (*guide.Guide, error) { return guide.New(docs.Guide) })
	return local{model: "guide", answer: func(questions []string) (string, error) {
		g, err := open()
		if err != nil {
			return "", err
		}
		return g.Answer(questions), nil
	}}, nil
}
