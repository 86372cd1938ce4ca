package history

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Question is a turn about to be sent.
type Question struct {
	Conversation string // empty opens a new conversation
	Parent       string // the answered turn that it follows, empty for a root
	Title        string // of a new conversation; empty: taken from Text
	Profile      string // of a new conversation
	AgentID      string
	Text         string
	// Instructions, if not nil, replace those of the conversation.
	Instructions *Instructions
	// Lifetime is the maximum time until the outcome is recorded. A turn that is
	// still pending afterwards reads as unknown.
	Lifetime time.Duration
}

// Branch describes other questions in the conversation while a question was pending.
type Branch struct {
	// Answered reports whether another answer became the head since the question was asked.
	Answered bool
	// InFlight reports whether another question with the same parent is still pending.
	InFlight bool
}

// Begin commits the question as pending and returns its turn. If the error is nil,
// the question survives a crash.
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
			c := Conversation{ID: turn.Conversation, Title: strings.ToValidUTF8(q.Title, "\uFFFD"), Profile: q.Profile, AgentID: q.AgentID, Created: now, Updated: now}
			if c.Title == "" {
				c.Title = TitleOf(q.Text)
			}
			if err := insertConversation(ctx, tx, c); err != nil {
				return err
			}
		}
		if turn.head, err = headOf(ctx, tx, turn); err != nil {
			return err
		}
		if q.Instructions != nil {
			if err := writeInstructions(ctx, tx, turn.Conversation, *q.Instructions); err != nil {
				return err
			}
		}
		// The conversation becomes the latest with any outcome, even if a wrong clock
		// has set a later time.
		if _, err = tx.ExecContext(ctx, `UPDATE conversations SET updated = ? WHERE id = ?`, millis(now), turn.Conversation); err != nil {
			return err
		}
		return insertTurn(ctx, tx, turn, now.Add(q.Lifetime), owner)
	})
	return turn, err
}

// headOf returns the head of a turn's conversation.
func headOf(ctx context.Context, tx *sql.Tx, turn Turn) (head string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(head, '') FROM conversations WHERE id = ?`, turn.Conversation).Scan(&head)
	return head, err
}

// SeqPerMilli is the maximum number of turns asked in one millisecond. The key of a
// turn divided by it is the time of the question in milliseconds since 1970.
const SeqPerMilli = 1 << 12

// NextSeq returns the first free key for a turn asked at a time in milliseconds
// since 1970.
func NextSeq(ctx context.Context, tx *sql.Tx, asked int64) (seq int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(seq) + 1, ?1) FROM turns WHERE seq >= ?1 AND seq < ?2`,
		asked*SeqPerMilli, (asked+1)*SeqPerMilli).Scan(&seq)
	return seq, err
}

// Answer commits the reply of a turn and moves the head of the conversation to it.
func (s *Store) Answer(ctx context.Context, turn Turn, reply string, service Service) (Branch, error) {
	var branch Branch
	turn.Reply, turn.Service, turn.Ended = reply, service, s.now()
	err := s.write(ctx, func(tx *sql.Tx) error {
		if err := setAnswer(ctx, tx, turn); err != nil {
			return err
		}
		head, err := headOf(ctx, tx, turn)
		if err != nil {
			return err
		}
		if branch.InFlight, err = s.awaited(ctx, tx, `conversation = ? AND parent IS ? AND id <> ? AND owner <> ?`,
			turn.Conversation, null(turn.Parent), turn.ID, s.self); err != nil {
			return err
		}
		next := turn.ID
		if turn.resent && head != turn.Parent {
			next = head // the conversation was continued without this turn
		}
		branch.Answered = !turn.resent && head != turn.head
		return changeOne(ctx, tx, "conversation", turn.Conversation, `UPDATE conversations SET head = ?, updated = ? WHERE id = ?`, next, millis(turn.Ended))
	})
	return branch, err
}

