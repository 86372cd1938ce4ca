package credential

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestCommandFirstLine(t *testing.T) {
	long := strings.Repeat("x", MaxLength)
	for name, tt := range map[string]struct {
		output, want string
	}{
		"one line":         {canary, canary},
		"with line feed":   {canary + "\n", canary},
		"CRLF and spaces":  {" " + canary + "\t\r\n", canary},
		"more lines":       {canary + "\nuser: me\n", canary},
		"empty":            {"", ""},
		"blank first line": {"\n" + canary + "\n", ""},
		"maximum length":   {long + "\nmore", long},
		"too long":         {long + "x\n", ""},
		"endless":          {long + long + long, ""},
		"several words":    {"no such entry\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			token, err := Resolver{Command: printCommand(t, tt.output)}.Token(t.Context(), work)
			if token.Reveal() != tt.want {
				t.Errorf("got a token of %d bytes, want %d", len(token.Reveal()), len(tt.want))
			}
			var failed *CommandError
			if tt.want == "" && (!errors.As(err, &failed) || !errors.Is(err, ErrInvalid)) {
				t.Errorf("got error %v, want a CommandError wrapping ErrInvalid", err)
			}
		})
	}
}

func TestCommandWithLongOutput(t *testing.T) {
	command := testCommand(t, "flood")
	token, err := Resolver{Command: command}.Token(t.Context(), work)
	if token.Reveal() != canary || token.Source() != SourceCommand || err != nil {
		t.Errorf("token from %q, %v", token.Source(), err)
	}
}

func TestFailingCommandEndsSearch(t *testing.T) {
	command := testCommand(t, "fail")
	ring := keyringWith(map[string]string{"work https://chat.example.com": "other"})
	var failed *CommandError

	var stderr bytes.Buffer
	token, err := Resolver{Command: append(command, canary), Keyring: ring, Stderr: &stderr}.Token(t.Context(), work)
	var exit *exec.ExitError
	if !errors.As(err, &failed) || !errors.As(err, &exit) || exit.ExitCode() != 3 || token.Source() != "" {
		t.Errorf("got a token from %q and %v, want exit status 3", token.Source(), err)
	}
	wantSilent(t, err)
	if stderr.String() != "the store is closed\n" {
		t.Errorf("stderr of the command: %q", stderr.String())
	}

	_, err = Resolver{Command: []string{"hobnob-no-such-program", canary}, Keyring: ring}.Token(t.Context(), work)
	if !errors.As(err, &failed) || !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got error %v, want exec.ErrNotFound", err)
	}
	wantSilent(t, err)
}

func TestCommandReadsTerminal(t *testing.T) {
	command := testCommand(t, "ask")
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
		t.Errorf("got token %q, %v", token.Reveal(), err)
	}
	// Without a terminal, the command must not read the prompt of a chat.
	if _, err := (Resolver{Command: command}).Token(t.Context(), work); !errors.Is(err, ErrInvalid) {
		t.Errorf("got error %v, want ErrInvalid", err)
	}
}

// cancelOnWrite cancels a context when the command writes its first message.
type cancelOnWrite context.CancelFunc

func (c cancelOnWrite) Write(p []byte) (int, error) { c(); return len(p), nil }

func TestHangingCommandIsKilled(t *testing.T) {
	command := testCommand(t, "hang")
	started := time.Now()

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := Resolver{Command: command, Stderr: cancelOnWrite(cancel)}.Token(ctx, work)
	var failed *CommandError
	if !errors.As(err, &failed) || !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want a CommandError wrapping context.Canceled", err)
	}

	_, err = Resolver{Command: command}.runCommand(t.Context(), 50*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "timed out after") || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want a timeout", err)
	}
	if took := time.Since(started); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestCommandWithLingeringChild(t *testing.T) {
	command := testCommand(t, "linger")
	terminal, typed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = terminal.Close() }()
	defer func() { _ = typed.Close() }() // ends the child
	token, err := Resolver{Command: command, Stdin: terminal}.Token(t.Context(), work)
	if token.Reveal() != canary || err != nil {
		t.Errorf("token from %q, %v", token.Source(), err)
	}
}

func TestCommandRunsInDirectoryAndEnvironment(t *testing.T) {
	dir := t.TempDir()
	r := Resolver{Command: testCommand(t, "where"), Dir: dir}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "HOBNOB_TEST_OUTPUT=") {
			r.Variables = append(r.Variables, variable)
		}
	}
	r.Variables = append(r.Variables, "HOBNOB_TEST_OUTPUT="+canary)
	token, err := r.Token(t.Context(), work)
	if want := filepath.Base(dir) + "/" + canary; err != nil || token.Reveal() != want {
		t.Errorf("got the token %q, %v, want %q", token.Reveal(), err, want)
	}
}
