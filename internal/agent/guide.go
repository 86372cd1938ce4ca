package agent

import (
	"github.com/hobnob-cli/hobnob/docs"
	"github.com/hobnob-cli/hobnob/internal/agent/guide"
)

// GuideID is the UUID of the agent guide.
const GuideID = "6f1d3c52-7c1e-4b0a-9a57-2f0c4f6a1e01"

// newGuide returns the agent that answers questions about hobnob from its manual,
// under the model name "guide".
func newGuide() (Agent, error) {
	g, err := guide.New(docs.Guide)
	if err != nil {
		return nil, err
	}
	return local{model: "guide", answer: g.Answer}, nil
}
