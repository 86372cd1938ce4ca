package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Question is a turn about to be sent.
type Question struct {
	Conversation string // empty opens a new conversation
	Parent       string // the answered turn that it follows, empty at a root
	Title        string // of a new conversation; empty takes one from Text
	Profile      string // of a new conversation
	AgentID      string
	Text         string
	// Lifetime bounds how long the caller may be about it. A turn that is
	// still pending afterwards belongs to a process that was killed, and reads as
	// unknown.
	Lifetime time.Duration
}

// Branch tells a question what happened beside it in its conversation.
type Branch struct {
	// Answered says that another answer became the head since the question was asked.
	Answered bool
	// InFlight says that another question still waits under the same parent.
	InFlight bool
}

// Begin commits the question as pending and returns its turn. When it returns
// nil the question survives a crash.
func (s *Store) Begin(ctx context.Context, q Question) (Turn, error) {
	now := s.now()
	owner, err := s.owner()
	if err != nil {
		return Turn{}, err
	}
	turn := Turn{
		ID: uuid.NewString(), Conversation: q.Conversation, Parent: q.Parent,
		Question: q.Text, State: Pending, AgentID: q.AgentID, Asked: fromMillis(millis(now)),
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		if turn.Conversation == "" {
			turn.Conversation = uuid.NewString()
			title := strings.ToValidUTF8(q.Title, "\uFFFD")
			if title == "" {
				title = TitleOf(q.Text)
			}
			result, err := tx.ExecContext(ctx, `INSERT INTO conversations(id, title, profile, agent_id, created, updated) VALUES(?, ?, ?, ?, ?, ?)`,
				turn.Conversation, title, q.Profile, q.AgentID, millis(now), millis(now))
			if err != nil {
				return err
			}
			rowid, err := result.LastInsertId()
			if err != nil {
				return err
			}
			if err := indexTitle(ctx, tx, rowid, title); err != nil {
				return err
			}
		}
		if err := tx.QueryRowContext(ctx, `SELECT coalesce(head, '') FROM conversations WHERE id = ?`, turn.Conversation).Scan(&turn.head); err != nil {
			return err
		}
		seq, err := NextSeq(ctx, tx, millis(now))
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO turns(seq, id, conversation, parent, question, state, agent_id, asked, expires, owner) VALUES(?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?)`,
			seq, turn.ID, turn.Conversation, null(turn.Parent), turn.Question, turn.AgentID, millis(now), millis(now.Add(q.Lifetime)), owner)
		if err != nil {
			return err
		}
		// A question makes its conversation the latest, whatever becomes of it, and
		// whatever a clock that was ahead has written there.
		if _, err = tx.ExecContext(ctx, `UPDATE conversations SET updated = ? WHERE id = ?`, millis(now), turn.Conversation); err != nil {
			return err
		}
		return indexTurn(ctx, tx, seq, turn.Question, "")
	})
	return turn, err
}

// SeqPerMilli is how many turns of one millisecond have keys of their own: a
// turn's key divided by it is the time of asking, in milliseconds since 1970.
const SeqPerMilli = 1 << 12

// NextSeq returns the key of a turn that was asked at a time in milliseconds
// since 1970: the first free one of that millisecond.
func NextSeq(ctx context.Context, tx *sql.Tx, asked int64) (seq int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(seq) + 1, ?1) FROM turns WHERE seq >= ?1 AND seq < ?2`,
		asked*SeqPerMilli, (asked+1)*SeqPerMilli).Scan(&seq)
	return seq, err
}

// Answer commits the reply of a turn and makes the turn its conversation's head.
func (s *Store) Answer(ctx context.Context, turn Turn, reply string, service Service) (Branch, error) {
	var branch Branch
	now := millis(s.now())
	err := s.write(ctx, func(tx *sql.Tx) error {
		var prompt, completion, total any
		if u := service.Usage; u != nil {
			prompt, completion, total = u.PromptTokens, u.CompletionTokens, u.TotalTokens
		}
		result, err := tx.ExecContext(ctx, `UPDATE turns SET state = 'answered', reply = ?, ended = ?, failure = NULL, failure_kind = NULL, failure_status = NULL, service_id = ?, service_conversation_id = ?,
			model = ?, finish_reason = ?, prompt_tokens = ?, completion_tokens = ?, total_tokens = ?, response = ? WHERE id = ? AND state <> 'answered'`,
			reply, now, null(service.ID), null(service.ConversationID), null(service.Model), null(service.FinishReason),
			prompt, completion, total, service.Response, turn.ID)
		if err := changedOne(result, err, "turn "+turn.ID); err != nil {
			return err
		}
		var seq int64
		if err := tx.QueryRowContext(ctx, `SELECT seq FROM turns WHERE id = ?`, turn.ID).Scan(&seq); err != nil {
			return err
		}
		if err := indexTurn(ctx, tx, seq, turn.Question, reply); err != nil {
			return err
		}
		var head string
		if err := tx.QueryRowContext(ctx, `SELECT coalesce(head, '') FROM conversations WHERE id = ?`, turn.Conversation).Scan(&head); err != nil {
			return err
		}
		if branch.InFlight, err = s.waiting(ctx, tx, turn, now); err != nil {
			return err
		}
		next := turn.ID
		if turn.resent && head != turn.Parent {
			next = head // the conversation went on without this turn
		}
		branch.Answered = !turn.resent && head != turn.head
		result, err = tx.ExecContext(ctx, `UPDATE conversations SET head = ?, updated = ? WHERE id = ?`, next, now, turn.Conversation)
		return changedOne(result, err, "conversation "+turn.Conversation)
	})
	return branch, err
}

