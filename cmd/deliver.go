package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// deliverName is the command that `chat --detach` starts.
const deliverName = "deliver"

// delivery is a question with all that is needed to ask it.
type delivery struct {
	Program string         `json:"program"` // the version that wrote it
	Profile config.Profile `json:"profile"`
	Token   string         `json:"token"`

	Text         string      `json:"text"`
	AgentID      string      `json:"agent_id"`
	Conversation string      `json:"conversation"` // empty opens a new one
	Parent       *string     `json:"parent"`
	Title        string      `json:"title"`
	Context      chat.Limits `json:"context"`
}

func newDelivery(profile config.Profile, question chat.Question) delivery {
	d := delivery{
		Program: version(), Profile: profile,
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
func newDeliverCommand(f *Factory) *cobra.Command {
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

func runDeliver(ctx context.Context, f *Factory) error {
	// The terminal that closes, and who started this and has gone, are no reason to end.
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	say := func(line delivered) {
		_ = writeJSON(f.IO.Out, line, false)
		if stdout, ok := f.IO.Out.(io.Closer); ok {
			_ = stdout.Close()
		}
		f.IO.Out = io.Discard
	}
	kept := false
	err := f.deliver(ctx, func(turn history.Turn) {
		kept = true
		say(delivered{Conversation: turn.Conversation, Turn: turn.ID})
	})
	if err != nil && !kept {
		told := explain(err)
		say(delivered{Error: &told})
	}
	return err
}

func startedByHand() error {
	return usagef("use: hobnob chat --detach", "this command is started by hobnob itself")
}

func (f *Factory) deliver(ctx context.Context, journalled func(history.Turn)) error {
	var d delivery
	document, err := io.ReadAll(f.IO.In)
	if err == nil && len(document) == 0 {
		return startedByHand()
	}
	if err == nil {
		err = json.Unmarshal(document, &d)
	}
	if err == nil && d.Program != version() {
		err = errors.New("hobnob was replaced by another version just now; ask again")
	}
	if err != nil {
		return fmt.Errorf("the background process does not understand the question: %w", err)
	}
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
		client, err = f.clientWithToken(d.Profile, d.Token)
	}
	if err != nil {
		return err
	}
	asker := chat.Asker{Client: client, History: store, Profile: d.Profile.Name, Lifetime: lifetime(d.Profile), Journalled: journalled}
	answer, err := asker.Ask(ctx, question)
	if err != nil || answer.SaveErr == nil {
		return err
	}
	return saveLater(ctx, asker, &answer)
}

const (
	// Nobody sees an answer that cannot be kept, so that it is tried for longer
	// than in front of a terminal.
	saveAttempts = 60
	savePace     = 5 * time.Second
)

// saveLater tries to keep an answer whose SaveErr is set.
func saveLater(ctx context.Context, asker chat.Asker, answer *chat.Answer) error {
	pace := time.NewTicker(savePace)
	defer pace.Stop()
	for range saveAttempts {
		select {
		case <-ctx.Done():
			return answer.SaveErr
		case <-pace.C:
		}
		if asker.Save(ctx, answer) == nil {
			return nil
		}
	}
	return answer.SaveErr
}
