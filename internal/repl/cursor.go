package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// Cursor is where in the history the chat is: the conversation, the place in it,
// the agent, and the answers that could not be recorded yet. It prints nothing.
type Cursor struct {
	// Question is what the next one is asked with.
	Question chat.Question
	// Reply is the reply at the cursor, "" when there is none.
	Reply string

	profile config.Profile
	asker   *chat.Asker
	failed  string        // the turn after the cursor that got no answer
	unsaved []chat.Answer // that could not be recorded yet
}

// Saves reports whether the chat goes into a history that outlives it.
func (c *Cursor) Saves() bool { return c.asker.History.Saved() }

// AgentName returns the alias of the agent, else the beginning of its id, else the
// name of the profile.
func (c *Cursor) AgentName() string {
	name := c.profile.AgentName(c.Question.AgentID)
	if config.IsUUID(name) {
		name = history.Short(name)
	}
	return cmp.Or(name, c.profile.Name)
}

// New moves before the first question of a new conversation.
func (c *Cursor) New(title string) {
	c.Question.Conversation, c.Question.Parent, c.Question.Title = nil, nil, title
	c.Reply, c.failed = "", ""
}

// Open moves to the head of a conversation and returns its turn; ok is false when
// no question of it was answered.
func (c *Cursor) Open(ctx context.Context, conversation history.Conversation) (head history.Turn, ok bool, err error) {
	if conversation.Profile != c.profile.Name {
		return head, false, failure.Usagef(fmt.Sprintf("continue it there: hobnob chat -p %s -C %s", conversation.Profile, history.Short(conversation.ID)),
			"conversation %s belongs to the profile %q, not to %q", history.Short(conversation.ID), conversation.Profile, c.profile.Name)
	}
	c.New("")
	c.Question.Conversation = &conversation
	c.Question.AgentID = cmp.Or(conversation.AgentID, c.Question.AgentID)
	if conversation.Head == "" {
		return head, false, nil
	}
	head, err = c.asker.History.FindTurn(ctx, conversation.ID, conversation.Head)
	c.Reply = head.Reply
	return head, err == nil, err
}

// Refresh reads the conversation again: another process may have gone on with it,
// or deleted it.
func (c *Cursor) Refresh(ctx context.Context) error {
	if c.Question.Conversation == nil {
		return nil
	}
	short := history.Short(c.Question.Conversation.ID)
	now, err := c.asker.History.Find(ctx, c.Question.Conversation.ID)
	if errors.As(err, new(*history.NotFoundError)) {
		return failure.WithHint(fmt.Errorf("nothing was sent: conversation %s was deleted meanwhile", short),
			"/new begins another; to bring it back: hobnob conversations restore %s", short)
	}
	if err == nil {
		c.Question.Conversation = &now
	}
	return err
}

// Conversation returns the conversation as it is now.
func (c *Cursor) Conversation(ctx context.Context) (history.Conversation, error) {
	if !c.Saves() {
		return history.Conversation{}, errUnsaved()
	}
	if c.Question.Conversation == nil {
		return history.Conversation{}, errNoConversation()
	}
	return c.asker.History.Find(ctx, c.Question.Conversation.ID)
}

// errUnsaved is for what needs other conversations or what lasts, in a chat that is
// not saved.
func errUnsaved() error {
	return failure.WithHint(failure.Usagef("", "this chat saves nothing and has no history"),
		"leave --no-save out, or see: %s", failure.Run("hobnob config get history.save"))
}

func errNoConversation() error {
	return failure.Usagef("ask something first, or open one with /open", "there is no conversation yet")
}

// LastReply returns the reply that /copy and /save mean.
func (c *Cursor) LastReply() (string, error) {
	if c.Reply == "" {
		return "", failure.Usagef("ask something first", "there is no reply yet")
	}
	return c.Reply, nil
}

// Asked moves to the turn of a question that was asked, or stays before it when it
// got no answer.
func (c *Cursor) Asked(ctx context.Context, answer chat.Answer, failed bool) error {
	if answer.Reply.Text != "" {
		c.Reply = answer.Reply.Text
	}
	if answer.SaveErr != nil {
		c.unsaved = append(c.unsaved, answer)
	}
	if answer.Conversation == "" {
		return nil
	}
	found, err := c.asker.History.Find(context.WithoutCancel(ctx), answer.Conversation)
	if err != nil {
		return err
	}
	c.Question.Conversation, c.Question.Title, c.failed = &found, "", ""
	if failed {
		c.failed = answer.Turn
	} else {
		c.Question.Parent = nil
	}
	return nil
}

// SaveUnsaved tries again to record the answers that could not be: without them
// the context has holes. Report is called for each that still cannot.
func (c *Cursor) SaveUnsaved(ctx context.Context, report func(chat.Answer, error)) {
	c.unsaved = slices.DeleteFunc(c.unsaved, func(answer chat.Answer) bool {
		err := c.asker.Save(ctx, &answer)
		if err != nil {
			report(answer, err)
		}
		return err == nil
	})
}

// LastTurn returns the turn that the next question would follow, or the one after
// it that got no answer.
func (c *Cursor) LastTurn(ctx context.Context) (history.Turn, error) {
	conversation := c.Question.Conversation
	if conversation == nil {
		return history.Turn{}, errNoConversation()
	}
	store := c.asker.History
	switch parent := c.Question.Parent; {
	case c.failed != "":
		return store.FindTurn(ctx, conversation.ID, c.failed)
	case parent != nil && *parent == "":
		return history.Turn{}, failure.Usagef("/tree shows all turns, and /at continues from one", "this is before the first question")
	case parent != nil:
		return store.FindTurn(ctx, conversation.ID, *parent)
	}
	now, err := store.Find(ctx, conversation.ID)
	if err != nil {
		return history.Turn{}, err
	}
	return chat.LastQuestion(ctx, store, now)
}

// At moves to an answered turn.
func (c *Cursor) At(turn history.Turn) error {
	if err := chat.Continuable(turn); err != nil {
		return err
	}
	c.Question.Parent, c.Reply, c.failed = &turn.ID, turn.Reply, ""
	return nil
}

// Before moves before a turn. Nothing is removed.
func (c *Cursor) Before(ctx context.Context, turn history.Turn) {
	c.Question.Parent, c.failed, c.Reply = &turn.Parent, "", ""
	if turn.Parent == "" {
		return
	}
	if before, err := c.asker.History.FindTurn(ctx, turn.Conversation, turn.Parent); err == nil {
		c.Reply = before.Reply
	}
}
