package cmd

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/secrets"
	"github.com/hobnob-cli/hobnob/internal/view"
)

type replayOptions struct {
	f *cli.Factory

	Ref          string
	Agent        string
	Into         string
	Limit        int
	AllowSecrets bool
	NoSave       bool

	Instructions *string // nil for those of the agent
}

// maxReplayed is the default of --limit.
const maxReplayed = 100

func newReplayCommand(f *cli.Factory) *cobra.Command {
	opts := replayOptions{f: f}
	var loadInstructions func() (*string, error)
	cmd := &cobra.Command{
		Use:         "replay CONVERSATION",
		Annotations: map[string]string{exitCodes: questionExits},
		Short:       "Ask another agent the questions of a conversation",
		Long: `Ask another agent the questions of a conversation, and show how its replies
differ. The questions from the first to the head are asked in order, in a new
conversation with the new replies as context. The old conversation does not
change. --profile selects the profile of the new agent. The instructions are
those of the new agent, unless the old conversation was given its own.

The result is the difference of each pair of replies, as lines that begin with
"-" for the old reply and "+" for the new one, and the number of replies that
are the same. replay stops at the first question without an answer, because the
next ones would have another context; --into continues from there.

The flag --replay is for tests of scripts: see hobnob help scripting.`,
		Example: `  hobnob replay 3f2a --agent reviewer
  hobnob replay 3f2a -p work
  hobnob replay 3f2a -a reviewer --json | jq '.turns[] | select(.same | not)'
  hobnob replay 3f2a --into 8c1d`,
		GroupID:           groupAsk,
		ValidArgsFunction: complete{f}.first(complete{f}.conversations),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Ref = args[0]
			if err := checkEmpty(cmd, "agent", "into"); err != nil {
				return err
			}
			if err := opts.validate(); err != nil {
				return err
			}
			var err error
			if opts.Instructions, err = loadInstructions(); err != nil {
				return err
			}
			return runReplay(cmd.Context(), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&opts.Agent, "agent", "a", "", "ask this agent: an alias `name` or a UUID")
	flags.StringVar(&opts.Into, "into", "", "continue an earlier replay, the conversation with this `id`")
	flags.IntVar(&opts.Limit, "limit", maxReplayed, "ask at most this `number` of questions, from the first")
	flags.BoolVar(&opts.AllowSecrets, "allow-secrets", false, "send the questions even if they seem to contain a secret")
	flags.BoolVar(&opts.NoSave, "no-save", false, "save nothing on this machine")
	loadInstructions = addInstructionFlags(cmd, f, "standing instructions of the new conversation")
	flags.Int("retries", 2, "number of retries of a request that the service did not accept, up to 10")
	_ = cmd.RegisterFlagCompletionFunc("agent", complete{f}.agents)
	_ = cmd.RegisterFlagCompletionFunc("into", complete{f}.conversations)
	return cmd
}

func (o replayOptions) validate() error {
	switch {
	case o.Limit < 1:
		return failure.Usagef("see: hobnob replay --help", "invalid value \"%d\" for --limit: must be at least 1", o.Limit)
	case o.Into != "" && o.NoSave:
		return failure.Usagef("see: hobnob replay --help", "--into and --no-save cannot be used together")
	case o.Agent == "" && o.Into == "" && o.f.SelectedProfile() == "":
		return failure.WithHint(failure.Usagef("", "--agent is missing"), "to list the agents: %s", failure.Run("hobnob agents list"))
	}
	return nil
}

func runReplay(ctx context.Context, opts replayOptions) error {
	f := opts.f
	profile, err := f.ProjectProfile()
	if err != nil {
		return err
	}
	store, err := f.ReadHistory(ctx)
	if err != nil {
		return err
	}
	old, err := cli.FindConversation(ctx, f, store, opts.Ref)
	if err != nil {
		return err
	}
	setup := ask.Setup{Selection: chat.Selection{Conversation: opts.Into}, Agent: opts.Agent, Instructions: opts.Instructions, Save: profile.Save && !opts.NoSave}
	if own, err := store.Instructions(ctx, old.ID); err != nil {
		return err
	} else if own.Source == history.OwnInstructions && setup.Instructions == nil && setup.IsNew() {
		setup.Instructions = &own.Text
	}
	asker, question, err := ask.Prepare(ctx, f, profile, setup)
	if err != nil {
		return err
	}
	before, after, err := ask.Comparison(ctx, store, old, question.Conversation)
	if err != nil {
		return err
	}
	if omitted := len(before) - max(opts.Limit, len(after)); omitted > 0 {
		f.Print.Note("%s not asked, because of --limit %d", plural.Count(omitted, "question"), opts.Limit)
		before = before[:len(before)-omitted]
	}
	name := agentName(asker, cmp.Or(opts.Agent, question.AgentID))
	if question.Conversation == nil {
		question.Title = fmt.Sprintf("%s (%s)", old.Title, name)
	}
	guard := secrets.NewGuard(f, profile, opts.AllowSecrets)
	if i := question.Instructions; i != nil {
		if err := guard.Check(ctx, secrets.Source{Name: secrets.Instructions, Text: i.Text}); err != nil {
			return err
		}
	}
	if old.Profile != profile.Name { // otherwise its service has the questions
		var questions []secrets.Source
		for i, turn := range before[len(after):] {
			questions = append(questions, secrets.Source{Name: fmt.Sprintf("question %d", len(after)+i+1), Text: turn.Question})
		}
		if err := guard.CheckAll(ctx, questions...); err != nil {
			return err
		}
	}
	if left := len(before) - len(after); left > 0 {
		f.Print.Note("asking %s %s", name, plural.Count(left, "question"))
	}
	result := view.Replay{Version: 1, Source: old.ID, Profile: profile.Name, AgentID: cli.OrNull(question.AgentID), Questions: len(before), Turns: []view.ReplayedTurn{}}
	for i, turn := range after {
		result.Conversation = &turn.Conversation
		if err := result.Add(f.Print, before[i], turn.Reply, turn.ID); err != nil {
			return err
		}
	}
	err = asker.Replay(ctx, question, before[len(after):], func(turn history.Turn, answer chat.Answer) error {
		id := ""
		if setup.Save {
			id, result.Conversation = answer.Turn, &answer.Conversation
		}
		return result.Add(f.Print, turn, answer.Reply.Text, id)
	})
	return opts.finish(result, old, err)
}

// finish prints the summary and where the new conversation is, and returns err.
func (o replayOptions) finish(result view.Replay, old history.Conversation, err error) error {
	f := o.f
	if asked := failure.Of(err).Conversation; asked != "" {
		result.Conversation = &asked
	}
	if ended := result.End(f.Print); err == nil {
		err = ended
	}
	switch {
	case err != nil && result.Conversation != nil:
		f.Print.Note("%d of %s answered; to go on: %s", result.Answered, plural.Count(result.Questions, "question"),
			failure.Run("hobnob replay %s --into %s", history.Short(old.ID), history.Short(*result.Conversation)))
	case result.Conversation != nil:
		f.Print.Note("saved as conversation %s", history.Short(*result.Conversation))
	}
	return err
}

// agentName returns the name of the agent that is asked, for notes and titles.
func agentName(asker ask.Asker, id string) string {
	if id == "" {
		return "the default agent of profile " + asker.Profile.Name
	}
	return asker.Profile.AgentName(id)
}
