package history

import (
	"context"
	"database/sql"
	"iter"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Tree is a conversation with its turns in the order of asking; those of one
// millisecond are in the order of their journal. It is the form in which
// conversations leave the history and come in.
type Tree struct {
	Conversation Conversation
	Turns        []Turn
}

// All returns the conversations of a profile or, with an empty one, of every
// profile, oldest first; with deleted those in the trash too.
func (s *Store) All(ctx context.Context, profile string, deleted bool) ([]Conversation, error) {
	return s.conversations(ctx, `WHERE (?1 = '' OR c.profile = ?1) AND (?2 OR c.deleted IS NULL) ORDER BY c.created, c.id`, profile, deleted)
}

// Trees reads the conversations with these ids, in this order, with everything that
// Import stores. Pending turns are yielded as pending, also when no process waits for
// them. One conversation at a time is in memory, and all of them are the history at
// one moment; a slow caller keeps no writer waiting. A conversation that does not
// exist is a *NotFoundError, and an error is the last that is yielded. The loop over
// them must not use the store, which has one connection.
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
	turns, err := sqlite.All(ctx, tx, `SELECT `+turnColumns+` FROM turns t WHERE t.conversation = ? ORDER BY t.seq`, []any{id}, func(rows *sql.Rows, t *Turn) error {
		_, _, err := scanStoredTurn(rows, t)
		return err
	})
	return Tree{found[0], turns}, s.readError(err)
}
