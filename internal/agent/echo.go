package agent

// NewEcho returns the agent that answers with the last message of the user,
// byte for byte, under the model name "echo". It shows what a prompt became on
// its way, and tests know its answers in advance.
func NewEcho() Agent {
	return local{name: "echo", answer: func(questions []string) string { return questions[len(questions)-1] }}
}
