package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

type waitOptions struct {
	f *cli.Factory

	Turn    string
	Raw     bool
	Timeout time.Duration // 0 for no limit
}

func newWaitCommand(f *cli.Factory) *cobra.Command {
	opts := waitOptions{f: f}
	cmd := &cobra.Command{
		Use:         "wait [TURN]",
		Annotations: map[string]string{exitCodes: requestExits},
		Short:       "Wait for the answer to a pending question",
		Long: `Print the answer to a question as soon as it arrives, as chat does. The question
was asked with chat --detach or in another terminal. Without TURN, it is the
latest pending question of the profile or, if none is pending, the latest
question.

If the question is answered already, wait prints the answer at once. If it got
no answer, wait prints the error. Ctrl-C and --timeout stop only the wait; the
question stays pending.`,
		Example: `  hobnob wait
  turn=$(hobnob chat -q --detach "summarise the log" -f app.log)
  hobnob wait "$turn" > summary.md`,
		GroupID:           groupAsk,
		ValidArgsFunction: complete{f}.first(complete{f}.pending),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.Turn = args[0]
			}
			if cmd.Flags().Changed("timeout") {
				setting, _ := config.Lookup("timeout")
				value, err := setting.Parse(f.Global.Timeout)
				if err != nil {
					return failure.Usagef("see: hobnob wait --help", "--timeout: %v", err)
				}
				opts.Timeout, _ = value.(time.Duration)
			}
			return runWait(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVarP(&opts.Raw, "raw", "r", false, "do not render the reply")
	return cmd
}

func runWait(ctx context.Context, opts waitOptions) error {
	f := opts.f
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	turn, err := opts.find(ctx, store)
	if err != nil {
		return err
	}
	conversation, err := store.FindAny(ctx, turn.Conversation)
	if err != nil {
		return err
	}
	profile, err := f.ProfileOf(conversation.Profile)
	if err != nil {
		return err
	}
	asker := ask.New(f, profile, store, ask.Options{Raw: opts.Raw, Paged: true})
	if turn.State == history.Pending {
		stop := asker.Wait(ctx, "waiting for", turn.Asked, turn.AgentID)
		turn, err = chat.Wait(ctx, store, turn, opts.Timeout)
		stop(errors.Join(err, opts.noAnswer(turn, profile)))
	}
	if err == nil {
		err = opts.noAnswer(turn, profile)
	}
	if err != nil {
		return err
	}
	answer, err := chat.Recorded(ctx, store, turn)
	if err != nil {
		return err
	}
	return asker.Finish(turn.AgentID, answer)
}

// find returns the turn that the user named, otherwise the latest one of the profile.
func (o waitOptions) find(ctx context.Context, store *history.Store) (history.Turn, error) {
	if o.Turn != "" {
		return store.FindTurn(ctx, "", o.Turn)
	}
	profile, err := o.f.Profile()
	if err != nil {
		return history.Turn{}, err
	}
	turn, err := chat.Latest(ctx, store, profile.Name)
	if err == nil && turn.State != history.Pending {
		o.f.Print.Note("no pending question; this is the latest, asked %s: %s", duration.Ago(turn.Asked, time.Now()), history.TitleOf(turn.Question))
	}
	return turn, err
}

// noAnswer returns the error for a turn without an answer, or nil. The hint names the
// profile of the turn only if it is not the selected one.
func (o waitOptions) noAnswer(turn history.Turn, profile config.Profile) error {
	name := profile.Name
	if active, err := o.f.Profile(); err == nil && active.Name == name {
		name = ""
	}
	renew := failure.Hint{}
	if resolver, _, err := o.f.Tokens(profile); err == nil && resolver.Given() != "" {
		renew = resolver.Given().Renew()
	}
	return chat.NoAnswer(turn, name, renew)
}
