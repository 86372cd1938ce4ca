package batch

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/schema"
)

// exchange asks the question of one row and, if the reply does not fit the contract, asks
// for corrections.
type exchange struct {
	*sender
	question Question // with the text that is asked last
	started  time.Time
	saved    *chat.Answer // the last one, or nil if the row is not recorded in the history
	turns    int          // in the history
}

// fitting asks until a reply fits the contract. A correction is sent even if the run takes
// no more rows, because the row is in flight.
func (e *exchange) fitting(contract *schema.Contract) (answer *Answer, err error) {
	last := &e.question.Messages[len(e.question.Messages)-1]
	document, _, err := contract.Ask(e.run.flying, last.Content, func(text string, attempt int, wrong *schema.MismatchError) (string, error) {
		if wrong != nil && e.saved != nil && e.saved.SaveErr != nil {
			return "", wrong // a correction can only follow a recorded answer
		}
		if wrong != nil {
			e.until = e.run.flying
			e.question.Messages = append(e.question.Messages, api.Message{Role: api.RoleAssistant, Content: answer.Reply}, api.Message{Role: api.RoleUser, Content: text})
		}
		next, err := e.ask(text)
		if errors.Is(err, errStopped) && wrong != nil {
			return "", wrong
		}
		if err != nil {
			return "", err
		}
		answer = next
		return answer.Reply, nil
	})
	if err != nil {
		return nil, err
	}
	answer.Data = json.RawMessage(document)
	return answer, nil
}

// ask sends the request, whose last message is text.
func (e *exchange) ask(text string) (*Answer, error) {
	if e.run.Save != nil {
		return e.askSaved(text)
	}
	reply, err := e.Chat(e.run.flying, e.question.sent(), "")
	if err != nil {
		return nil, err
	}
	return newAnswer(reply, e.question.AgentID, time.Since(e.started), e.attempts), nil
}

// askSaved asks a question after the last one of the row and records it in the history.
func (e *exchange) askSaved(text string) (*Answer, error) {
	asker := *e.run.Save
	asker.Client = e.sender
	var err error
	if e.saved == nil {
		e.saved = &chat.Answer{}
	}
	if e.turns == 0 && len(e.question.Messages) > 1 {
		if *e.saved, e.turns, err = saveEarlier(e.run.flying, asker, e.question); err != nil {
			return nil, err
		}
	}
	question := chat.Question{Text: text, AgentID: e.question.AgentID, Context: chat.Limits{None: true}, Keep: e.turns}
	if e.turns == 0 {
		question.Instructions = &e.question.Instructions
	} else {
		question.Conversation, question.Parent = &history.Conversation{ID: e.saved.Conversation}, &e.saved.Turn
	}
	if *e.saved, err = asker.Ask(e.run.flying, question); err != nil {
		return nil, err
	}
	e.turns++
	answer := newAnswer(e.saved.Reply, e.question.AgentID, time.Since(e.started), e.attempts)
	if e.saved.Saved {
		answer.Conversation, answer.Turn = e.saved.Conversation, e.saved.Turn
	}
	return answer, nil
}

// saveEarlier records the messages before the question of a row as a conversation. It
// returns the place of the question and the number of turns before it.
func saveEarlier(ctx context.Context, asker chat.Asker, q Question) (place chat.Answer, turns int, err error) {
	earlier := q.Messages[:len(q.Messages)-1]
	turns = len(earlier) / 2
	for i, m := range earlier {
		if want := []string{api.RoleUser, api.RoleAssistant}[i%2]; m.Role != want || len(earlier)%2 != 0 {
			return place, 0, failure.Usagef("run the batch without --save, or make user and assistant alternate", "the messages cannot be saved as questions and answers")
		}
	}
	now := time.Now()
	tree := history.Tree{Conversation: history.Conversation{
		ID: uuid.NewString(), Title: history.TitleOf(earlier[0].Content), Profile: asker.Profile, AgentID: q.AgentID, Created: now, Updated: now,
	}, Instructions: q.Instructions}
	for i := range turns {
		asked := now.Add(time.Duration(i-turns) * time.Millisecond)
		turn := history.Turn{
			ID: uuid.NewString(), Conversation: tree.Conversation.ID, Parent: tree.Conversation.Head, State: history.Answered, AgentID: q.AgentID,
			Question: earlier[2*i].Content, Reply: earlier[2*i+1].Content, Asked: asked, Ended: asked,
		}
		tree.Turns, tree.Conversation.Head = append(tree.Turns, turn), turn.ID
	}
	trees := func(yield func(history.Tree, error) bool) { yield(tree, nil) }
	_, err = asker.History.Import(ctx, trees, asker.Profile)
	return chat.Answer{Conversation: tree.Conversation.ID, Turn: tree.Conversation.Head}, turns, err
}
