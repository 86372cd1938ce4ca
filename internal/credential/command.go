package credential

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// commandLimit leaves a person the time to unlock a password manager.
const commandLimit = 30 * time.Second

// CommandError says that the token command failed. It holds neither the
// arguments nor the output of the command: both may be secret.
type CommandError struct {
	Name string // the program, without its arguments
	Err  error
}

// Error names the program and what became of it.
func (e *CommandError) Error() string {
	return fmt.Sprintf("token command %q: %v", e.Name, e.Err)
}

// Unwrap gives the reason: an *exec.ExitError, an *exec.Error, ErrInvalid, or
// the error of an ended context.
func (e *CommandError) Unwrap() error { return e.Err }

func (r Resolver) fromCommand(ctx context.Context) (Token, error) {
	line, err := r.runCommand(ctx, commandLimit)
	var token Token
	if err == nil {
		token, err = newToken(line, SourceCommand)
	}
	if err != nil {
		return Token{}, &CommandError{r.Command[0], err}
	}
	return token, nil
}

// runCommand returns the first line of the command's output, trimmed.
func (r Resolver) runCommand(ctx context.Context, limit time.Duration) (string, error) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out := head{free: MaxLength + 1}
	cmd := exec.CommandContext(bounded, r.Command[0], r.Command[1:]...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return strings.EqualFold(name, "HOBNOB_TOKEN")
	})
	if r.Stdin != nil {
		cmd.Stdin = r.Stdin
	}
	cmd.Stdout, cmd.Stderr = &out, r.Stderr
	// A child that the command leaves behind may hold its output open.
	cmd.WaitDelay = time.Second

	err := cmd.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // ErrWaitDelay is given only after exit status 0
	case ctx.Err() != nil:
		return "", ctx.Err()
	case bounded.Err() != nil:
		return "", fmt.Errorf("it printed no token within %v", limit)
	default:
		return "", err
	}
	line, _, _ := strings.Cut(out.text.String(), "\n")
	return Trim(line), nil
}

// head keeps the first free bytes written to it and drops the rest. It takes all
// of them, because a closed pipe would make the command fail.
type head struct {
	text strings.Builder
	free int
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.free)
	h.free -= n
	h.text.Write(p[:n])
	return len(p), nil
}
