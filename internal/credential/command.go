package credential

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// commandLimit is the time limit of the token command. It gives the user time to
// unlock a password manager.
const commandLimit = 30 * time.Second

// CommandError reports a failure of the token command. It contains neither the
// arguments nor the output of the command, because both may be secret.
type CommandError struct {
	Name string // the program, without its arguments
	Err  error
}

// Error returns the name of the program and the cause.
func (e *CommandError) Error() string {
	return fmt.Sprintf("token command %q: %v", e.Name, failure.Reason(e.Err))
}

// Unwrap returns the cause: an *exec.ExitError, an *exec.Error, ErrInvalid, or the
// error of a cancelled context.
func (e *CommandError) Unwrap() error { return e.Err }

func (r Resolver) fromCommand(ctx context.Context) (Token, error) {
	if r.Untrusted != nil {
		return Token{}, r.Untrusted
	}
	output, err := r.runCommand(ctx, commandLimit)
	var token Token
	if err == nil {
		token, err = parseOutput(output, time.Now())
	}
	if err != nil {
		return Token{}, &CommandError{r.Command[0], err}
	}
	return token, nil
}

// runCommand returns the first maxOutput bytes of the command's output.
func (r Resolver) runCommand(ctx context.Context, limit time.Duration) (string, error) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out := head{free: maxOutput}
	cmd := exec.CommandContext(bounded, r.Command[0], r.Command[1:]...)
	cmd.Dir, cmd.Env = r.Dir, r.Variables
	if r.Stdin != nil {
		cmd.Stdin = r.Stdin
	}
	cmd.Stdout, cmd.Stderr = &out, r.Stderr
	// A child process left running by the command may keep its output open.
	cmd.WaitDelay = 500 * time.Millisecond

	err := cmd.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // ErrWaitDelay implies exit status 0
	case ctx.Err() != nil:
		return "", ctx.Err()
	case bounded.Err() != nil:
		return "", fmt.Errorf("timed out after %v", limit)
	default:
		return "", err
	}
	return out.text.String(), nil
}

// head is a writer that stores the next free bytes and discards the rest. It accepts
// all input, because a closed pipe would make the command fail.
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
