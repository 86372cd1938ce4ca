package failure

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hobnob-cli/hobnob/internal/shell"
)

// Hint is the next step that an error suggests. It is formatted only when it is
// printed, because only then is it known which -p its commands need. The zero Hint is
// no hint.
type Hint struct {
	format  string
	args    []any
	restart bool
}

// Command is a command line that depends on the profile.
type Command struct{ line, profile string }

// Run returns a command for the selected profile.
func Run(format string, args ...any) Command {
	return Command{line: fmt.Sprintf(format, args...)}
}

// In returns the command for a profile, regardless of the selected one. An empty name
// means the selected profile.
func (c Command) In(profile string) Command {
	c.profile = profile
	return c
}

// String returns the command line if no profile is selected.
func (c Command) String() string { return c.For("") }

// For returns the command line if profile is selected, or if none is and profile is
// empty.
func (c Command) For(profile string) string {
	if name := cmp.Or(c.profile, profile); name != "" {
		return c.line + " -p " + shell.Word(name)
	}
	return c.line
}

// Hintf formats a hint. The arguments may include Commands and other Hints.
func Hintf(format string, args ...any) Hint {
	if false {
		_ = fmt.Sprintf(format, args...) // lets vet check the callers
	}
	return Hint{format: format, args: args}
}

// Plain returns a hint with the given text.
func Plain(text string) Hint {
	if text == "" {
		return Hint{}
	}
	return Hint{format: "%s", args: []any{text}}
}

// AfterRestart returns h as the hint of a fix that a running hobnob does not notice,
// such as a change of a setting or of its environment.
func (h Hint) AfterRestart() Hint {
	h.restart = true
	return h
}

// NeedsRestart reports whether h, or a Hint among its arguments, is AfterRestart.
func (h Hint) NeedsRestart() bool {
	return h.restart || slices.ContainsFunc(h.args, func(arg any) bool {
		inner, ok := arg.(Hint)
		return ok && inner.NeedsRestart()
	})
}

// String returns the text if no profile is selected.
func (h Hint) String() string { return h.For("") }

// IsZero reports whether there is no hint.
func (h Hint) IsZero() bool { return h.format == "" }

// For returns the text if profile is selected by a flag or the environment, or if
// none is and profile is empty. If one is, the commands get -p, so that they do not
// change another profile.
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
