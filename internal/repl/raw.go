package repl

import "context"

func rawCommand() command {
	return command{
		name: "raw", argument: "[on|off]", help: "show replies as they came, or rendered",
		run: runRaw, complete: completeSwitch,
	}
}

func runRaw(s *session, _ context.Context, typed string) error {
	if typed == "" {
		typed = "on"
		if s.ask.Raw {
			typed = "off"
		}
	}
	return s.setSwitch(&s.ask.Raw, typed, "replies are shown as they came")
}
