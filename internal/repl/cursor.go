package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/ask"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// Cursor is the position of the chat in the history: the conversation, the turn, the
// agent, and the answers that could not be saved yet. It prints nothing.
type Cursor struct {
	// Question has the parameters of the next question.
	Question chat.Question
	// Reply is the reply at the cursor, or "".
	Reply string

	profile config.Profile
	asker   *chat.Asker
	alias   string                // of the agent, if the user named it so
	given   *history.Instructions // of each new conversation, or nil for those of the agent
	failed  string                // id of the turn after the cursor, if it has no answer
	unsaved []chat.Answer         // not saved yet
}

// Saves reports whether the chat is saved.
func (c *Cursor) Saves() bool { return c.asker.History.Saved() }

// AgentName returns the alias of the agent or its short id, or without an agent the
// name of the profile.
func (c *Cursor) AgentName() string {
	name := cmp.Or(c.alias, c.profile.AgentName(c.Question.AgentID))
	if config.IsUUID(name) {
		name = history.Short(name)
	}
	return cmp.Or(name, c.profile.Name)
}

// newCursor returns a cursor before a question.
func newCursor(question chat.Question, profile config.Profile, asker *chat.Asker) *Cursor {
	c := &Cursor{Question: question, profile: profile, asker: asker}
	switch i := question.Instructions; {
	case i == nil:
	case i.Source == history.OwnInstructions:
		c.given = i
	case i.Source == history.AgentInstructions:
		c.alias = i.Name
	}
	return c
}

// New moves before the first question of a new conversation.
func (c *Cursor) New(title string) {
	c.Question.Conversation, c.Question.Parent, c.Question.Title = nil, nil, title
	c.Question.Instructions = c.standing()
	c.Reply, c.failed = "", ""
}

// standing returns the instructions of a new conversation.
func (c *Cursor) standing() *history.Instructions {
	if c.given != nil {
		return c.given
	}
	return new(ask.InstructionsFor(c.profile, c.agent(), nil))
}

// agent returns the alias or the UUID of the agent, or "".
func (c *Cursor) agent() string { return cmp.Or(c.alias, c.Question.AgentID) }

// SetAgent changes the agent to an alias or a UUID. A conversation without a question
// gets the instructions of the agent, unless the user gave it others. Change is that of
// ask.ChangedInstructions.
func (c *Cursor) SetAgent(ctx context.Context, name string) (change string, err error) {
	id, err := c.profile.AgentID(name)
	if err != nil {
		return "", err
	}
	c.Question.AgentID, c.alias = id, ""
	if !config.IsUUID(name) {
		c.alias = strings.ToLower(name)
	}
	switch i := c.Question.Instructions; {
	case i != nil && i.Source == history.OwnInstructions:
	case c.Question.Conversation == nil:
		c.Question.Instructions = c.standing()
	default:
		_, change, err = ask.ChangedInstructions(ctx, c.asker.History, c.profile, *c.Question.Conversation, c.agent())
	}
	return change, err
}

// SetInstructions changes the instructions of the conversation.
func (c *Cursor) SetInstructions(ctx context.Context, i history.Instructions) error {
	if c.Question.Conversation == nil {
		c.Question.Instructions = &i
		return nil
	}
	c.Question.Instructions = nil
	return c.asker.History.SetInstructions(ctx, c.Question.Conversation.ID, i)
}

// Open moves to the head of a conversation and returns that turn; ok is false if the
// conversation has no answers.
func (c *Cursor) Open(ctx context.Context, conversation history.Conversation) (head history.Turn, ok bool, err error) {
	if conversation.Profile != c.profile.Name {
		return head, false, failure.Usagef(fmt.Sprintf("to continue it: hobnob chat -p %s -C %s", conversation.Profile, history.Short(conversation.ID)),
			"conversation %s belongs to profile %q, not %q", history.Short(conversation.ID), conversation.Profile, c.profile.Name)
	}
	c.New("")
	c.Question.Conversation = &conversation
	c.Question.Instructions = nil
	if conversation.AgentID != "" {
		c.Question.AgentID, c.alias = conversation.AgentID, ""
	}
	if conversation.Head == "" {
		return head, false, nil
	}
	head, err = c.asker.History.FindTurn(ctx, conversation.ID, conversation.Head)
	c.Reply = head.Reply
	return head, err == nil, err
}

// Refresh reads the conversation again, because another process may have continued
// or deleted it.
func (c *Cursor) Refresh(ctx context.Context) error {
	if c.Question.Conversation == nil {
		return nil
	}
	short := history.Short(c.Question.Conversation.ID)
	now, err := c.asker.History.Find(ctx, c.Question.Conversation.ID)
	if missing, ok := errors.AsType[*history.NotFoundError](err); ok {
		err := fmt.Errorf("nothing was sent: conversation %s was deleted by another process", short)
		if len(missing.Trashed) == 0 { // it was pruned
			return failure.WithHint(err, "/new starts another one")
		}
		return failure.WithHint(err, "to restore it: hobnob conversations restore %s; /new starts another one", short)
	}
	if err == nil {
		c.Question.Conversation = &now
	}
	return err
}

// Conversation returns the current state of the conversation.
func (c *Cursor) Conversation(ctx context.Context) (history.Conversation, error) {
	if !c.Saves() {
		return history.Conversation{}, errUnsaved()
	}
	if c.Question.Conversation == nil {
		return history.Conversation{}, errNoConversation()
	}
	return c.asker.History.Find(ctx, c.Question.Conversation.ID)
}

// errUnsaved returns the error of a command that needs a saved chat.
func errUnsaved() error {
	return failure.WithHint(failure.Usagef("", "this chat is not saved"),
		"start the chat without --no-save, or check: %s", failure.Run("hobnob config get history.save"))
}

func errNoConversation() error {
	return failure.Usagef("ask a question first, or open a conversation with /open", "no conversation yet")
}

// LastReply returns the reply for /copy and /save.
func (c *Cursor) LastReply() (string, error) {
	if c.Reply == "" {
		return "", failure.Usagef("ask a question first", "no reply yet")
	}
	return c.Reply, nil
}

// Asked moves to the turn of a question. If it failed, the cursor stays before it.
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
	c.Question.Conversation, c.Question.Title, c.Question.Instructions, c.failed = &found, "", nil, ""
	if failed {
		c.failed = answer.Turn
	} else {
		c.Question.Parent = nil
	}
	return nil
}

// SaveUnsaved retries saving answers, because without them the context is incomplete.
// It calls report for each answer that still cannot be saved.
func (c *Cursor) SaveUnsaved(ctx context.Context, report func(chat.Answer, error)) {
	c.unsaved = slices.DeleteFunc(c.unsaved, func(answer chat.Answer) bool {
		err := c.asker.Save(ctx, &answer)
		if err != nil {
			report(answer, err)
		}
		return err == nil
	})
}

// LastTurn returns the turn at the cursor, or the turn after it if that has no answer.
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
		return history.Turn{}, failure.Usagef("/tree shows all turns, /at continues from one", "already before the first question")
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

// Before moves before a turn and removes nothing.
func (c *Cursor) Before(ctx context.Context, turn history.Turn) {
	c.Question.Parent, c.failed, c.Reply = &turn.Parent, "", ""
	if turn.Parent == "" {
		return
	}
	if before, err := c.asker.History.FindTurn(ctx, turn.Conversation, turn.Parent); err == nil {
		c.Reply = before.Reply
	}
}
