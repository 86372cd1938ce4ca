package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Imported counts what an import did, or would do.
type Imported struct {
	Conversations int // new ones
	Added         int // turns
	Completed     int // turns that were here without the answer that they have now
	Skipped       int // turns that were here already
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
		var one Imported
		if err := s.write(ctx, func(tx *sql.Tx) error {
			var err error
			one, err = importTree(ctx, tx, tx.StmtContext(ctx, owner), tx.StmtContext(ctx, insert), tree)
			return err
		}); err != nil {
			return done, err
		}
		done.add(one)
	}
	return done, nil
}

// stored returns what fromMillis reads back.
func stored(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return millis(t)
}

// CheckImport returns what Import would do and changes nothing. A nil Store is an
// empty history.
func (s *Store) CheckImport(ctx context.Context, trees iter.Seq2[Tree, error]) (Imported, error) {
	var would Imported
	var owner *sql.Stmt
	if s != nil {
		var err error
		if owner, err = s.db.PrepareContext(ctx, ownerSQL); err != nil {
			return would, s.readError(err)
		}
		defer func() { _ = owner.Close() }()
	}
	check := checker{conversations: map[string]bool{}, turns: map[string]bool{}, perMilli: map[int64]int{}}
	for tree, err := range trees {
		if err == nil {
			err = check.tree(tree)
		}
		if err != nil {
			return Imported{}, err
		}
		one, err := s.compare(ctx, owner, tree)
		if err != nil {
			return Imported{}, err
		}
		would.add(one)
	}
	return would, nil
}

func (i *Imported) add(other Imported) {
	i.Conversations += other.Conversations
	i.Added += other.Added
	i.Completed += other.Completed
	i.Skipped += other.Skipped
}

// compare counts the turns of a tree that exist.
func (s *Store) compare(ctx context.Context, owner *sql.Stmt, tree Tree) (Imported, error) {
	if s == nil {
		return Imported{Conversations: 1, Added: len(tree.Turns)}, nil
	}
	known, err := isHere(ctx, s.db, tree.Conversation.ID)
	if err != nil {
		return Imported{}, s.readError(err)
	}
	var out Imported
	if !known {
		out.Conversations = 1
	}
	for _, t := range tree.Turns {
		here, state, err := turnIsHere(ctx, owner, tree.Conversation.ID, t.ID)
		var refused *ImportError
		if errors.As(err, &refused) {
			return Imported{}, err
		}
		if err != nil {
			return Imported{}, s.readError(err)
		}
		switch {
		case !here:
			out.Added++
		case state != Answered && t.State == Answered:
			out.Completed++
		default:
			out.Skipped++
		}
	}
	return out, nil
}

