package agent

// EchoID is the UUID of the agent echo.
const EchoID = "6f1d3c52-7c1e-4b0a-9a57-2f0c4f6a1e02"

// newEcho returns the agent that answers with the last message of the user, byte for
// byte, under the model name "echo". It shows what was sent, and its answers are
// predictable in tests.
func newEcho() (Agent, error) {
	return local{model: "echo", answer: func(questions []string) (string, error) {
		return questions[len(questions)-1], nil
	}}, nil
}
