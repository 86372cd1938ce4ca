package repl

import "context"

func exitCommand() command {
	return command{
		name: "exit", help: "leave; so does Ctrl-D",
		run: func(*session, context.Context, string) error { return errLeave },
	}
}
