package cmd

import (
	"context"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

// inHistory returns the history, which a chat that saves nothing does not have.
func (i *interactive) inHistory() (*history.Store, error) {
	if !i.save {
		return nil, failure.WithHint(failure.Usagef("", "this chat saves nothing and has no history"), "leave --no-save out, or see: %s", failure.Run("hobnob config get history.save"))
	}
	return i.asker.History, nil
}

// current is the conversation as it is now.
func (i *interactive) current(ctx context.Context) (history.Conversation, error) {
	store, err := i.inHistory()
	if err != nil {
		return history.Conversation{}, err
	}
	if i.question.Conversation == nil {
		return history.Conversation{}, noConversation()
	}
	return store.Find(ctx, i.question.Conversation.ID)
}

func (i *interactive) startNew(_ context.Context, title string) error {
	i.question.Conversation, i.question.Parent, i.question.Title = nil, nil, title
	i.reply, i.failed = "", ""
	i.f.Print.Note("the next question begins a new conversation")
	return nil
}

func (i *interactive) open(ctx context.Context, ref string) error {
	store, err := i.inHistory()
	if err != nil {
		return err
	}
	if ref == "" {
		listed, err := chat.List(ctx, store, history.Filter{Profile: i.profile.Name, Limit: 10}, nil, false)
		if err != nil {
			return err
		}
		return view.Conversations(i.f.Print, i.profile, listed)
	}
	found, err := store.Find(ctx, ref)
	if err != nil {
		return err
	}
	if found.Profile != i.profile.Name {
		return failure.Usagef(fmt.Sprintf("continue it there: hobnob chat -p %s -C %s", found.Profile, history.Short(found.ID)), "conversation %s belongs to the profile %q, not to %q", history.Short(found.ID), found.Profile, i.profile.Name)
	}
	i.question.Conversation, i.question.Parent, i.question.Title = &found, nil, ""
	if found.AgentID != "" {
		i.question.AgentID = found.AgentID
	}
	i.reply, i.failed = "", ""
	if found.Head == "" {
		i.f.Print.Note("no question of this conversation has an answer yet")
		return nil
	}
	turn, err := store.FindTurn(ctx, found.ID, found.Head)
	if err != nil {
		return err
	}
	i.reply = turn.Reply
	return view.Conversation(i.f.Print, found, []history.Turn{turn}, i.profile)
}

func (i *interactive) rename(ctx context.Context, title string) error {
	if _, err := i.inHistory(); err != nil {
		return err
	}
	if i.question.Conversation == nil {
		i.question.Title = title
		i.f.Print.Note("the next question begins a conversation called %q", title)
		return nil
	}
	c, err := i.current(ctx)
	if err != nil {
		return err
	}
	if err := i.asker.History.Rename(ctx, c.ID, title); err != nil {
		return err
	}
	i.f.Print.Note("%s is now called %q", history.Short(c.ID), title)
	c.Title = title
	i.question.Conversation = &c
	return nil
}

func (i *interactive) switchAgent(_ context.Context, name string) error {
	if name == "" {
		var rows [][]string
		for _, alias := range i.profile.AgentNames() {
			mark := ""
			if i.profile.Agents[alias] == i.question.AgentID {
				mark = "asked now"
			}
			rows = append(rows, []string{alias, i.profile.Agents[alias], mark})
		}
		if len(rows) == 0 {
			i.f.Print.Note("the profile %q names no agents; %s does", i.profile.Name, failure.Run("hobnob agents add NAME UUID"))
			return nil
		}
		return cli.OutputError(i.f.IO.Table([]terminal.Column{{Title: "NAME"}, {Title: "AGENT"}, {}}, rows))
	}
	id, err := i.profile.AgentID(name)
	if err != nil {
		return err
	}
	i.question.AgentID = id
	i.f.Print.Note("asking %s from now on", i.agentName())
	return nil
}

func (i *interactive) tree(ctx context.Context, _ string) error {
	c, err := i.current(ctx)
	if err != nil {
		return err
	}
	turns, err := i.asker.History.Turns(ctx, c.ID)
	if err != nil {
		return err
	}
	return view.Tree(i.f.Print, c, turns)
}

func (i *interactive) at(ctx context.Context, ref string) error {
	c, err := i.current(ctx)
	if err != nil {
		return err
	}
	turn, err := i.asker.History.FindTurn(ctx, c.ID, ref)
	if err != nil {
		return err
	}
	if err := chat.Continuable(turn); err != nil {
		return err
	}
	i.question.Parent, i.reply, i.failed = &turn.ID, turn.Reply, ""
	i.f.Print.Note("the next question follows %s: %s", history.Short(turn.ID), history.TitleOf(turn.Question))
	return nil
}

func (i *interactive) context(ctx context.Context, _ string) error {
	considered, err := i.asker.Consider(ctx, i.question)
	if err != nil {
		return err
	}
	c, unanswered := history.Conversation{}, history.Turn{}
	if i.save && i.question.Conversation != nil {
		if c, err = i.current(ctx); err != nil {
			return err
		}
		if unanswered, _, err = i.asker.History.LastUnanswered(ctx, c); err != nil {
			return err
		}
	}
	return view.Context(i.f.Print, c.ID, considered, unanswered)
}

func (i *interactive) search(ctx context.Context, words string) error {
	store, err := i.inHistory()
	if err != nil {
		return err
	}
	query := history.Query{Text: words, Limit: 20}
	if query.Profile, err = i.f.NamedProfile(ctx, store); err != nil {
		return err
	}
	hits, err := store.Search(ctx, query)
	if err != nil {
		return err
	}
	return view.Hits(i.f.Print, hits)
}
