package cmd

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/history"
)

const (
	// deliveryLimit is how long the background process may take to keep the
	// question. It is longer than a write waits for others.
	deliveryLimit = 45 * time.Second
	// deliveryEnd is how long it may take to end when it is told to.
	deliveryEnd = 3 * time.Second
)

// validateDetach refuses flags of `chat` that need an answer now, or a history
// that is not written.
func (o chatOptions) validateDetach() error {
	const see = "see: hobnob chat --help"
	switch {
	case o.Raw || o.Extract != "" || o.Copy || o.Usage:
		return usagef("leave it out; hobnob wait shows the answer", "--raw, --extract, --copy and --usage want an answer, for which --detach does not wait")
	case o.NoSave:
		return usagef(see, "--detach and --no-save exclude each other: the answer would be lost")
	case o.DryRun:
		return usagef(see, "--detach and --dry-run exclude each other")
	case o.Interactive || o.talks():
		return usagef(`ask like this: hobnob chat --detach "how do I …?"`, "--detach is for one question, not for an interactive chat")
	}
	return nil
}

// needsHistory explains why --detach cannot be had where nothing is saved.
func needsHistory(profile config.Profile) error {
	return usagef("hobnob config set history.save true"+ofProfile+", or leave --detach out", "--detach needs the history, and history.save is false in the profile %q", profile.Name)
}

// detachedJSON is what chat --detach --json prints.
type detachedJSON struct {
	Version      int           `json:"version"`
	Conversation string        `json:"conversation"`
	Turn         string        `json:"turn"`
	State        history.State `json:"state"`
}

// detach hands the question to a process in the background, which asks it, and
// returns as soon as that one has kept it.
func (e *exchange) detach(ctx context.Context, question chat.Question) (chat.Answer, error) {
	plan, err := e.asker.Plan(ctx, question)
	if err == nil {
		_, err = e.client.Preview(plan.Request) // what is wrong with it is told now
	}
	if err != nil {
		return chat.Answer{}, err
	}
	d := newDelivery(e.profile, question)
	if d.Token, err = e.f.token(ctx, e.profile); err != nil {
		return chat.Answer{}, err
	}
	turn, err := e.f.startDelivery(ctx, d)
	if err != nil {
		return chat.Answer{}, err
	}
	answer := chat.Answer{Conversation: turn.Conversation, Turn: turn.Turn}
	if e.f.Global.JSON {
		err = e.f.printJSON(detachedJSON{Version: 1, Conversation: turn.Conversation, Turn: turn.Turn, State: history.Pending})
	} else {
		err = e.f.printf("%s\n", turn.Turn)
	}
	if err != nil {
		return answer, &hintError{err: err, hint: "the question is on its way: hobnob wait " + history.Short(turn.Turn)}
	}
	e.f.note("the question is asked in the background; to see its answer: hobnob wait %s", history.Short(turn.Turn))
	return answer, nil
}

// token returns the token of a profile, empty for the embedded service.
func (f *Factory) token(ctx context.Context, p config.Profile) (string, error) {
	if p.Embedded() {
		return "", nil
	}
	resolver, key, err := f.Tokens(p)
	if err != nil {
		return "", err
	}
	token, err := resolver.Token(ctx, key)
	return token.Reveal(), noToken(err, resolver, key)
}

// startDelivery starts this program once more, in the background and out of the
// terminal's reach, and returns what it says: the turn, or why there is none.
// What it is to do goes through a pipe, which nobody else can read.
func (f *Factory) startDelivery(ctx context.Context, d delivery) (delivered, error) {
	document, err := json.Marshal(d)
	if err != nil {
		return delivered{}, err
	}
	paths, err := f.Paths()
	if err != nil {
		return delivered{}, err
	}
	program, err := os.Executable()
	if err != nil {
		return delivered{}, fmt.Errorf("cannot find this program: %w", err)
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), program)
	command.Args = []string{"hobnob", deliverName}
	command.Env = deliveryEnvironment(os.Environ(), paths)
	command.Dir = paths.DataDir // any other might be in the way of who wants to remove it
	detachProcess(command)
	stdin, err := command.StdinPipe()
	if err != nil {
		return delivered{}, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return delivered{}, err
	}
	keepFilesFromChildren()
	if err := command.Start(); err != nil {
		return delivered{}, fmt.Errorf("cannot start the background process: %w", err)
	}
	go func() {
		_, _ = stdin.Write(document) // a process that ended early says why, or not
		_ = stdin.Close()
	}()
	said := make(chan delivered, 1)
	go func() { said <- readDelivered(stdout) }()
	limit := time.NewTimer(deliveryLimit)
	defer limit.Stop()
	select {
	case turn := <-said:
		_ = command.Process.Release()
		return turn, turn.err()
	case <-limit.C:
		err = fmt.Errorf("the background process did not keep the question within %s", deliveryLimit)
	case <-ctx.Done():
		err = ctx.Err()
	}
	return delivered{}, endDelivery(command.Process, said, err)
}

// endDelivery ends a background process that nobody wants any more, and says what
// has become of the question as far as that is known.
func endDelivery(process *os.Process, said <-chan delivered, why error) error {
	if process.Signal(syscall.SIGTERM) != nil { // Windows has none
		_ = process.Kill()
	}
	kill := time.AfterFunc(deliveryEnd, func() { _ = process.Kill() })
	defer kill.Stop()
	if turn := <-said; turn.Turn != "" {
		return &chat.FailedError{State: history.Unknown, Conversation: turn.Conversation, Turn: turn.Turn, Err: why}
	}
	return &chat.JournalError{Err: why}
}

// deliveryEnvironment is that of this process without what is meant for hobnob:
// settings and token go through the pipe. Paths are made absolute, for the
// background process works in another directory.
func deliveryEnvironment(environment []string, paths config.Paths) []string {
	var out []string
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		switch upper := strings.ToUpper(name); {
		case strings.HasPrefix(upper, "HOBNOB_"), upper == "PWD":
			continue
		case upper == "SSL_CERT_FILE", upper == "SSL_CERT_DIR":
			list := filepath.SplitList(value)
			for i, path := range list {
				if absolute, err := filepath.Abs(path); err == nil && path != "" {
					list[i] = absolute
				}
			}
			variable = name + "=" + strings.Join(list, string(filepath.ListSeparator))
		}
		out = append(out, variable)
	}
	return append(out, "HOBNOB_CONFIG="+paths.ConfigFile, "HOBNOB_DATA_DIR="+paths.DataDir, "HOBNOB_STATE_DIR="+paths.StateDir)
}

// delivered is the one line that the background process says.
type delivered struct {
	Conversation string   `json:"conversation,omitempty"`
	Turn         string   `json:"turn,omitempty"`
	Error        *failure `json:"error,omitempty"`
}

func readDelivered(r io.Reader) (d delivered) {
	line, _ := bufio.NewReader(r).ReadBytes('\n')
	_ = json.Unmarshal(line, &d) // what cannot be read holds neither turn nor error
	return d
}

func (d delivered) err() error {
	switch {
	case d.Error != nil:
		return &relayedError{*d.Error}
	case d.Turn == "":
		return &chat.JournalError{Err: errors.New("the background process ended before it had kept the question")}
	}
	return nil
}

// relayedError is a failure that another process of ours has told.
type relayedError struct{ failure failure }

func (e *relayedError) Error() string { return e.failure.Message }
