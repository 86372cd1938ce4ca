package credential

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestTheCommandGivesItsFirstLine(t *testing.T) {
	long := strings.Repeat("x", MaxLength)
	for name, tt := range map[string]struct {
		output, want string
	}{
		"one line":         {canary, canary},
		"with line feed":   {canary + "\n", canary},
		"CRLF and spaces":  {" " + canary + "\t\r\n", canary},
		"more lines":       {canary + "\nuser: me\n", canary},
		"nothing":          {"", ""},
		"blank first line": {"\n" + canary + "\n", ""},
		"the longest":      {long + "\nmore", long},
		"too long":         {long + "x\n", ""},
		"endless":          {long + long + long, ""},
		"a phrase":         {"no such entry\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := Resolver{Command: printing(t, tt.output)}.Token(t.Context(), work)
			if token.Reveal() != tt.want {
				t.Errorf("the token has %d bytes, want %d", len(token.Reveal()), len(tt.want))
			}
			var failed *CommandError
			if tt.want == "" && (!errors.As(err, &failed) || !errors.Is(err, ErrInvalid)) {
				t.Errorf("the error is %v, want a CommandError that wraps ErrInvalid", err)
			}
		})
	}
}

func TestTheCommandMayPrintMuchMore(t *testing.T) {
	command := playing(t, "flood")
	token, err := Resolver{Command: command}.Token(t.Context(), work)
	if token.Reveal() != canary || token.Source() != SourceCommand || err != nil {
		t.Errorf("the token is from %q, %v", token.Source(), err)
	}
}

func TestAFailingCommandEndsTheSearch(t *testing.T) {
	command := playing(t, "fail")
	kept := remembering(map[string]string{"work https://chat.example.com": "other"})
	var failed *CommandError

	var stderr bytes.Buffer
	token, err := Resolver{Command: append(command, canary), Keyring: kept, Stderr: &stderr}.Token(t.Context(), work)
	var exit *exec.ExitError
	if !errors.As(err, &failed) || !errors.As(err, &exit) || exit.ExitCode() != 3 || token.Source() != "" {
		t.Errorf("got a token from %q and %v, want exit status 3", token.Source(), err)
	}
	wantSilent(t, err)
	if stderr.String() != "the store is closed\n" {
		t.Errorf("the command's own words are %q", stderr.String())
	}

	_, err = Resolver{Command: []string{"hobnob-no-such-program", canary}, Keyring: kept}.Token(t.Context(), work)
	if !errors.As(err, &failed) || !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("the error is %v, want exec.ErrNotFound", err)
	}
	wantSilent(t, err)
}

func TestTheCommandDoesNotSeeTheTokenOfTheEnvironment(t *testing.T) {
	t.Setenv("HOBNOB_TOKEN", canary)
	command := playing(t, "environment")
	token, err := Resolver{Command: command}.Token(t.Context(), work)
	if token.Reveal() != "HOBNOB_TOKEN=false" || err != nil {
		t.Errorf("the command sees %q, %v", token.Reveal(), err)
	}
}

func TestTheCommandAsksOnTheTerminalItIsGiven(t *testing.T) {
	command := playing(t, "ask")
	terminal, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	if _, err := typed.WriteString(canary + "\n"); err != nil {
		t.Fatal(err)
	}
	_ = typed.Close()
	token, err := Resolver{Command: command, Stdin: terminal}.Token(t.Context(), work)
	if token.Reveal() != canary || err != nil {
		t.Errorf("the command read %q, %v", token.Reveal(), err)
	}
	// Without one it reads nothing, instead of the prompt of a chat.
	if _, err := (Resolver{Command: command}).Token(t.Context(), work); !errors.Is(err, ErrInvalid) {
		t.Errorf("the error is %v, want ErrInvalid", err)
	}
}

// cancelOnWrite ends a context as soon as the command says that it runs.
type cancelOnWrite context.CancelFunc

func (c cancelOnWrite) Write(p []byte) (int, error) { c(); return len(p), nil }

func TestAHangingCommandIsKilled(t *testing.T) {
	command := playing(t, "hang")
	started := time.Now()

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := Resolver{Command: command, Stderr: cancelOnWrite(cancel)}.Token(ctx, work)
	var failed *CommandError
	if !errors.As(err, &failed) || !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want a CommandError for the ended context", err)
	}

	_, err = Resolver{Command: command}.runCommand(t.Context(), 50*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "no token within") || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v, want that the time is up", err)
	}
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestAChildThatTheCommandLeavesBehindIsNotWaitedFor(t *testing.T) {
	command := playing(t, "linger")
	terminal, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	defer func() { _ = typed.Close() }() // ends the child
	token, err := Resolver{Command: command, Stdin: terminal}.Token(t.Context(), work)
	if token.Reveal() != canary || err != nil {
		t.Errorf("the token is from %q, %v", token.Source(), err)
	}
}
