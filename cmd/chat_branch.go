package cmd

import (
	"context"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// branch is where in its conversation a question is asked, and what it begins with.
type branch struct {
	parent *string // nil is below the head
	text   string  // the question to ask again or to edit
}

// branch finds the turn that --at, --again or --edit-turn names.
func (o chatOptions) branch(ctx context.Context, store *history.Store, c history.Conversation) (branch, error) {
	switch {
	case o.At != "":
		turn, err := store.FindTurn(ctx, c.ID, o.At)
		if err == nil {
			err = chat.Continuable(turn)
		}
		return branch{parent: &turn.ID}, err
	case o.EditTurn != "":
		turn, err := store.FindTurn(ctx, c.ID, o.EditTurn)
		return branch{parent: &turn.Parent, text: turn.Question}, err
	case o.Again:
		turn, err := chat.LastQuestion(ctx, store, c)
		return branch{parent: &turn.Parent, text: turn.Question}, err
	}
	return branch{}, nil
}

// ask returns the text of the question: the one that is asked again, the edited
// one, or what the command line and standard input give.
func (o chatOptions) ask(ctx context.Context, b branch) (text, draft string, err error) {
	switch {
	case o.Again:
		return b.text, "", nil
	case o.EditTurn != "":
		text, draft, err = o.edited(ctx, b.text)
		if err == nil && strings.TrimSpace(text) == strings.TrimSpace(b.text) {
			cli.Discard(draft)
			return "", "", failure.Usagef("change it in the editor; --again asks the last question as it was", "the question was not changed, and is not asked")
		}
		return text, draft, err
	}
	return o.prompt(ctx)
}
