package cmd

import (
	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// mostCandidates bounds how many conversations or turns a shell is offered.
const mostCandidates = 50

func (f *Factory) completeConversations(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	return f.conversationCandidates(cmd, word, history.Filter{})
}

// completeDeleted completes conversations in the trash.
func (f *Factory) completeDeleted(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
	return f.conversationCandidates(cmd, word, history.Filter{Deleted: true})
}

func (f *Factory) conversationCandidates(cmd *cobra.Command, word string, filter history.Filter) ([]string, cobra.ShellCompDirective) {
	f.quietly(cmd)
	profile, err := f.Profile()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	store, err := f.ReadHistory(cmd.Context())
	if err != nil || store == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	filter.Profile, filter.Limit = profile.Name, mostCandidates
	found, err := store.ConversationsBeginning(cmd.Context(), filter, word)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	described := make([]pair, len(found))
	for i, c := range found {
		described[i] = pair{c.ID, c.Title}
	}
	return idCandidates(described, word)
}

// completeTurns completes turns of the conversation that ref finds on the command
// line, else of the latest; only answered ones if the command can use no others.
func (f *Factory) completeTurns(ref func(cmd *cobra.Command, args []string) string, answered bool) completer {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		f.quietly(cmd)
		store, err := f.ReadHistory(cmd.Context())
		if err != nil || store == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		conversation, err := f.conversation(cmd.Context(), store, ref(cmd, args))
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		turns, err := store.TurnsBeginning(cmd.Context(), conversation.ID, word, mostCandidates)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var described []pair
		for _, t := range turns {
			if t.State == history.Answered || !answered {
				described = append(described, pair{t.ID, history.TitleOf(t.Question)})
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
func (f *Factory) conversationFlag(cmd *cobra.Command, _ []string) string {
	if named := cmd.Flag("conversation").Value.String(); named != "" || cmd.Flags().Changed("continue") {
		return named
	}
	return f.Env("HOBNOB_CONVERSATION")
}

// completeSwitch completes a conversation, and then an answered turn of it.
func (f *Factory) completeSwitch(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return f.completeConversations(cmd, args, word)
	case 1:
		return f.completeTurns(firstArgument, true)(cmd, args, word)
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
}

// idCandidates offers ids with a description each: a title or a question is hostile
// text, and cobra's bash script evaluates the words that it completes, so that they
// are descriptions only. An id that a damaged or foreign file made up is hostile text
// too. An id is offered whole where two short ones are the same, or bash would insert
// what the two candidates have in common, a part of their descriptions, and where
// more than the short one is typed already.
func idCandidates(described []pair, typed string) ([]string, cobra.ShellCompDirective) {
	short := map[string]int{}
	for _, d := range described {
		short[history.Short(d.name)]++
	}
	var out []string
	for _, d := range described {
		word := history.Short(d.name)
		if short[word] > 1 || len(typed) > len(word) {
			word = d.name
		}
		if id, err := uuid.Parse(d.name); err == nil && id.String() == d.name {
			out = append(out, candidate(word, d.value))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
