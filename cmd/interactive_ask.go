package cmd

import (
	"context"
	"errors"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// ask asks one question with the files that wait for it, and moves on to its turn.
func (i *interactive) ask(ctx context.Context, text string) error {
	prompt, err := chat.Prompt{Words: []string{text}, Files: i.files}.Assemble()
	if err != nil {
		i.put(text)
		return promptError(err)
	}
	if err := i.send(ctx, prompt); err != nil {
		var failed *chat.FailedError
		if !errors.As(err, &failed) {
			i.put(text) // it is nowhere else
		}
		return err
	}
	return nil
}

// askFirst asks what came with the command line, which is no command.
func (i *interactive) askFirst(ctx context.Context, text string) error {
	if parent := i.question.Parent; i.opts.Again {
		i.question.Parent = nil
		return i.beside(ctx, parent, text)
	}
	return i.ask(ctx, text)
}

// beside asks a question again below the parent of its turn. Without an answer the
// chat goes on from where it was.
func (i *interactive) beside(ctx context.Context, parent *string, text string) error {
	before := i.question.Parent
	i.question.Parent = parent
	err := i.send(ctx, text)
	if i.question.Parent == parent {
		i.question.Parent = before
	}
	return err
}

// send asks a question that is put together.
func (i *interactive) send(ctx context.Context, prompt string) error {
	i.saveAgain(ctx)
	i.question.Text = prompt
	if c := i.question.Conversation; c != nil {
		// Another process may have gone on with it, or deleted it.
		now, err := i.asker.History.Find(ctx, c.ID)
		if err != nil {
			return i.gone(c, err)
		}
		i.question.Conversation = &now
	}
	release := i.editor.Hold()
	answer, err := i.once(ctx, i.question)
	release()
	if answer.Reply.Text != "" {
		i.reply = answer.Reply.Text
	}
	if answer.SaveErr != nil {
		i.unsaved = append(i.unsaved, answer)
	}
	if i.editor.Rich() && err == nil {
		fmt.Fprintln(i.f.IO.Err)
	}
	var failed *chat.FailedError
	id := answer.Conversation
	if id == "" {
		return err
	}
	errors.As(err, &failed)
	i.files = nil
	found, ferr := i.asker.History.Find(context.WithoutCancel(ctx), id)
	if ferr != nil {
		return errors.Join(err, ferr)
	}
	i.question.Conversation, i.question.Title, i.failed = &found, "", ""
	if failed == nil {
		i.question.Parent = nil
	} else {
		i.failed = answer.Turn
	}
	return err
}

// gone explains why a conversation cannot be continued.
func (i *interactive) gone(c *history.Conversation, err error) error {
	var missing *history.NotFoundError
	if !errors.As(err, &missing) {
		return err
	}
	short := history.Short(c.ID)
	return failure.WithHint(fmt.Errorf("nothing was sent: conversation %s was deleted meanwhile", short), "%s", "/new begins another; to bring it back: hobnob conversations restore "+short)
}

// saveAgain tries once more to keep the answers that could not be kept: without
// them the context has holes.
func (i *interactive) saveAgain(ctx context.Context) {
	var left []chat.Answer
	for _, answer := range i.unsaved {
		if err := i.asker.Save(ctx, &answer); err != nil {
			i.f.Print.Warn("the reply of turn %s still cannot be saved: %v", history.Short(answer.Turn), err)
			left = append(left, answer)
		}
	}
	i.unsaved = left
}

// again asks the last question once more, beside its first turn.
func (i *interactive) again(ctx context.Context, _ string) error {
	if !i.save && i.question.Conversation == nil {
		return failure.Usagef("ask something first", "there is no question to ask again")
	}
	turn, err := i.lastTurn(ctx)
	if err != nil {
		return err
	}
	return i.beside(ctx, &turn.Parent, turn.Question)
}

// undo goes back before the last question and puts it into the next line.
// Nothing is removed.
func (i *interactive) undo(ctx context.Context, _ string) error {
	if !i.save && i.question.Conversation == nil {
		return failure.Usagef("ask something first", "there is no question to take back")
	}
	turn, err := i.lastTurn(ctx)
	if err != nil {
		return err
	}
	i.put(turn.Question)
	i.question.Parent, i.failed, i.reply = &turn.Parent, "", ""
	if turn.Parent != "" {
		if before, err := i.asker.History.FindTurn(ctx, turn.Conversation, turn.Parent); err == nil {
			i.reply = before.Reply
		}
	}
	if !i.save {
		i.f.Print.Note("back before the last question")
		return nil
	}
	i.f.Print.Note("back before turn %s, which is kept", history.Short(turn.ID))
	return nil
}

// lastTurn is the turn that the next question would follow, or the one after it
// that got no answer.
func (i *interactive) lastTurn(ctx context.Context) (history.Turn, error) {
	c := i.question.Conversation
	if c == nil {
		return history.Turn{}, noConversation()
	}
	store := i.asker.History
	if i.failed != "" {
		return store.FindTurn(ctx, c.ID, i.failed)
	}
	if p := i.question.Parent; p != nil {
		if *p == "" {
			return history.Turn{}, failure.Usagef("/tree shows all turns, and /at continues from one", "this is before the first question")
		}
		return store.FindTurn(ctx, c.ID, *p)
	}
	now, err := store.Find(ctx, c.ID)
	if err != nil {
		return history.Turn{}, err
	}
	return chat.LastQuestion(ctx, store, now)
}

func noConversation() error {
	return failure.Usagef("ask something first, or open one with /open", "there is no conversation yet")
}
