package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Imported counts what an import did, or would do.
type Imported struct {
	Conversations int `json:"conversations"` // new ones
	Added         int `json:"turns"`         // new ones
	Completed     int `json:"completed"`     // turns that got the answer they lacked
	Skipped       int `json:"skipped"`       // turns that existed
}

// Import adds conversations to the history under their own ids, each in one
// transaction. All are checked before the first is written, so trees is read twice. An
// *ImportError says what is wrong, and that nothing was written.
//
// Answered turns that exist are left unchanged, and so are the head, the title and the
// profile of a conversation that exists; it gets the turns and answers that are missing.
// Importing twice adds nothing. With profile not empty it is the profile of every new
// conversation.
//
// A pending turn is imported as pending. No process waits for it, so it reads as
// unknown.
func (s *Store) Import(ctx context.Context, trees iter.Seq2[Tree, error], profile string) (Imported, error) {
	if err := s.Writable(); err != nil {
		return Imported{}, err
	}
	if _, err := s.CheckImport(ctx, trees); err != nil {
		return Imported{}, err
	}
	insert, err := s.db.PrepareContext(ctx, insertTurnSQL)
	if err != nil {
		return Imported{}, s.readError(err)
	}
	defer func() { _ = insert.Close() }()
	owner, err := s.db.PrepareContext(ctx, ownerSQL)
	if err != nil {
		return Imported{}, s.readError(err)
	}
	defer func() { _ = owner.Close() }()
	var done Imported
	for tree, err := range trees {
		if err != nil {
			return done, err
		}
		if profile != "" {
			tree.Conversation.Profile = profile
		}
		var missing difference
		if err := s.write(ctx, func(tx *sql.Tx) (err error) {
			if missing, err = compare(ctx, tx, tx.StmtContext(ctx, owner), tree); err != nil {
				return err
			}
			return missing.write(ctx, tx, tx.StmtContext(ctx, insert), tree.Conversation)
		}); err != nil {
			return done, err
		}
		done.add(missing)
	}
	return done, nil
}

// CheckImport returns what Import would do and changes nothing.
func (s *Store) CheckImport(ctx context.Context, trees iter.Seq2[Tree, error]) (Imported, error) {
	owner, err := s.db.PrepareContext(ctx, ownerSQL)
	if err != nil {
		return Imported{}, s.readError(err)
	}
	defer func() { _ = owner.Close() }()
	var would Imported
	check := checker{conversations: map[string]bool{}, turns: map[string]bool{}, perMilli: map[int64]int{}}
	for tree, err := range trees {
		if err == nil {
			err = check.tree(tree)
		}
		if err != nil {
			return Imported{}, err
		}
		missing, err := compare(ctx, s.db, owner, tree)
		if errors.As(err, new(*ImportError)) {
			return Imported{}, err
		}
		if err != nil {
			return Imported{}, s.readError(err)
		}
		would.add(missing)
	}
	return would, nil
}

func (i *Imported) add(d difference) {
	if d.conversation {
		i.Conversations++
	}
	i.Added += len(d.turns)
	i.Completed += len(d.answers)
	i.Skipped += d.skipped
}

