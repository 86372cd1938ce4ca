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
	Timeout time.Duration // 0 waits as long as it takes
}

func newWaitCommand(f *cli.Factory) *cobra.Command {
	opts := waitOptions{f: f}
	cmd := &cobra.Command{
		Use:   "wait [TURN]",
		Short: "Wait for the answer to a question that is under way",
		Long: `Print the answer to a question as soon as it comes, just as chat would have: one
that chat --detach asked, or one that waits in another terminal. Without TURN it is
the question of the profile that was asked last and has no answer yet, else the
latest one.

An answer that is there already is printed at once. A question that got none ends
with what is known of it. Ctrl-C ends the waiting, and so does --timeout; the
question goes on.`,
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
		stop := asker.Wait(ctx, "waiting for", turn.AgentID, turn.Asked)
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

// find returns the turn that is named, else the one to wait for in the profile.
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
		o.f.Print.Note("no question is under way; this is the latest, asked %s: %s", duration.Ago(turn.Asked, time.Now()), history.TitleOf(turn.Question))
	}
	return turn, err
}

// noAnswer explains a turn that got no answer. Hints name the profile of the turn
// only if it is not the selected one.
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
