package history

import (
	"context"
	"database/sql"
	"iter"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Tree is a conversation with its turns in the order in which they were asked. It is
// the form in which conversations are exported and imported.
type Tree struct {
	Conversation Conversation
	Instructions Instructions
	Turns        []Turn
}

// All returns the conversations of a profile or, if it is empty, of every profile,
// oldest first. With deleted it includes those in the trash.
func (s *Store) All(ctx context.Context, profile string, deleted bool) ([]Conversation, error) {
	return s.conversations(ctx, `WHERE (?1 = '' OR c.profile = ?1) AND (?2 OR c.deleted IS NULL) ORDER BY c.created, c.id`, profile, deleted)
}

// Trees returns an iterator over the conversations with the given ids, in this order,
// with everything that Import stores. It reads one at a time from a consistent
// snapshot and does not block writers. It stops after an error; a missing conversation
// is a *NotFoundError. The body of the loop must not use the store, which has only one
// connection.
func (s *Store) Trees(ctx context.Context, ids ...string) iter.Seq2[Tree, error] {
	return func(yield func(Tree, error) bool) {
		if len(ids) == 0 {
			return
		}
		tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
		if err != nil {
			yield(Tree{}, s.readError(err))
			return
		}
		defer func() { _ = tx.Rollback() }()
		for _, id := range ids {
			tree, err := s.tree(ctx, tx, id)
			if !yield(tree, err) || err != nil {
				return
			}
		}
	}
}

func (s *Store) tree(ctx context.Context, tx *sql.Tx, id string) (Tree, error) {
	found, err := sqlite.All(ctx, tx, `SELECT `+conversationColumns+` FROM conversations c WHERE c.id = ?`, []any{id}, scanConversation)
	if err != nil {
		return Tree{}, s.readError(err)
	}
	if len(found) == 0 {
		return Tree{}, &NotFoundError{Ref: id}
	}
	instructions, err := readInstructions(ctx, tx, id)
	if err != nil {
		return Tree{}, s.readError(err)
	}
	turns, err := sqlite.All(ctx, tx, `SELECT `+turnColumns+` FROM turns t WHERE t.conversation = ? ORDER BY t.seq`, []any{id}, s.scanTurn)
	return Tree{Conversation: found[0], Instructions: instructions, Turns: turns}, s.readError(err)
}