// queryer is a database or a transaction.
type queryer interface {
	sqlite.Queryer
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// difference is what the history lacks of a tree.
type difference struct {
	conversation bool
	turns        []Turn
	answers      []Turn // of turns that exist without
	skipped      int    // turns that exist
}

// compare refuses a turn that exists in another conversation; owner is ownerSQL.
func compare(ctx context.Context, db queryer, owner *sql.Stmt, tree Tree) (d difference, err error) {
	id := tree.Conversation.ID
	if err := db.QueryRowContext(ctx, `SELECT NOT EXISTS(SELECT 1 FROM conversations WHERE id = ?)`, id).Scan(&d.conversation); err != nil {
		return d, err
	}
	for _, t := range tree.Turns {
		var of string
		var state State
		switch err := owner.QueryRowContext(ctx, t.ID).Scan(&of, &state); {
		case errors.Is(err, sql.ErrNoRows):
			d.turns = append(d.turns, t)
		case err != nil:
			return d, err
		case of != id:
			return d, refuse("turn "+t.ID, "the history has it in conversation %s, not in %s", of, id)
		case state != Answered && t.State == Answered:
			d.answers = append(d.answers, t)
		default:
			d.skipped++
		}
	}
	return d, nil
}

const ownerSQL = `SELECT conversation, state FROM turns WHERE id = ?`

// completeTurn gives a turn that exists without an answer the one of the file.
func completeTurn(ctx context.Context, tx *sql.Tx, t Turn) error {
	var seq int64
	if err := tx.QueryRowContext(ctx, `UPDATE turns SET state = 'answered', reply = ?, ended = ?, failure = NULL, failure_kind = NULL, failure_status = NULL, service_id = ?, service_conversation_id = ?,
		model = ?, finish_reason = ?, prompt_tokens = ?, completion_tokens = ?, total_tokens = ?, response = ? WHERE id = ? RETURNING seq`,
		slices.Concat([]any{t.Reply, nullTime(t.Ended)}, serviceValues(t.Service), []any{t.ID})...).Scan(&seq); err != nil {
		return err
	}
	return indexTurn(ctx, tx, seq, t.Question, t.Reply)
}

// serviceValues are the values of the columns from service_id to response.
func serviceValues(s Service) []any {
	values := []any{null(s.ID), null(s.ConversationID), null(s.Model), null(s.FinishReason), nil, nil, nil, nil}
	if u := s.Usage; u != nil {
		values[4], values[5], values[6] = u.PromptTokens, u.CompletionTokens, u.TotalTokens
	}
	if len(s.Response) > 0 {
		values[7] = s.Response
	}
	return values
}

// stored returns what fromMillis reads back.
func stored(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return millis(t)
}

func nullTime(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return stored(t)
}

// write adds what is missing; insert is insertTurnSQL.
func (d difference) write(ctx context.Context, tx *sql.Tx, insert *sql.Stmt, c Conversation) error {
	// Turns are written in their order, in which a child may come before its parent.
	if _, err := tx.ExecContext(ctx, `PRAGMA defer_foreign_keys = ON`); err != nil {
		return err
	}
	if d.conversation {
		if err := insertConversation(ctx, tx, c); err != nil {
			return err
		}
	}
	for _, t := range d.turns {
		if err := insertTurn(ctx, tx, insert, c.ID, t); err != nil {
			return err
		}
	}
	for _, t := range d.answers {
		if err := completeTurn(ctx, tx, t); err != nil {
			return err
		}
	}
	if d.conversation || len(d.turns)+len(d.answers) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `UPDATE conversations SET updated = max(updated, ?), head = coalesce(head, ?) WHERE id = ?`, stored(c.Updated), null(c.Head), c.ID)
	return err
}

func insertConversation(ctx context.Context, tx *sql.Tx, c Conversation) error {
	result, err := tx.ExecContext(ctx, `INSERT INTO conversations(id, title, profile, agent_id, head, created, updated, deleted) VALUES(?, ?, ?, ?, ?, ?, ?, ?)`,
		c.ID, c.Title, c.Profile, c.AgentID, null(c.Head), stored(c.Created), stored(c.Updated), nullTime(c.Deleted))
	if err != nil {
		return err
	}
	rowid, err := result.LastInsertId()
	if err != nil {
		return err
	}
	return indexTitle(ctx, tx, rowid, c.Title)
}

const insertTurnSQL = `INSERT INTO turns(seq, id, conversation, parent, question, reply, state, agent_id, asked, expires, ended, failure, failure_kind, failure_status, mark,
	service_id, service_conversation_id, model, finish_reason, prompt_tokens, completion_tokens, total_tokens, response)
	VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func insertTurn(ctx context.Context, tx *sql.Tx, insert *sql.Stmt, conversation string, t Turn) error {
	asked := stored(t.Asked)
	seq, err := NextSeq(ctx, tx, asked)
	if err != nil {
		return err
	}
	if seq >= (asked+1)*SeqPerMilli {
		return fmt.Errorf("turn %s: more than %d turns were asked in its millisecond", t.ID, SeqPerMilli)
	}
	var reply any
	if t.State == Answered {
		reply = t.Reply
	}
	if _, err := insert.ExecContext(ctx, slices.Concat([]any{seq, t.ID, conversation, null(t.Parent), t.Question, reply, t.State, t.AgentID, asked, asked,
		nullTime(t.Ended)}, t.Failure.columns(), []any{null(string(t.Mark))}, serviceValues(t.Service))...); err != nil {
		return err
	}
	return indexTurn(ctx, tx, seq, t.Question, t.Reply)
}
