package failure

import (
	"cmp"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/shell"
)

// Hint is the next step that an error suggests. It is a value until it is
// printed: only then is it known with which -p its commands have to be written.
// The zero Hint is none.
type Hint struct {
	format string
	args   []any
}

// Command is a command line whose meaning depends on the profile.
type Command struct{ line, profile string }

// Run returns a command that means the selected profile.
func Run(format string, args ...any) Command {
	return Command{line: fmt.Sprintf(format, args...)}
}

// In returns the command for a profile, whichever is selected. An empty name
// leaves it to the selection.
func (c Command) In(profile string) Command {
	c.profile = profile
	return c
}

// String returns the command line for a user who chose no profile.
func (c Command) String() string { return c.For("") }

// For returns the command line for a user who chose a profile, "" for none.
func (c Command) For(profile string) string {
	if name := cmp.Or(c.profile, profile); name != "" {
		return c.line + " -p " + shell.Word(name)
	}
	return c.line
}

// Hintf returns a hint. Among its arguments may be a Command or another Hint.
func Hintf(format string, args ...any) Hint {
	if false {
		_ = fmt.Sprintf(format, args...) // lets vet check the callers
	}
	return Hint{format, args}
}

// Plain returns a hint that is the text.
func Plain(text string) Hint {
	if text == "" {
		return Hint{}
	}
	return Hint{"%s", []any{text}}
}

// String returns the text for a user who chose no profile.
func (h Hint) String() string { return h.For("") }

// IsZero reports whether there is no hint.
func (h Hint) IsZero() bool { return h.format == "" }

// For returns the text for a user who chose a profile by a flag or the
// environment, empty for one who did not: the commands get -p then, so that
// following the hint changes no other profile.
func (h Hint) For(profile string) string {
	args := make([]any, len(h.args))
	for i, arg := range h.args {
		switch a := arg.(type) {
		case Hint:
			args[i] = a.For(profile)
		case Command:
			args[i] = a.For(profile)
		default:
			args[i] = arg
		}
	}
	return fmt.Sprintf(h.format, args...)
}
