package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// continued opens the history, for writing when something will be saved, and
// finds the conversation to continue, nil for a new one.
func (o chatOptions) continued(ctx context.Context, profile config.Profile, write bool) (*history.Store, *history.Conversation, branch, error) {
	open := o.f.History
	goesOn := o.Continue || o.Conversation != "" || o.branches() > 0
	if !write {
		if open = o.f.ReadHistory; !goesOn {
			return nil, nil, branch{}, nil
		}
	}
	store, err := open(ctx)
	if err == nil && write {
		err = store.Writable()
	}
	if err != nil && write {
		err = &chat.JournalError{Err: err}
	}
	if err != nil {
		return nil, nil, branch{}, err
	}
	if !goesOn {
		return store, nil, branch{}, nil
	}
	var found history.Conversation
	switch turn := cmp.Or(o.At, o.EditTurn); {
	case turn != "" && o.Conversation == "" && !o.Continue:
		var t history.Turn
		if t, err = store.FindTurn(ctx, "", turn); err == nil {
			found, err = store.Find(ctx, t.Conversation)
		}
	case o.Conversation == "":
		found, err = store.Latest(ctx, profile.Name)
		if errors.As(err, new(*history.NotFoundError)) {
			err = failure.WithHint(err, "%s; ask without -c", failure.Of(err).Hint)
		}
	default:
		found, err = store.Find(ctx, o.Conversation)
	}
	if err != nil {
		return nil, nil, branch{}, err
	}
	if _, chosen := o.f.Settings[config.ProfileKey]; found.Profile != profile.Name && !chosen {
		return nil, nil, branch{}, failure.Usagef(fmt.Sprintf("continue it there with -p %s, or send it here with -p %s", found.Profile, profile.Name), "conversation %s belongs to the profile %q, not to %q", history.Short(found.ID), found.Profile, profile.Name)
	}
	at, err := o.branch(ctx, store, found)
	if err != nil {
		return nil, nil, branch{}, err
	}
	if last, ok, err := store.LastUnanswered(ctx, found); err == nil && ok && o.branches() == 0 {
		o.f.Print.Note("the last question of this conversation has no answer (%s) and is left out: %s", last.State, history.TitleOf(last.Question))
	}
	return store, &found, at, nil
}

// agent is the one named by the flag, else the conversation's own, else the profile's.
func (o chatOptions) agent(profile config.Profile, conversation *history.Conversation) (string, error) {
	if o.Agent == "" && conversation != nil && conversation.Profile == profile.Name && conversation.AgentID != "" {
		return conversation.AgentID, nil
	}
	return profile.AgentID(profile.Agent)
}

func (o chatOptions) limits(profile config.Profile) chat.Limits {
	if o.historyGiven {
		return chat.Limits{None: o.History == 0, Turns: o.History}
	}
	return chat.Limits{Turns: profile.ContextTurns, Tokens: profile.ContextTokens}
}
