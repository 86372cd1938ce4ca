package history

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

const conversationColumns = `c.id, c.title, c.profile, c.agent_id, coalesce(c.head, ''), c.created, c.updated, coalesce(c.deleted, 0),
	(SELECT count(*) FROM turns WHERE conversation = c.id)`

// conversations returns the conversations that match the rest of a query, where c is their table.
func (s *Store) conversations(ctx context.Context, rest string, args ...any) ([]Conversation, error) {
	return read(ctx, s, `SELECT `+conversationColumns+` FROM conversations c `+rest, args, scanConversation)
}

func scanConversation(rows *sql.Rows, c *Conversation) error {
	var created, updated, deleted int64
	err := rows.Scan(&c.ID, &c.Title, &c.Profile, &c.AgentID, &c.Head, &created, &updated, &deleted, &c.Turns)
	c.Created, c.Updated, c.Deleted = fromMillis(created), fromMillis(updated), fromMillis(deleted)
	return err
}

const turnColumns = `t.id, t.conversation, coalesce(t.parent, ''), t.question, coalesce(t.reply, ''), t.state, t.agent_id, t.asked, t.expires, t.owner,
	coalesce(t.ended, 0), coalesce(t.failure, ''), coalesce(t.failure_kind, ''), coalesce(t.failure_status, 0), coalesce(t.service_id, ''),
	coalesce(t.service_conversation_id, ''), coalesce(t.model, ''), coalesce(t.finish_reason, ''), t.prompt_tokens, t.completion_tokens, t.total_tokens,
	t.response, coalesce(t.mark, '')`

// turns returns the turns that match the rest of a query, where t is their table.
func (s *Store) turns(ctx context.Context, rest string, args ...any) ([]Turn, error) {
	return read(ctx, s, `SELECT `+turnColumns+` FROM turns t `+rest, args, s.scanTurn)
}

// lost reports whether no process is waiting for the answer of a pending turn.
func (s *Store) lost(expires int64, owner string) bool {
	return expires <= millis(s.now()) || !s.alive(owner)
}

// killed returns the failure of a turn whose process ended without recording an outcome.
func killed() Failure {
	return Failure{Kind: failure.Unknown, Text: "hobnob exited before the answer arrived"}
}

// scanTurn reads turnColumns. A pending turn that no process is waiting for becomes
// unknown.
func (s *Store) scanTurn(rows *sql.Rows, t *Turn) error {
	var asked, expires, ended int64 // milliseconds since 1970
	var prompt, completion, total sql.NullInt64
	var owner, kind string
	if err := rows.Scan(&t.ID, &t.Conversation, &t.Parent, &t.Question, &t.Reply, &t.State, &t.AgentID, &asked, &expires, &owner,
		&ended, &t.Failure.Text, &kind, &t.Failure.Status, &t.Service.ID,
		&t.Service.ConversationID, &t.Service.Model, &t.Service.FinishReason, &prompt, &completion, &total,
		&t.Service.Response, &t.Mark); err != nil {
		return err
	}
	if t.Failure != (Failure{}) || kind != "" {
		t.Failure.Kind = failure.ParseKind(kind)
	}
	if total.Valid {
		t.Service.Usage = &Usage{PromptTokens: counted(prompt.Int64), CompletionTokens: counted(completion.Int64), TotalTokens: counted(total.Int64)}
	}
	t.Asked, t.Ended = fromMillis(asked), fromMillis(ended)
	if t.State == Pending && s.lost(expires, owner) {
		t.State, t.Failure = Unknown, killed()
	}
	return nil
}

// read runs a query and returns its rows as read by scan.
func read[T any](ctx context.Context, s *Store, query string, args []any, scan func(*sql.Rows, *T) error) ([]T, error) {
	all, err := sqlite.All(ctx, s.db, query, args, scan)
	return all, s.readError(err)
}

func (s *Store) readError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot read %s: %w", s.path, sqlite.Explain(err))
}

