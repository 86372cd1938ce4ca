package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// deliverName is the command that `chat --detach` starts.
const deliverName = "deliver"

// delivery is a question with all that is needed to ask it.
type delivery struct {
	Program  string         `json:"program"` // the version that wrote it
	Profile  config.Profile `json:"profile"`
	Selected string         `json:"selected"` // the profile that hints have to name
	Token    string         `json:"token"`

	Text         string      `json:"text"`
	AgentID      string      `json:"agent_id"`
	Conversation string      `json:"conversation"` // empty opens a new one
	Parent       *string     `json:"parent"`
	Title        string      `json:"title"`
	Context      chat.Limits `json:"context"`
}

func newDelivery(profile config.Profile, question chat.Question) delivery {
	d := delivery{
		Program: cli.Version(), Profile: profile,
		Text: question.Text, AgentID: question.AgentID, Parent: question.Parent, Title: question.Title, Context: question.Context,
	}
	d.Profile.TokenCommand = nil // the token is there already
	if question.Conversation != nil {
		d.Conversation = question.Conversation.ID
	}
	return d
}

// newDeliverCommand asks one question in the background. It reads a delivery from
// stdin and writes one line of JSON to stdout when the question is kept, or when
// it cannot be.
func newDeliverCommand(f *cli.Factory) *cobra.Command {
	return &cobra.Command{
		Use:    deliverName,
		Short:  "Ask a question in the background, for chat --detach",
		Hidden: true,
		Args:   exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.IO.InTTY {
				return startedByHand()
			}
			return runDeliver(cmd.Context(), f)
		},
	}
}

func runDeliver(ctx context.Context, f *cli.Factory) error {
	// The terminal that closes, and the process that started this and has ended,
	// are no reason to end.
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	send := func(receipt chat.Receipt) {
		_ = cli.WriteJSON(f.IO.Out, receipt, false)
		if stdout, ok := f.IO.Out.(io.Closer); ok {
			_ = stdout.Close()
		}
		f.IO.Out = io.Discard
	}
	recorded := false
	d, err := readDelivery(f)
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

func startedByHand() error {
	return failure.Usagef("use: hobnob chat --detach", "this command is started by hobnob itself")
}

func readDelivery(f *cli.Factory) (d delivery, err error) {
	document, err := io.ReadAll(f.IO.In)
	if err == nil && len(document) == 0 {
		return d, startedByHand()
	}
	if err == nil {
		err = json.Unmarshal(document, &d)
	}
	if err == nil && d.Program != cli.Version() {
		err = errors.New("hobnob was replaced by another version just now; ask again")
	}
	if err != nil {
		err = fmt.Errorf("the background process does not understand the question: %w", err)
	}
	return d, err
}

func deliver(ctx context.Context, f *cli.Factory, d delivery, journalled func(history.Turn)) error {
	store, err := f.History(ctx)
	if err != nil {
		return &chat.JournalError{Err: err}
	}
	question := chat.Question{Text: d.Text, AgentID: d.AgentID, Parent: d.Parent, Title: d.Title, Context: d.Context}
	if d.Conversation != "" {
		conversation, err := store.Find(ctx, d.Conversation)
		if err != nil {
			return err
		}
		question.Conversation = &conversation
	}
	var client *api.Client
	if d.Profile.Embedded() {
		client, err = f.Client(ctx, d.Profile, false)
	} else {
		client, err = f.ClientWithToken(d.Profile, d.Token)
	}
	if err != nil {
		return err
	}
	asker := chat.Asker{Client: client, History: store, Profile: d.Profile.Name, Lifetime: chat.Lifetime(d.Profile.Timeout, d.Profile.Retries), Journalled: journalled}
	answer, err := asker.Ask(ctx, question)
	if err != nil || answer.SaveErr == nil {
		return err
	}
	return asker.SaveLater(ctx, &answer)
}
