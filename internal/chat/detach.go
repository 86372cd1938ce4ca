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
	// deliveryLimit is the time the background process has to record the question.
	// It is longer than a write waits for other processes.
	deliveryLimit = 45 * time.Second
	// deliveryEnd is the time the background process has to exit after SIGTERM.
	deliveryEnd = 3 * time.Second
)

// Receipt is the only line that a background process writes to its stdout: the turn
// of the recorded question, or the error if it could not be recorded.
type Receipt struct {
	Conversation string          `json:"conversation,omitempty"`
	Turn         string          `json:"turn,omitempty"`
	Error        *failure.Report `json:"error,omitempty"`
}

// Detach starts command in the background, detached from the terminal, writes document
// to its stdin and returns its receipt. The caller sets the arguments, environment and
// directory of the command. The process inherits no file descriptors except the pipes.
//
// The error is a *JournalError if the question was not recorded, a *FailedError if it
// was recorded and its outcome is unknown, or else the error that the process reported.
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
	closeFilesInChildren()
	if err := command.Start(); err != nil {
		return Receipt{}, fmt.Errorf("cannot start the background process: %w", err)
	}
	go func() {
		_, _ = stdin.Write(document) // the receipt has the error
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
		err = fmt.Errorf("the background process did not save the question within %s", deliveryLimit)
	case <-ctx.Done():
		err = ctx.Err()
	}
	return Receipt{}, endDelivery(command.Process, received, err)
}

// endDelivery ends the background process and returns an error with the state of the
// question.
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
	_ = json.Unmarshal(line, &receipt) // err reports an empty receipt
	return receipt
}

func (r Receipt) err() error {
	switch {
	case r.Error != nil:
		return r.Error.Err()
	case r.Turn == "":
		return &JournalError{Err: errors.New("the background process exited before saving the question")}
	}
	return nil
}

// DetachedEnvironment returns environment without the variables of hobnob, because
// settings and the token are sent through the pipe. It makes paths absolute, because
// the background process runs in another directory.
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
