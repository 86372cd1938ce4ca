package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// deliverName is the name of the command that chat --detach starts.
const deliverName = "deliver"

// delivery is a question with everything needed to ask it.
type delivery struct {
	Program  string            `json:"program"` // the version of the sender
	Profile  config.Profile    `json:"profile"`
	Selected string            `json:"selected"` // the profile that hints must name
	Token    string            `json:"token"`
	Source   credential.Source `json:"source"` // of the token
	Dir      string            `json:"dir"`    // of token_command
	Env      []string          `json:"env"`    // of token_command
	Record   string            `json:"record"` // absolute paths of --record and --replay
	Replay   string            `json:"replay"`

	Text         string      `json:"text"`
	AgentID      string      `json:"agent_id"`
	Conversation string      `json:"conversation"` // empty for a new one
	Parent       *string     `json:"parent"`
	Title        string      `json:"title"`
	Context      chat.Limits `json:"context"`

	Instructions *history.Instructions `json:"instructions"`
}

func newDelivery(f *cli.Factory, profile config.Profile, question chat.Question) delivery {
	d := delivery{
		Program: cli.Version(), Profile: profile, Selected: f.SelectedProfile(),
		Text: question.Text, AgentID: question.AgentID, Parent: question.Parent, Title: question.Title, Context: question.Context,
		Instructions: question.Instructions,
	}
	d.Profile.Agent = f.DefaultAgent(profile)
	if question.Conversation != nil {
		d.Conversation = question.Conversation.ID
	}
	return d
}

// newDeliverCommand returns the command that asks one question in the background. It
// reads a delivery from stdin, and writes one line of JSON, a chat.Receipt, to stdout
// when the question is saved or cannot be saved.
func newDeliverCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:         deliverName,
		Short:       "Ask a question in the background, for chat --detach",
		Hidden:      true,
		Annotations: map[string]string{printsText: ""},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.IO.InTTY {
				return errInternalCommand()
			}
			return runDeliver(cmd.Context(), f)
		},
	}
}

// detach starts a background process that asks the question, and returns when that
// process has recorded it.
func detach(ctx context.Context, f *cli.Factory, asker ask.Asker, question chat.Question) (recorded bool, err error) {
	if _, _, err := asker.Preview(ctx, question); err != nil { // report an invalid question now
		return false, err
	}
	d := newDelivery(f, asker.Profile, question)
	if d.Record, err = absolute(f.Global.Record); err != nil {
		return false, err
	}
	if d.Replay, err = absolute(f.Global.Replay); err != nil {
		return false, err
	}
	token, err := f.Token(ctx, asker.Profile)
	if err != nil {
		return false, err
	}
	d.Token, d.Source = token.Reveal(), token.Source()
	if len(d.Profile.TokenCommand) > 0 { // the background process may have to run it again
		d.Env = os.Environ()
		d.Dir, _ = os.Getwd() // fails if the directory was removed
	}
	receipt, err := startDelivery(ctx, f, d)
	if err != nil {
		return errors.As(err, new(*chat.FailedError)), err
	}
	if f.Global.JSON {
		err = f.Print.JSON(detachedJSON{Version: 1, Conversation: receipt.Conversation, Turn: receipt.Turn, State: history.Pending})
	} else {
		err = f.Print.Printf("%s\n", receipt.Turn)
	}
	if err != nil {
		return true, failure.WithHint(err, "to see the answer: hobnob wait %s", history.Short(receipt.Turn))
	}
	f.Print.Note("asking in the background; to see the answer: hobnob wait %s", history.Short(receipt.Turn))
	return true, nil
}

// detachedJSON is the output of chat --detach --json.
type detachedJSON struct {
	Version      int           `json:"version"`
	Conversation string        `json:"conversation"`
	Turn         string        `json:"turn"`
	State        history.State `json:"state"`
}

// absolute returns the absolute form of a path, which may be empty.
func absolute(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	return filepath.Abs(path)
}