// changeOne runs a statement that changes the row with an id. If there is no such row,
// the error contains what and id.
func changeOne(ctx context.Context, tx *sql.Tx, what, id, statement string, args ...any) error {
	result, err := tx.ExecContext(ctx, statement, append(args, id)...)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		return fmt.Errorf("%s %s not found", what, id)
	}
	return nil
}

func insertConversation(ctx context.Context, tx *sql.Tx, c Conversation) error {
	var rowid int64
	if err := tx.QueryRowContext(ctx, `INSERT INTO conversations(id, title, profile, agent_id, head, created, updated, deleted) VALUES(?, ?, ?, ?, ?, ?, ?, ?) RETURNING rowid`,
		c.ID, c.Title, c.Profile, c.AgentID, null(c.Head), millis(c.Created), millis(c.Updated), null(millis(c.Deleted))).Scan(&rowid); err != nil {
		return err
	}
	return indexTitle(ctx, tx, rowid, c.Title)
}

// insertTurn adds a turn. Its owner waits for the answer until it expires.
func insertTurn(ctx context.Context, tx *sql.Tx, t Turn, expires time.Time, owner string) error {
	asked := millis(t.Asked)
	seq, err := NextSeq(ctx, tx, asked)
	if err != nil {
		return err
	}
	if seq >= (asked+1)*SeqPerMilli {
		return fmt.Errorf("turn %s: more than %d turns in the same millisecond", t.ID, SeqPerMilli)
	}
	var reply any
	if t.State == Answered {
		reply = t.Reply
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO turns(seq, id, conversation, parent, question, reply, state, agent_id, asked, expires, owner, ended,
		failure, failure_kind, failure_status, mark, `+serviceColumns+`)
		VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		slices.Concat([]any{seq, t.ID, t.Conversation, null(t.Parent), t.Question, reply, t.State, t.AgentID, asked, millis(expires), owner, null(millis(t.Ended))},
			t.Failure.columns(), []any{null(t.Mark)}, t.Service.columns())...); err != nil {
		return err
	}
	return indexTurn(ctx, tx, seq, t.Question, t.Reply)
}

// setAnswer adds the answer of t to the existing turn.
func setAnswer(ctx context.Context, tx *sql.Tx, t Turn) error {
	if err := changeOne(ctx, tx, "turn", t.ID, `UPDATE turns SET state = 'answered', reply = ?, ended = ?, failure = NULL, failure_kind = NULL, failure_status = NULL,
		(`+serviceColumns+`) = (?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ? AND state <> 'answered'`,
		slices.Concat([]any{t.Reply, null(millis(t.Ended))}, t.Service.columns())...); err != nil {
		return err
	}
	var seq int64
	if err := tx.QueryRowContext(ctx, `SELECT seq FROM turns WHERE id = ?`, t.ID).Scan(&seq); err != nil {
		return err
	}
	return indexTurn(ctx, tx, seq, t.Question, t.Reply)
}

// columns returns the values of failure, failure_kind and failure_status.
func (f Failure) columns() []any {
	if f == (Failure{}) {
		return []any{nil, nil, nil}
	}
	return []any{strings.ToValidUTF8(f.Text, "\uFFFD"), f.Kind.String(), null(f.Status)}
}

// serviceColumns are the columns of Service.columns.
const serviceColumns = `service_id, service_conversation_id, model, finish_reason, prompt_tokens, completion_tokens, total_tokens, response`

func (s Service) columns() []any {
	values := []any{null(s.ID), null(s.ConversationID), null(s.Model), null(s.FinishReason), nil, nil, nil, nil}
	if u := s.Usage; u != nil {
		values[4], values[5], values[6] = u.PromptTokens, u.CompletionTokens, u.TotalTokens
	}
	if len(s.Response) > 0 {
		values[7] = s.Response
	}
	return values
}

// null stores a zero value as NULL.
func null[T comparable](value T) any {
	if value == *new(T) {
		return nil
	}
	return value
}
