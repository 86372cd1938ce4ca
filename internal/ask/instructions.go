package ask

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// InstructionsFor returns the instructions of a new conversation: own, those from the
// command line, unless they are nil, otherwise those of the agent, which is an alias, a
// UUID, or empty for the one of the profile, or those of the profile.
func InstructionsFor(profile config.Profile, agent string, own *string) history.Instructions {
	if own != nil {
		return OwnInstructions(*own)
	}
	text, source := profile.InstructionsFor(cmp.Or(agent, profile.Agent))
	return history.Instructions{Text: text, Source: history.InstructionsSource(source.Kind), Name: source.Name}
}

// OwnInstructions returns the instructions that the user gave a conversation.
func OwnInstructions(text string) history.Instructions {
	return history.Instructions{Text: text, Source: history.OwnInstructions}
}

// instructions returns the instructions of a new conversation, or the new ones of an
// existing conversation, or nil if they do not change. It prints a note if those of its
// agent have changed.
func (s Setup) instructions(ctx context.Context, f *cli.Factory, store *history.Store, profile config.Profile, q chat.Question) (*history.Instructions, error) {
	switch {
	case s.Instructions != nil || q.Conversation == nil:
		return new(InstructionsFor(profile, s.Agent, s.Instructions)), nil
	}
	now, change, err := ChangedInstructions(ctx, store, profile, *q.Conversation, cmp.Or(s.Agent, q.AgentID))
	switch {
	case err != nil:
		return nil, err
	case s.UpdateInstructions:
		return &now, nil
	case change != "":
		f.Print.Note("%s; to change that: %s", change, failure.Run("hobnob chat -C %s --update-instructions", history.Short(q.Conversation.ID)))
	}
	return nil, nil
}

// ChangedInstructions returns the instructions that a new conversation with the agent of
// a conversation would have. If the conversation has others, change describes that, as a
// clause without a full stop. Instructions that the user gave the conversation do not
// count as changed, nor do those of a project in a directory outside of it.
func ChangedInstructions(ctx context.Context, store *history.Store, profile config.Profile, c history.Conversation, agent string) (now history.Instructions, change string, err error) {
	before, err := store.Instructions(ctx, c.ID)
	if err != nil {
		return now, "", err
	}
	// Several aliases may have the same UUID: prefer the one with which the conversation
	// probably began.
	aliases := []string{profile.Agent}
	if before.Source == history.AgentInstructions {
		aliases = []string{before.Name, profile.Agent}
	} else {
		for _, alias := range profile.AgentNames() {
			if profile.AgentInstructions[alias] == "" {
				aliases = append(aliases, alias)
			}
		}
	}
	for _, alias := range aliases {
		if strings.EqualFold(profile.Agents[strings.ToLower(alias)], agent) {
			agent = alias
			break
		}
	}
	now = InstructionsFor(profile, agent, nil)
	switch {
	case before.Source == history.OwnInstructions || now.Text == before.Text:
	case before.Source == history.ProjectInstructions && now.Source != before.Source: // another directory
	case before.Text == "":
		change = fmt.Sprintf("%s has instructions, but this conversation began without them", now.Owner())
	case now.Text == "":
		change = fmt.Sprintf("this conversation has the instructions of %s, which has none now", before.Owner())
	case now.Source != before.Source || now.Name != before.Name:
		change = fmt.Sprintf("this conversation has the instructions of %s, not those of %s", before.Owner(), now.Owner())
	default:
		change = fmt.Sprintf("the instructions of %s have changed, but this conversation uses the earlier ones", now.Owner())
	}
	return now, change, nil
}