// Retry makes an unanswered turn pending again, under the same id, and returns it for
// Answer or Fail. Its answer becomes the head only if the conversation was not
// continued in the meantime. An answered turn, or one that a process is waiting for,
// is a *TakenError, a missing one a *TurnNotFoundError.
func (s *Store) Retry(ctx context.Context, turn Turn, lifetime time.Duration) (Turn, error) {
	owner, err := s.owner()
	if err != nil {
		return turn, err
	}
	var refused error
	err = s.write(ctx, func(tx *sql.Tx) error {
		found, err := sqlite.All(ctx, tx, `SELECT `+turnColumns+` FROM turns t WHERE t.id = ?`, []any{turn.ID}, s.scanTurn)
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			refused = &TurnNotFoundError{Ref: turn.ID}
			return nil
		case found[0].State == Answered, found[0].State == Pending:
			refused = &TakenError{Turn: turn.ID, State: found[0].State}
			return nil
		}
		turn.unknown, turn.reason = found[0].State != Failed, found[0].Failure
		return changeOne(ctx, tx, "turn", turn.ID, `UPDATE turns SET state = 'pending', expires = ?, owner = ?, ended = NULL, failure = NULL, failure_kind = NULL, failure_status = NULL WHERE id = ?`,
			millis(s.now().Add(lifetime)), owner)
	})
	if err == nil && refused != nil {
		return turn, refused
	}
	turn.State, turn.Failure, turn.Ended, turn.resent = Pending, Failure{}, time.Time{}, true
	return turn, err
}

// awaited reports whether a process is waiting for any of the turns that match a
// condition.
func (s *Store) awaited(ctx context.Context, tx *sql.Tx, where string, args ...any) (bool, error) {
	owners, err := sqlite.All(ctx, tx, `SELECT DISTINCT owner FROM turns WHERE `+where+` AND state = 'pending' AND expires > ?`,
		append(args, millis(s.now())), sqlite.Column[string])
	return slices.ContainsFunc(owners, s.alive), err
}

// Fail commits the outcome of a turn without an answer and returns its new state. The
// argument state is Failed or Unknown; response is the body of an invalid reply or nil.
// If the outcome was unknown before Retry, it stays Unknown, with the earlier reason,
// even if the retry Failed.
func (s *Store) Fail(ctx context.Context, turn Turn, state State, reason Failure, response []byte) (State, error) {
	if state != Failed && state != Unknown {
		return state, fmt.Errorf("invalid state of a failed turn: %s", state)
	}
	stays := turn.unknown && state == Failed
	if stays {
		state, reason = Unknown, turn.reason
	}
	return state, s.write(ctx, func(tx *sql.Tx) error {
		return changeOne(ctx, tx, "turn", turn.ID, `UPDATE turns SET state = ?, ended = ?, failure = ?, failure_kind = ?, failure_status = ?,
			response = CASE WHEN ? THEN response ELSE ? END WHERE id = ? AND state <> 'answered'`,
			slices.Concat([]any{state, millis(s.now())}, reason.columns(), []any{stays, response})...)
	})
}

// write runs fn in a transaction, which takes the write lock at its start.
func (s *Store) write(ctx context.Context, fn func(*sql.Tx) error) error {
	if err := s.Writable(); err != nil {
		return err
	}
	if err := s.db.Write(ctx, fn); err != nil {
		return fmt.Errorf("cannot write %s: %w", s.path, sqlite.Explain(err))
	}
	return nil
}

// titleRunes is the maximum length of an automatic title, in characters.
const titleRunes = 60

// TitleOf returns the automatic title of a conversation: the first non-blank line of
// the question, cut between words to at most 60 characters.
func TitleOf(question string) string {
	for line := range strings.Lines(question) {
		title := strings.Join(strings.Fields(line), " ")
		if title == "" {
			continue
		}
		runes := []rune(title)
		if len(runes) <= titleRunes {
			return title
		}
		head := string(runes[:titleRunes+1])
		if end := strings.LastIndexByte(head, ' '); end > 0 {
			return head[:end] + "…"
		}
		return string(runes[:titleRunes-1]) + "…"
	}
	return "untitled"
}
