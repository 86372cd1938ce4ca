package repl

import "context"

func runRaw(_ context.Context, s *session, typed string) error {
	if typed == "" {
		typed = "on"
		if s.ask.Raw {
			typed = "off"
		}
	}
	return s.setSwitch(&s.ask.Raw, typed, "raw replies")
}
