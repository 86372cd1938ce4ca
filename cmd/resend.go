package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
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
		Use:   "resend [CONVERSATION]",
		Short: "Ask the questions again that got no answer",
		Long: `List the questions of the profile, or of one conversation, that got no answer, and
ask them again after asking you: one that failed was certainly not accepted, one
that is unknown may have been, and its agent may answer twice.

A question keeps its turn and its place in the tree. Its answer becomes the head
of the conversation only if the conversation has not gone on since. Without a
terminal it wants --yes. With --json there is one line for each answer.`,
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
	cmd.Flags().BoolVarP(&opts.Yes, "yes", "y", false, "do not ask")
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
		return f.Print.Done("every question has its answer")
	}
	unknown := 0
	for _, t := range turns {
		risk := "was not accepted"
		if t.State == history.Unknown {
			unknown++
			risk = "may have been accepted"
		}
		if !f.Global.JSON {
			if err := f.Print.Printf("%s  %s  %s  %s\n", history.Short(t.Conversation), history.Short(t.ID), risk, terminal.CleanLine(history.TitleOf(t.Question))); err != nil {
				return err
			}
		}
	}
	if opts.DryRun {
		return nil
	}
	if !opts.Yes {
		question := fmt.Sprintf("Ask %s again?", cli.Counted(len(turns), "question"))
		if unknown > 0 {
			question = fmt.Sprintf("Ask %s again, %d of which may have been accepted already?", cli.Counted(len(turns), "question"), unknown)
		}
		yes, err := f.Print.Confirm(ctx, question, failure.Usagef("look first with --dry-run, then add --yes",
			"there is nobody to ask whether %s may be sent again", cli.Counted(len(turns), "question")))
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

// unanswered lists the questions of the profile or of one conversation in it.
func (o resendOptions) unanswered(ctx context.Context, profile string) ([]history.Turn, error) {
	store, err := o.f.ReadHistory(ctx)
	if err != nil {
		return nil, err
	}
	if o.Ref == "" {
		return store.Unanswered(ctx, profile, "")
	}
	c, err := o.f.Conversation(ctx, store, o.Ref)
	if err != nil {
		return nil, err
	}
	if c.Profile != profile {
		return nil, failure.Usagef("add -p "+c.Profile, "conversation %s belongs to the profile %q, not to %q", history.Short(c.ID), c.Profile, profile)
	}
	return store.Unanswered(ctx, profile, c.ID)
}