// startDelivery starts this program again as `hobnob deliver`.
func startDelivery(ctx context.Context, f *cli.Factory, d delivery) (chat.Receipt, error) {
	document, err := json.Marshal(d)
	if err != nil {
		return chat.Receipt{}, err
	}
	paths, err := f.Paths()
	if err != nil {
		return chat.Receipt{}, err
	}
	program, err := os.Executable()
	if err != nil {
		return chat.Receipt{}, fmt.Errorf("cannot find the hobnob executable: %w", err)
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), program)
	command.Args = []string{"hobnob", deliverName}
	command.Env = append(chat.DetachedEnvironment(os.Environ()), "HOBNOB_CONFIG="+paths.ConfigFile, "HOBNOB_DATA_DIR="+paths.DataDir, "HOBNOB_STATE_DIR="+paths.StateDir)
	command.Dir = paths.DataDir // the current directory can then be removed or unmounted
	return chat.Detach(ctx, command, document)
}

func runDeliver(ctx context.Context, f *cli.Factory) error {
	// Continue if the terminal closes or the parent process exits.
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	send := func(receipt chat.Receipt) {
		_ = cli.WriteJSON(f.IO.Out, receipt, false)
		if stdout, ok := f.IO.Out.(io.Closer); ok {
			_ = stdout.Close()
		}
		f.IO.Out = io.Discard
	}
	recorded := false
	d, err := readDelivery(ctx, f)
	if err == nil {
		err = deliver(ctx, f, d, func(turn history.Turn) {
			recorded = true
			send(chat.Receipt{Conversation: turn.Conversation, Turn: turn.ID})
		})
	}
	if err != nil && !recorded {
		report := failure.NewReport(err, d.Selected)
		send(chat.Receipt{Error: &report})
	}
	return err
}

func errInternalCommand() error {
	return failure.Usagef("use: hobnob chat --detach", "deliver is an internal command")
}

func readDelivery(ctx context.Context, f *cli.Factory) (d delivery, err error) {
	document, err := io.ReadAll(input.Reader(ctx, f.IO.In))
	if err == nil && len(document) == 0 {
		return d, errInternalCommand()
	}
	if err == nil {
		err = json.Unmarshal(document, &d)
	}
	if err == nil && d.Program != cli.Version() {
		err = errors.New("hobnob was updated in the meantime; ask again")
	}
	if err != nil {
		err = fmt.Errorf("the background process cannot read the question: %w", err)
	}
	return d, err
}

func deliver(ctx context.Context, f *cli.Factory, d delivery, journalled func(history.Turn)) error {
	f.Global.Record, f.Global.Replay = d.Record, d.Replay
	store, err := f.History(ctx)
	if err != nil {
		return &chat.JournalError{Err: err}
	}
	question := chat.Question{Text: d.Text, AgentID: d.AgentID, Parent: d.Parent, Title: d.Title, Context: d.Context, Instructions: d.Instructions}
	if d.Conversation != "" {
		conversation, err := store.Find(ctx, d.Conversation)
		if err != nil {
			return err
		}
		question.Conversation = &conversation
	}
	f.Passed.Dir, f.Passed.Env = d.Dir, d.Env
	if f.Passed.Token, err = credential.Passed(d.Token, d.Source); err != nil {
		return err
	}
	client, err := f.Client(ctx, d.Profile, false)
	if err != nil {
		return err
	}
	asker := ask.New(f, d.Profile, store, ask.Options{}).With(client).Chat
	asker.Journalled = journalled
	answer, err := asker.Ask(ctx, question)
	if err != nil || answer.SaveErr == nil {
		return err
	}
	return asker.SaveLater(ctx, &answer)
}

// validateDetach returns an error if a flag cannot be used with --detach.
func (o chatOptions) validateDetach() error {
	const see = "see: hobnob chat --help"
	switch {
	case o.Raw || o.Extract != "" || o.Copy || o.Usage:
		return failure.Usagef("omit the flag; hobnob wait prints the answer", "--raw, --extract, --copy and --usage cannot be used with --detach: there is no answer yet")
	case o.Contract != nil:
		return failure.Usagef("omit --detach", "--schema cannot be used with --detach: there is no reply to check yet")
	case o.NoSave:
		return failure.Usagef(see, "--detach and --no-save cannot be used together: the answer would be lost")
	case o.DryRun:
		return failure.Usagef(see, "--detach and --dry-run cannot be used together")
	case o.Interactive || o.startsChat():
		return failure.Usagef(`pass a question: hobnob chat --detach "how do I …?"`, "--detach cannot be used in an interactive chat")
	}
	return nil
}
