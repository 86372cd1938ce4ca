package chat

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

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

const (
	// deliveryLimit is how long the background process may take to record the
	// question. It is longer than a write waits for others.
	deliveryLimit = 45 * time.Second
	// deliveryEnd is how long it may take to end after SIGTERM.
	deliveryEnd = 3 * time.Second
)

// Receipt is the one line that a background process writes to its stdout: the
// turn as soon as the question is recorded, or why it could not be.
type Receipt struct {
	Conversation string          `json:"conversation,omitempty"`
	Turn         string          `json:"turn,omitempty"`
	Error        *failure.Report `json:"error,omitempty"`
}

// Detach starts a process in the background, out of the terminal's reach, writes
// it the document through a pipe that no other user can read, and returns its
// receipt. The command has its arguments, environment and directory; no file
// descriptor of this process but the pipes reaches it.
//
// Errors: *JournalError when the question was not recorded, *FailedError when it
// was and nothing more is known, or the error that the process reported.
func Detach(ctx context.Context, command *exec.Cmd, document []byte) (Receipt, error) {
	detachProcess(command)
	stdin, err := command.StdinPipe()
	if err != nil {
		return Receipt{}, err
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		return Receipt{}, err
	}
	keepFilesFromChildren()
	if err := command.Start(); err != nil {
		return Receipt{}, fmt.Errorf("cannot start the background process: %w", err)
	}
	go func() {
		_, _ = stdin.Write(document) // a process that ended early says why, or not
		_ = stdin.Close()
	}()
	received := make(chan Receipt, 1)
	go func() { received <- readReceipt(stdout) }()
	limit := time.NewTimer(deliveryLimit)
	defer limit.Stop()
	select {
	case receipt := <-received:
		_ = command.Process.Release()
		return receipt, receipt.err()
	case <-limit.C:
		err = fmt.Errorf("the background process did not keep the question within %s", deliveryLimit)
	case <-ctx.Done():
		err = ctx.Err()
	}
	return Receipt{}, endDelivery(command.Process, received, err)
}

// endDelivery ends a background process that is no longer wanted, and returns
// what became of the question as far as that is known.
func endDelivery(process *os.Process, received <-chan Receipt, why error) error {
	if process.Signal(syscall.SIGTERM) != nil { // Windows has none
		_ = process.Kill()
	}
	kill := time.AfterFunc(deliveryEnd, func() { _ = process.Kill() })
	defer kill.Stop()
	if receipt := <-received; receipt.Turn != "" {
		return &FailedError{State: history.Unknown, Conversation: receipt.Conversation, Turn: receipt.Turn, Err: why}
	}
	return &JournalError{Err: why}
}

func readReceipt(r io.Reader) (receipt Receipt) {
	line, _ := bufio.NewReader(r).ReadBytes('\n')
	_ = json.Unmarshal(line, &receipt) // what cannot be read holds neither turn nor error
	return receipt
}

func (r Receipt) err() error {
	switch {
	case r.Error != nil:
		return r.Error.Err()
	case r.Turn == "":
		return &JournalError{Err: errors.New("the background process ended before it had kept the question")}
	}
	return nil
}

// DetachedEnvironment returns an environment without what is meant for hobnob:
// settings and token go through the pipe. Paths are made absolute, because the
// background process works in another directory.
func DetachedEnvironment(environment []string) []string {
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
	return out
}
