package history

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// TurnNotFoundError reports that no turn, or more than one, matches Ref.
type TurnNotFoundError struct {
	Ref       string
	Ambiguous bool // several turns match
}

func (e *TurnNotFoundError) Error() string {
	if e.Ambiguous {
		return fmt.Sprintf("%q matches several turns", e.Ref)
	}
	return fmt.Sprintf("turn %q not found", e.Ref)
}

// FindTurn returns the turn whose id begins with ref, which has at least four
// characters. If conversation is not empty, only its turns match. The error is a
// *TurnNotFoundError.
func (s *Store) FindTurn(ctx context.Context, conversation, ref string) (Turn, error) {
	low := strings.ToLower(ref)
	if len(low) != 36 && !isPrefix(low) {
		return Turn{}, &TurnNotFoundError{Ref: ref}
	}
	found, err := s.turns(ctx, `WHERE t.id >= ?1 AND t.id < ?1 || 'g' AND (?2 = '' OR t.conversation = ?2) LIMIT 2`, low, conversation)
	return onlyTurn(ref, found, err)
}

// FindByService returns the turn with a completion or conversation id of the service.
// The error is a *TurnNotFoundError.
func (s *Store) FindByService(ctx context.Context, id string) (Turn, error) {
	found, err := s.turns(ctx, `WHERE t.service_conversation_id = ?1 UNION ALL
		SELECT `+turnColumns+` FROM turns t WHERE t.service_id = ?1 LIMIT 1`, id)
	return onlyTurn(id, found, err)
}

func onlyTurn(ref string, found []Turn, err error) (Turn, error) {
	if err != nil {
		return Turn{}, err
	}
	if len(found) != 1 {
		return Turn{}, &TurnNotFoundError{Ref: ref, Ambiguous: len(found) > 1}
	}
	return found[0], nil
}

// ResolveTurn is FindTurn for user input: ref may also be a completion or conversation
// id of the service.
func (s *Store) ResolveTurn(ctx context.Context, conversation, ref string) (Turn, error) {
	turn, err := s.FindTurn(ctx, conversation, ref)
	if err != nil {
		if named, serr := s.FindByService(ctx, ref); serr == nil {
			return named, nil
		}
	}
	return turn, err
}

// Transcript returns the turns of a conversation to show: the path to its head or, if
// it has no answer, all turns. ref is what the user typed to identify the conversation.
// If it is an id of the service, Transcript returns the path to its turn, or only that
// turn if it has no answer.
func (s *Store) Transcript(ctx context.Context, c Conversation, ref string) ([]Turn, error) {
	named, err := s.FindByService(ctx, ref)
	ofService := err == nil && named.Conversation == c.ID
	switch {
	case err != nil && !errors.As(err, new(*TurnNotFoundError)):
		return nil, err
	case ofService && named.State == Answered:
		return s.Path(ctx, named.ID, 0)
	case ofService:
		return []Turn{named}, nil
	case c.Head == "":
		return s.Turns(ctx, c.ID)
	}
	return s.Path(ctx, c.Head, 0)
}
