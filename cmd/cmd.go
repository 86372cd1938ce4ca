// Package cmd is the command line: one file per command, named after it. A
// command turns flags and arguments into a call of an internal package and
// prints what comes back; it holds no rule that another front end would need.
//
// The manners of every command:
//
//   - stdout carries the result and nothing else; notes, spinner, questions and
//     errors go to stderr or the terminal, each line with the prefix "hobnob:".
//   - --json gives one JSON document on stdout, and a failure one on stderr.
//   - Text that came from the service or a file is cleaned before a terminal
//     sees it.
//   - An error says what happened to what; the hint beside it says what to do.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
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
func Main() int {
	streams := terminal.Detect(os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	f := cli.New(streams, os.Getenv)
	ctx, signals := withSignals(context.Background())
	defer signals.stop()
	f.Print.Interrupts = signals.divert
	code := run(ctx, f, os.Args[1:])
	streams.DrainReplies()
	return code
}

func run(ctx context.Context, f *cli.Factory, args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			code = f.Print.Report(&cli.BugError{Type: fmt.Sprintf("%T", p), Stack: debug.Stack()})
		}
	}()
	// A command line that cannot be parsed must be reported in JSON, too.
	f.Global.JSON = asksForJSON(args)
	root := newRootCommand(f)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		eachOf(root, plainUsage)
	}
	root.SetArgs(searchArgs(root, args))
	err := root.ExecuteContext(ctx)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		return 0
	}
	var stopped *cli.SignalError
	var unsaved *chat.NotSavedError
	if cause := context.Cause(ctx); ctx.Err() != nil && errors.As(cause, &stopped) && !errors.As(err, &unsaved) {
		err = &cli.InterruptedError{Signal: stopped, Err: err}
	}
	return f.Print.Report(err)
}

// asksForJSON looks for --json before anything is parsed.
func asksForJSON(args []string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case "--json", "--json=true":
			return true
		}
	}
	return false
}

// newRootCommand returns the whole tree: a command is one file and one line here.
func newRootCommand(f *cli.Factory) *cobra.Command {
	root := newRoot(f)
	root.AddCommand(
		newChatCommand(f),
		newConversationsCommand(f),
		newWaitCommand(f),
		newDeliverCommand(f),
		newResendCommand(f),
		newContextCommand(f),
		newTemplatesCommand(f),
		newUsageCommand(f),
		newAgentsCommand(f),
		newLoginCommand(f),
		newLogoutCommand(f),
		newStatusCommand(f),
		newConfigCommand(f),
		newServeCommand(f),
		newDoctorCommand(f),
		newVersionCommand(f),
		newCompletionCommand(f),
		newManCommand(f),
		newReferenceCommand(),
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

// eachOf calls fn for a command and for all below it.
func eachOf(cmd *cobra.Command, fn func(*cobra.Command)) {
	fn(cmd)
	for _, child := range cmd.Commands() {
		eachOf(child, fn)
	}
}

// signals are the signals of the process: SIGINT, SIGTERM and SIGHUP.
type signals struct {
	caught   chan os.Signal
	done     chan struct{}
	cancel   context.CancelCauseFunc
	diverted atomic.Pointer[chan os.Signal]
}

// withSignals ends the context at the first signal. The second one ends the
// process at once, as if nobody had caught it.
func withSignals(parent context.Context) (context.Context, *signals) {
	ctx, cancel := context.WithCancelCause(parent)
	s := &signals{caught: make(chan os.Signal, 1), done: make(chan struct{}), cancel: cancel}
	signal.Notify(s.caught, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup wants it ignored
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
			if to := s.diverted.Load(); to != nil && got == os.Interrupt {
				select {
				case *to <- got:
				default: // the one before is not looked at yet
				}
				continue
			}
			signal.Stop(s.caught)
			s.cancel(&cli.SignalError{Signal: got})
			return
		}
	}
}

// divert sends each SIGINT to a channel of its own, in place of ending the
// context, until restore is called.
func (s *signals) divert() (interrupts <-chan os.Signal, restore func()) {
	to := make(chan os.Signal, 1)
	before := s.diverted.Swap(&to)
	return to, func() { s.diverted.Store(before) }
}

func (s *signals) stop() {
	signal.Stop(s.caught)
	close(s.done)
	s.cancel(nil)
}
