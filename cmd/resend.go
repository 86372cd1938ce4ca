package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

type resendOptions struct {
	f *cli.Factory

	Ref    string
	Yes    bool
	DryRun bool
}

func newResendCommand(f *cli.Factory) *cobra.Command {
	opts := resendOptions{f: f}
	cmd := &cobra.Command{
		Use:         "resend [CONVERSATION]",
		Annotations: map[string]string{exitCodes: questionExits},
		Short:       "Retry unanswered questions",
		Long: `List the unanswered questions of the profile, or of one conversation, and ask
them again after confirmation. The service did not accept those that failed. It
may have accepted those with an unknown outcome, and the agent may then answer
twice.

A question keeps its turn and its place in the tree. Its answer becomes the head
of the conversation only if the conversation has not been continued since.
Without a terminal, resend needs --yes. With --json, it prints one line per
answer.`,
		Example: `  hobnob resend --dry-run
  hobnob resend 3f2a --yes`,
		GroupID:           groupAsk,
		ValidArgsFunction: complete{f}.first(complete{f}.conversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.Ref = args[0]
			}
			return runResend(cmd.Context(), opts)
		},
	}
	cmd.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "do not ask for confirmation")
	cmd.Flags().BoolVar(&opts.DryRun, "dry-run", false, "list the questions and send nothing")
	return cmd
}

func runResend(ctx context.Context, opts resendOptions) error {
	f := opts.f
	profile, err := f.Profile()
	if err != nil {
		return err
	}
	turns, err := opts.unanswered(ctx, profile.Name)
	if err != nil {
		return err
	}
	if f.Global.JSON && opts.DryRun {
		return view.TurnsJSON(f.Print, turns)
	}
	if len(turns) == 0 {
		if opts.Ref != "" {
			return f.Print.Done("no unanswered questions in this conversation")
		}
		return f.Print.Done("no unanswered questions in profile %s", profile.Name)
	}
	conversations, ids := make([]string, len(turns)), make([]string, len(turns))
	for i, t := range turns {
		conversations[i], ids[i] = t.Conversation, t.ID
	}
	unknown, conversation, turn := 0, history.Shorts(conversations...), history.Shorts(ids...)
	for _, t := range turns {
		risk := "was not accepted"
		if t.State == history.Unknown {
			unknown++
			risk = "may have been accepted"
		}
		if !f.Global.JSON {
			if err := f.Print.Printf("%s  %s  %s  %s\n", conversation(t.Conversation), turn(t.ID), risk, terminal.CleanLine(history.TitleOf(t.Question))); err != nil {
				return err
			}
		}
	}
	if opts.DryRun {
		return nil
	}
	if !opts.Yes {
		question := fmt.Sprintf("Ask %s again?", plural.Count(len(turns), "question"))
		if unknown > 0 {
			question = fmt.Sprintf("Ask %s again, %d of which may have been accepted already?", plural.Count(len(turns), "question"), unknown)
		}
		yes, err := f.Print.Confirm(ctx, question, failure.Usagef("to see them first, pass --dry-run",
			"resending %s needs confirmation: pass --yes", plural.Count(len(turns), "question")))
		if err != nil || !yes {
			return err
		}
	}
	client, err := f.Client(ctx, profile, false)
	if err != nil {
		return err
	}
	store, err := f.History(ctx)
	if err != nil {
		return err
	}
	return ask.New(f, profile, store, ask.Options{}).With(client).Resend(ctx, turns)
}

// unanswered returns the unanswered turns of the profile, or of one conversation in it.
func (o resendOptions) unanswered(ctx context.Context, profile string) ([]history.Turn, error) {
	store, err := o.f.ReadHistory(ctx)
	if err != nil {
		return nil, err
	}
	if o.Ref == "" {
		return store.Unanswered(ctx, profile, "")
	}
	c, err := cli.FindConversation(ctx, o.f, store, o.Ref)
	if err != nil {
		return nil, err
	}
	if c.Profile != profile {
		return nil, failure.WithHint(failure.Usagef("", "conversation %s belongs to profile %q, not %q", history.Short(c.ID), c.Profile, profile),
			"%s", failure.Run("hobnob resend %s", history.Short(c.ID)).In(c.Profile))
	}
	return store.Unanswered(ctx, profile, c.ID)
}
