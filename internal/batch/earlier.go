package batch

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// saveEarlier records the messages before the question of a row as a conversation. It
// returns the place of the question and the number of turns before it.
func saveEarlier(ctx context.Context, asker chat.Asker, request api.Request) (place chat.Answer, turns int, err error) {
	earlier := request.Messages[:len(request.Messages)-1]
	turns = len(earlier) / 2
	for i, m := range earlier {
		if want := []string{api.RoleUser, api.RoleAssistant}[i%2]; m.Role != want || len(earlier)%2 != 0 {
			return place, 0, failure.Usagef("run the batch without --save, or make user and assistant alternate", "the messages cannot be saved as questions and answers")
		}
	}
	now := time.Now()
	tree := history.Tree{Conversation: history.Conversation{
		ID: uuid.NewString(), Title: history.TitleOf(earlier[0].Content), Profile: asker.Profile, AgentID: request.AgentID, Created: now, Updated: now,
	}}
	for i := range turns {
		asked := now.Add(time.Duration(i-turns) * time.Millisecond)
		turn := history.Turn{
			ID: uuid.NewString(), Conversation: tree.Conversation.ID, Parent: tree.Conversation.Head, State: history.Answered, AgentID: request.AgentID,
			Question: earlier[2*i].Content, Reply: earlier[2*i+1].Content, Asked: asked, Ended: asked,
		}
		tree.Turns, tree.Conversation.Head = append(tree.Turns, turn), turn.ID
	}
	trees := func(yield func(history.Tree, error) bool) { yield(tree, nil) }
	_, err = asker.History.Import(ctx, trees, asker.Profile)
	return chat.Answer{Conversation: tree.Conversation.ID, Turn: tree.Conversation.Head}, turns, err
}