// Retry makes an unanswered turn pending again, under the same id, and returns
// it for Answer or Fail. Its answer becomes the head only if the conversation has
// not gone on meanwhile. A turn that is answered, or for which a process waits, is
// a *TakenError; one that is gone is a *TurnNotFoundError.
func (s *Store) Retry(ctx context.Context, turn Turn, lifetime time.Duration) (Turn, error) {
	now := s.now()
	owner, err := s.owner()
	if err != nil {
		return turn, err
	}
	var refused error
	err = s.write(ctx, func(tx *sql.Tx) error {
		var state State
		var before string
		var expires int64
		var reason scannedFailure
		err := tx.QueryRowContext(ctx, `SELECT state, owner, expires, `+failureColumns+` FROM turns t WHERE id = ?`, turn.ID).
			Scan(slices.Concat([]any{&state, &before, &expires}, reason.into())...)
		turn.reason = reason.failure()
		switch {
		case errors.Is(err, sql.ErrNoRows):
			refused = &TurnNotFoundError{Ref: turn.ID}
			return nil
		case err != nil:
			return err
		case state == Answered, state == Pending && expires > millis(now) && s.alive(before):
			refused = &TakenError{Turn: turn.ID, State: state}
			return nil
		case state == Pending:
			turn.reason = killed()
		}
		turn.unknown = state != Failed
		result, err := tx.ExecContext(ctx, `UPDATE turns SET state = 'pending', expires = ?, owner = ?, ended = NULL, failure = NULL, failure_kind = NULL, failure_status = NULL WHERE id = ?`,
			millis(now.Add(lifetime)), owner, turn.ID)
		return changedOne(result, err, "turn "+turn.ID)
	})
	if err == nil && refused != nil {
		return turn, refused
	}
	turn.State, turn.Failure, turn.Ended, turn.resent = Pending, Failure{}, time.Time{}, true
	return turn, err
}

// waiting reports whether another process waits for an answer under the parent
// of a turn.
func (s *Store) waiting(ctx context.Context, tx *sql.Tx, turn Turn, now int64) (waits bool, err error) {
	err = sqlite.Each(ctx, tx, `SELECT DISTINCT owner FROM turns
		WHERE conversation = ? AND parent IS ? AND id <> ? AND state = 'pending' AND expires > ?`, []any{turn.Conversation, null(turn.Parent), turn.ID, now}, func(rows *sql.Rows) error {
		var owner string
		err := rows.Scan(&owner)
		waits = waits || owner != s.self && s.alive(owner)
		return err
	})
	return waits, err
}

// killed is why a turn is unknown whose process ended before it recorded more.
func killed() Failure {
	return Failure{Kind: failure.Unknown, Text: "hobnob ended before an answer came"}
}

// Fail commits that a turn got no answer, and returns the state that it has now.
// State is Failed or Unknown, reason is kept for the user, response is the body of
// a broken reply or nil. A turn of Retry that may have been accepted before stays
// Unknown, for the reason that it had, when it was not accepted this time.
func (s *Store) Fail(ctx context.Context, turn Turn, state State, reason Failure, response []byte) (State, error) {
	if state != Failed && state != Unknown {
		return state, fmt.Errorf("a turn does not fail as %s", state)
	}
	stays := turn.unknown && state == Failed
	if stays {
		state, reason = Unknown, turn.reason
	}
	return state, s.write(ctx, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE turns SET state = ?, ended = ?, failure = ?, failure_kind = ?, failure_status = ?,
			response = CASE WHEN ? THEN response ELSE ? END WHERE id = ? AND state <> 'answered'`,
			slices.Concat([]any{state, millis(s.now())}, reason.columns(), []any{stays, response, turn.ID})...)
		return changedOne(result, err, "turn "+turn.ID)
	})
}

// write runs fn in one transaction, which takes the write lock at its start.
func (s *Store) write(ctx context.Context, fn func(*sql.Tx) error) error {
	if err := s.Writable(); err != nil {
		return err
	}
	if err := s.db.Write(ctx, fn); err != nil {
		return fmt.Errorf("cannot write %s: %w", s.path, sqlite.Explain(err))
	}
	return nil
}

func changedOne(result sql.Result, err error, what string) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n != 1 {
		return fmt.Errorf("%s is gone", what)
	}
	return nil
}

// null stores an empty string as NULL.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// nullInt stores 0 as NULL.
func nullInt(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// titleRunes is the longest automatic title.
const titleRunes = 60

// TitleOf is the automatic title of a conversation: the first line of the
// question that says something, cut at a word near 60 characters.
func TitleOf(question string) string {
	for line := range strings.Lines(question) {
		words := strings.Fields(line)
		title := ""
		for _, word := range words {
			next := strings.TrimSpace(title + " " + word)
			if utf8.RuneCountInString(next) > titleRunes {
				if title == "" {
					title = string([]rune(word)[:titleRunes-1])
				}
				return title + "…"
			}
			title = next
		}
		if title != "" {
			return title
		}
	}
	return "untitled"
}
