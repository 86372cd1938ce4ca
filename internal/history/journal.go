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
		// A question makes its conversation the latest, whatever becomes of it, and
		// whatever a clock that was ahead has written there.
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
			next = head // the conversation went on without this turn
		}
		branch.Answered = !turn.resent && head != turn.head
		return changeOne(ctx, tx, "conversation", turn.Conversation, `UPDATE conversations SET head = ?, updated = ? WHERE id = ?`, next, millis(turn.Ended))
	})
	return branch, err
}

// Retry makes an unanswered turn pending again, under the same id, and returns
// it for Answer or Fail. Its answer becomes the head only if the conversation has
// not gone on meanwhile. A turn that is answered, or for which a process waits, is
// a *TakenError; one that is gone is a *TurnNotFoundError.
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

// awaited reports whether a process waits for the answer of a turn that meets a
// condition.
func (s *Store) awaited(ctx context.Context, tx *sql.Tx, where string, args ...any) (bool, error) {
	owners, err := sqlite.All(ctx, tx, `SELECT DISTINCT owner FROM turns WHERE `+where+` AND state = 'pending' AND expires > ?`,
		append(args, millis(s.now())), sqlite.Column[string])
	return slices.ContainsFunc(owners, s.alive), err
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
		return changeOne(ctx, tx, "turn", turn.ID, `UPDATE turns SET state = ?, ended = ?, failure = ?, failure_kind = ?, failure_status = ?,
			response = CASE WHEN ? THEN response ELSE ? END WHERE id = ? AND state <> 'answered'`,
			slices.Concat([]any{state, millis(s.now())}, reason.columns(), []any{stays, response})...)
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

// titleRunes is the longest automatic title.
const titleRunes = 60

// TitleOf is the automatic title of a conversation: the first line of the
// question that says something, cut at a word near 60 characters.
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
