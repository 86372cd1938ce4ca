// Package cmd is the command line of hobnob, with one file per command. A command
// parses its flags and arguments, calls an internal package and prints the result.
// Logic that another front end would need belongs in internal.
//
// All commands follow these rules:
//
//   - stdout carries the result and nothing else; notes, the spinner, questions and
//     errors go to stderr or the terminal, each line with the prefix "hobnob:".
//   - --json prints one JSON document to stdout, or to stderr on failure.
//   - Text from the service or a file is cleaned before it reaches a terminal.
//   - An error states what failed and why; its hint states what to do.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Main runs hobnob with the arguments and streams of the process and returns
// its exit code.
func Main() int { return runProcess(func(*terminal.Streams) {}) }

// runProcess is Main with streams that change may replace.
func runProcess(change func(*terminal.Streams)) int {
	getenv := withholdTokens()
	streams := terminal.Detect(os.Stdin, os.Stdout, os.Stderr, getenv)
	change(streams)
	f := cli.New(streams, getenv)
	ctx, signals := withSignals(context.Background())
	defer signals.stop()
	f.Print.Interrupts = signals.divert
	code := run(ctx, f, os.Args[1:])
	streams.DrainResponses()
	return code
}

// withholdTokens removes the variables with tokens from the environment of the
// process, so that no child process inherits them. It returns a function that reads
// the original environment.
func withholdTokens() (getenv func(string) string) {
	tokens := map[string]string{}
	for _, name := range []string{"HOBNOB_TOKEN", "HOBNOB_SERVE_TOKEN"} {
		tokens[name] = os.Getenv(name)
		_ = os.Unsetenv(name) // fails only for an invalid name
	}
	return func(name string) string {
		if token, ok := tokens[name]; ok {
			return token
		}
		return os.Getenv(name)
	}
}

func run(ctx context.Context, f *cli.Factory, args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			code = f.Print.Report(&cli.BugError{Type: fmt.Sprintf("%T", p), Stack: debug.Stack()})
		}
	}()
	// With --json or --jq, a command line that cannot be parsed is reported in JSON as well.
	f.Global.JSON, f.Args = asksForJSON(args), args
	root := newRootCommand(f)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		eachOf(root, plainUsage)
	}
	root.SetArgs(searchArgs(root, pickArgs(root, args)))
	help := helpOutput{out: f.IO.Out}
	root.SetOut(&help)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = cli.OutputError(help.err)
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		return 0
	}
	return f.Print.Report(interrupted(ctx, err))
}

// interrupted returns err as the effect of the signal that cancelled ctx, if one did. A
// reply that could not be saved, and a command that handled an earlier signal, have an
// error that contains more.
func interrupted(ctx context.Context, err error) error {
	var stopped *cli.SignalError
	if !errors.As(context.Cause(ctx), &stopped) || errors.As(err, new(*chat.NotSavedError)) || errors.As(err, new(*cli.InterruptedError)) {
		return err
	}
	return &cli.InterruptedError{Signal: stopped, Err: err}
}

// asksForJSON reports whether args contain --json or --jq. It works before they are
// parsed.
func asksForJSON(args []string) bool {
	for _, arg := range args {
		switch {
		case arg == "--":
			return false
		case arg == "--json", arg == "--json=true", arg == "--jq", strings.HasPrefix(arg, "--jq="):
			return true
		}
	}
	return false
}

// newRootCommand returns hobnob with all its commands.
func newRootCommand(f *cli.Factory) *cobra.Command {
	root := newRoot(f)
	root.AddCommand(
		newChatCommand(f),
		newConversationsCommand(f),
		newWaitCommand(f),
		newDeliverCommand(f),
		newResendCommand(f),
		newBatchCommand(f),
		newReplayCommand(f),
		pickable(f, newContextCommand(f), false),
		newTemplatesCommand(f),
		newUsageCommand(f),
		newAgentsCommand(f),
		newProfilesCommand(f),
		newLoginCommand(f),
		newLogoutCommand(f),
		newStatusCommand(f),
		newTrustCommand(f),
		newConfigCommand(f),
		newServeCommand(f),
		newDoctorCommand(f),
		newVersionCommand(f),
		newCompletionCommand(f),
		newManCommand(f),
		newReferenceCommand(),
		newScriptingTopic(),
		newEnvironmentTopic(),
		newExitCodesTopic(),
		newFormattingTopic(),
	)
	eachOf(root, func(cmd *cobra.Command) {
		if cmd.Args == nil {
			cmd.Args = argsOfUse
		}
		noFiles(cmd)
	})
	return root
}

// eachOf calls fn for a command and all its descendants.
func eachOf(cmd *cobra.Command, fn func(*cobra.Command)) {
	fn(cmd)
	for _, child := range cmd.Commands() {
		eachOf(child, fn)
	}
}

// signals handles SIGINT, SIGTERM and SIGHUP of the process.
type signals struct {
	caught   chan os.Signal
	done     chan struct{}
	cancel   context.CancelCauseFunc
	diverted atomic.Pointer[diversion]
}

// diversion is where signals go instead of cancelling the context.
type diversion struct {
	signals []os.Signal
	to      chan os.Signal
}

// withSignals returns a context that the first signal cancels. The second signal
// has its default effect and terminates the process.
func withSignals(parent context.Context) (context.Context, *signals) {
	ctx, cancel := context.WithCancelCause(parent)
	s := &signals{caught: make(chan os.Signal, 1), done: make(chan struct{}), cancel: cancel}
	signal.Notify(s.caught, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(s.caught, syscall.SIGHUP)
	}
	go s.watch()
	return ctx, s
}

func (s *signals) watch() {
	for {
		select {
		case <-s.done:
			return
		case got := <-s.caught:
			if d := s.diverted.Load(); d != nil && slices.Contains(d.signals, got) {
				select {
				case d.to <- got:
				default: // the previous one has not been received yet
				}
				continue
			}
			signal.Stop(s.caught)
			s.cancel(&cli.SignalError{Signal: got})
			return
		}
	}
}

// divert sends these signals to interrupts instead of cancelling the context, until
// restore is called.
func (s *signals) divert(signals ...os.Signal) (interrupts <-chan os.Signal, restore func()) {
	d := &diversion{signals, make(chan os.Signal, 1)}
	before := s.diverted.Swap(d)
	return d.to, func() { s.diverted.Store(before) }
}

func (s *signals) stop() {
	signal.Stop(s.caught)
	close(s.done)
	s.cancel(nil)
}
