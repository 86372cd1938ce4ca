package cmd

import (
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// mostCandidates bounds how many conversations or turns a shell is offered.
const mostCandidates = 50

func (c complete) conversations(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	return c.conversationsOf(cmd, word, history.Filter{})
}

// completeDeleted completes conversations in the trash.
func (c complete) deleted(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	return c.conversationsOf(cmd, word, history.Filter{Deleted: true})
}

func (c complete) conversationsOf(cmd *cobra.Command, word string, filter history.Filter) ([]string, cobra.ShellCompDirective) {
	quietly(c.f, cmd)
	profile, err := c.f.Profile()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	store, err := c.f.ReadHistory(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	filter.Profile, filter.Limit = profile.Name, mostCandidates
	found, err := store.ConversationsBeginning(cmd.Context(), filter, word)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	described := make([][2]string, len(found))
	for i, c := range found {
		described[i] = [2]string{c.ID, c.Title}
	}
	return idCandidates(described, word)
}

// completeTurns completes turns of the conversation that ref finds on the command
// line, else of the latest; only answered ones if the command can use no others.
func (c complete) turns(ref func(cmd *cobra.Command, args []string) string, answered bool) completer {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		quietly(c.f, cmd)
		store, err := c.f.ReadHistory(cmd.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		conversation, err := c.f.Conversation(cmd.Context(), store, ref(cmd, args))
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		turns, err := store.TurnsBeginning(cmd.Context(), conversation.ID, word, mostCandidates)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var described [][2]string
		for _, t := range turns {
			if t.State == history.Answered || !answered {
				described = append(described, [2]string{t.ID, history.TitleOf(t.Question)})
			}
		}
		return idCandidates(described, word)
	}
}

// firstArgument is the conversation of commands that take one as their argument.
func firstArgument(_ *cobra.Command, args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// conversationFlag is the conversation of chat.
func (c complete) chatConversation(cmd *cobra.Command, _ []string) string {
	if named := cmd.Flag("conversation").Value.String(); named != "" || cmd.Flags().Changed("continue") {
		return named
	}
	return c.f.Env("HOBNOB_CONVERSATION")
}

// completeSwitch completes a conversation, and then an answered turn of it.
func (c complete) conversationThenTurn(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return c.conversations(cmd, args, word)
	case 1:
		return c.turns(firstArgument, true)(cmd, args, word)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// idCandidates offers ids with a description each: a title or a question is hostile
// text, and cobra's bash script evaluates the words that it completes, so that they
// are descriptions only. An id that a damaged or foreign file made up is hostile text
// too. An id is offered whole where two short ones are the same, or bash would insert
// what the two candidates have in common, a part of their descriptions, and where
// more than the short one is typed already.
func idCandidates(described [][2]string, typed string) ([]string, cobra.ShellCompDirective) {
	short := map[string]int{}
	for _, d := range described {
		short[history.Short(d[0])]++
	}
	var out []string
	for _, d := range described {
		word := history.Short(d[0])
		if short[word] > 1 || len(typed) > len(word) {
			word = d[0]
		}
		if id, err := uuid.Parse(d[0]); err == nil && id.String() == d[0] {
			out = append(out, candidate(word, d[1]))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