// queryer is a database or a transaction.
type queryer interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func isHere(ctx context.Context, db queryer, conversation string) (here bool, err error) {
	err = db.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM conversations WHERE id = ?)`, conversation).Scan(&here)
	return here, err
}

const ownerSQL = `SELECT conversation, state FROM turns WHERE id = ?`

// turnIsHere refuses a turn that is here in another conversation; ownerOf is ownerSQL.
func turnIsHere(ctx context.Context, ownerOf *sql.Stmt, conversation, turn string) (here bool, state State, err error) {
	var owner string
	err = ownerOf.QueryRowContext(ctx, turn).Scan(&owner, &state)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, "", nil
	case err != nil:
		return false, "", err
	case owner != conversation:
		return false, "", refuse("turn "+turn, "the history has it in conversation %s, not in %s", owner, conversation)
	}
	return true, state, nil
}

// completeTurn gives a turn that is here without an answer the one of the file.
func completeTurn(ctx context.Context, tx *sql.Tx, t Turn) error {
	var prompt, completion, total, ended any
	if u := t.Service.Usage; u != nil {
		prompt, completion, total = u.PromptTokens, u.CompletionTokens, u.TotalTokens
	}
	if !t.Ended.IsZero() {
		ended = stored(t.Ended)
	}
	var seq int64
	if err := tx.QueryRowContext(ctx, `UPDATE turns SET state = 'answered', reply = ?, ended = ?, failure = NULL, service_id = ?, service_conversation_id = ?,
		model = ?, finish_reason = ?, prompt_tokens = ?, completion_tokens = ?, total_tokens = ?, response = ? WHERE id = ? RETURNING seq`,
		t.Reply, ended, null(t.Service.ID), null(t.Service.ConversationID), null(t.Service.Model), null(t.Service.FinishReason),
		prompt, completion, total, t.Service.Response, t.ID).Scan(&seq); err != nil {
		return err
	}
	return indexTurn(ctx, tx, seq, t.Question, t.Reply)
}

// importTree writes a tree; owner and insert are ownerSQL and insertTurnSQL.
func importTree(ctx context.Context, tx *sql.Tx, owner, insert *sql.Stmt, tree Tree) (Imported, error) {
	var out Imported
	c := tree.Conversation
	// Turns are written in their order, in which a parent may stand behind its child.
	if _, err := tx.ExecContext(ctx, `PRAGMA defer_foreign_keys = ON`); err != nil {
		return out, err
	}
	known, err := isHere(ctx, tx, c.ID)
	if err != nil {
		return out, err
	}
	if !known {
		if err := insertConversation(ctx, tx, c); err != nil {
			return out, err
		}
		out.Conversations = 1
	}
	for _, t := range tree.Turns {
		here, state, err := turnIsHere(ctx, owner, c.ID, t.ID)
		if err != nil {
			return out, err
		}
		if here && state != Answered && t.State == Answered {
			if err := completeTurn(ctx, tx, t); err != nil {
				return out, err
			}
			out.Completed++
			continue
		}
		if here {
			out.Skipped++
			continue
		}
		if err := insertTurn(ctx, tx, insert, c.ID, t); err != nil {
			return out, err
		}
		out.Added++
	}
	if known && out.Added+out.Completed > 0 {
		_, err = tx.ExecContext(ctx, `UPDATE conversations SET updated = max(updated, ?), head = coalesce(head, ?) WHERE id = ?`, stored(c.Updated), null(c.Head), c.ID)
	}
	return out, err
}

func insertConversation(ctx context.Context, tx *sql.Tx, c Conversation) error {
	var deleted any
	if !c.Deleted.IsZero() {
		deleted = stored(c.Deleted)
	}
	result, err := tx.ExecContext(ctx, `INSERT INTO conversations(id, title, profile, agent_id, head, created, updated, deleted) VALUES(?, ?, ?, ?, ?, ?, ?, ?)`,
		c.ID, c.Title, c.Profile, c.AgentID, null(c.Head), stored(c.Created), stored(c.Updated), deleted)
	if err != nil {
		return err
	}
	rowid, err := result.LastInsertId()
	if err != nil {
		return err
	}
	return indexTitle(ctx, tx, rowid, c.Title)
}

const insertTurnSQL = `INSERT INTO turns(seq, id, conversation, parent, question, reply, state, agent_id, asked, expires, ended, failure, mark,
	service_id, service_conversation_id, model, finish_reason, prompt_tokens, completion_tokens, total_tokens, response)
	VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func insertTurn(ctx context.Context, tx *sql.Tx, insert *sql.Stmt, conversation string, t Turn) error {
	asked := stored(t.Asked)
	seq, err := nextSeq(ctx, tx, asked)
	if err != nil {
		return err
	}
	if seq >= (asked+1)*seqPerMilli {
		return fmt.Errorf("turn %s: more than %d turns were asked in its millisecond", t.ID, seqPerMilli)
	}
	var reply, ended, prompt, completion, total, response any
	if t.State == Answered {
		reply = t.Reply
	}
	if !t.Ended.IsZero() {
		ended = stored(t.Ended)
	}
	if u := t.Service.Usage; u != nil {
		prompt, completion, total = u.PromptTokens, u.CompletionTokens, u.TotalTokens
	}
	if len(t.Service.Response) > 0 {
		response = t.Service.Response
	}
	if _, err := insert.ExecContext(ctx,
		seq, t.ID, conversation, null(t.Parent), t.Question, reply, t.State, t.AgentID, asked, asked, ended, null(t.Failure), null(string(t.Mark)),
		null(t.Service.ID), null(t.Service.ConversationID), null(t.Service.Model), null(t.Service.FinishReason), prompt, completion, total, response); err != nil {
		return err
	}
	return indexTurn(ctx, tx, seq, t.Question, t.Reply)
}
