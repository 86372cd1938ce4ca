package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// minPrefix is the shortest part of an id that names a conversation.
const minPrefix = 4

// shortLength is how much of an id Short keeps.
const shortLength = 8

// maxMatches bounds how many conversations an AmbiguousError lists.
const maxMatches = 5

const conversationColumns = `c.id, c.title, c.profile, c.agent_id, coalesce(c.head, ''), c.created, c.updated, coalesce(c.deleted, 0),
	(SELECT count(*) FROM turns WHERE conversation = c.id)`

// Find returns the conversation that ref names: its id, a unique prefix of at
// least four characters, or its exact title. Errors are *NotFoundError, which
// knows what of that name is in the trash, and *AmbiguousError.
func (s *Store) Find(ctx context.Context, ref string) (Conversation, error) {
	found, err := s.find(ctx, ref, `c.deleted IS NULL`)
	var missing *NotFoundError
	if !errors.As(err, &missing) {
		return found, err
	}
	deleted, derr := s.FindDeleted(ctx, ref)
	var several *AmbiguousError
	switch {
	case derr == nil:
		missing.Trashed = []Conversation{deleted}
	case errors.As(derr, &several):
		missing.Trashed = several.Matches
	}
	return found, err
}

// Resolve is Find for what a user types: ref may also be a conversation or
// completion id that the service gave.
func (s *Store) Resolve(ctx context.Context, ref string) (Conversation, error) {
	found, err := s.Find(ctx, ref)
	if errors.As(err, new(*NotFoundError)) {
		if turn, terr := s.FindByService(ctx, ref); terr == nil {
			return s.Find(ctx, turn.Conversation)
		}
	}
	return found, err
}

// FindDeleted is Find in the trash.
func (s *Store) FindDeleted(ctx context.Context, ref string) (Conversation, error) {
	return s.find(ctx, ref, `c.deleted IS NOT NULL`)
}

// FindAll is Find for several conversations, or FindDeleted. It returns the first
// error.
func (s *Store) FindAll(ctx context.Context, refs []string, deleted bool) ([]Conversation, error) {
	find := s.Find
	if deleted {
		find = s.FindDeleted
	}
	found := make([]Conversation, len(refs))
	for i, ref := range refs {
		var err error
		if found[i], err = find(ctx, ref); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// FindAny returns the conversation with that id, in the trash or not.
func (s *Store) FindAny(ctx context.Context, id string) (Conversation, error) {
	found, err := s.Find(ctx, id)
	if errors.As(err, new(*NotFoundError)) {
		return s.FindDeleted(ctx, id)
	}
	return found, err
}

func (s *Store) find(ctx context.Context, ref, where string) (Conversation, error) {
	found, err := s.conversations(ctx, `WHERE c.id = ? AND `+where, strings.ToLower(ref))
	if err == nil && len(found) == 0 {
		found, err = s.conversations(ctx, `WHERE c.title = ? AND `+where+` ORDER BY c.updated DESC LIMIT ?`, ref, maxMatches)
	}
	// A title that reads like the short id of another conversation, as lists and
	// completion write it, must not be taken for that one.
	if err == nil && isPrefix(ref) && (len(found) == 0 || len(ref) >= shortLength) {
		low := strings.ToLower(ref)
		var more []Conversation
		more, err = s.conversations(ctx, `WHERE c.id >= ? AND c.id < ? AND c.title <> ? AND `+where+` ORDER BY c.updated DESC LIMIT ?`, low, low+"g", ref, maxMatches)
		found = append(found, more...)
	}
	switch {
	case err != nil:
		return Conversation{}, err
	case len(found) == 0:
		return Conversation{}, &NotFoundError{Ref: ref, NoHistory: !s.Saved()}
	case len(found) > 1:
		return Conversation{}, &AmbiguousError{Ref: ref, Matches: found}
	}
	return found[0], nil
}

// isPrefix reports whether ref can be the beginning of a UUID.
func isPrefix(ref string) bool {
	return len(ref) >= minPrefix && len(ref) < 36 && strings.Trim(strings.ToLower(ref), "0123456789abcdef-") == ""
}

// Latest returns the conversation of the profile that was used last, or a *NotFoundError.
func (s *Store) Latest(ctx context.Context, profile string) (Conversation, error) {
	found, err := s.List(ctx, Filter{Profile: profile, Limit: 1})
	if err != nil {
		return Conversation{}, err
	}
	if len(found) == 0 {
		return Conversation{}, &NotFoundError{Profile: profile, NoHistory: !s.Saved()}
	}
	return found[0], nil
}

// Filter narrows a list of conversations.
type Filter struct {
	Profile string
	AgentID string // empty: every agent
	Deleted bool   // those in the trash instead of the others
	Limit   int    // 0: all
}

// clockTolerance is how far ahead of the clock a time may be that is still
// believed: clocks are set right by less than that all the time.
const clockTolerance = 5 * time.Minute

// InFuture reports whether something cannot have been used at that time: a clock
// was ahead, or an import brought it.
func InFuture(used, now time.Time) bool { return used.After(now.Add(clockTolerance)) }

// List returns conversations, the latest used first, and after them those whose
// time is in the future.
func (s *Store) List(ctx context.Context, f Filter) ([]Conversation, error) {
	where, limit := `c.deleted IS NULL`, f.Limit
	if f.Deleted {
		where = `c.deleted IS NOT NULL`
	}
	if limit <= 0 {
		limit = -1
	}
	now := millis(s.now().Add(clockTolerance))
	list := func(when string, limit int) ([]Conversation, error) {
		return s.conversations(ctx, `WHERE c.profile = ?1 AND `+where+` AND (?2 = '' OR c.agent_id = ?2) AND c.updated `+when+` ?4
			ORDER BY c.updated DESC, c.rowid DESC LIMIT ?3`, f.Profile, f.AgentID, limit, now)
	}
	found, err := list("<=", limit)
	if err != nil || len(found) == limit {
		return found, err
	}
	future, err := list(">", max(limit-len(found), -1))
	return append(found, future...), err
}

// Count returns how many conversations there are; Limit means nothing here.
func (s *Store) Count(ctx context.Context, f Filter) (int, error) {
	var n int
	err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM conversations WHERE profile = ?1 AND deleted IS NULL AND (?2 = '' OR agent_id = ?2)`, f.Profile, f.AgentID).Scan(&n)
	return n, s.readError(err)
}

// ByService returns the conversations that hold the service's conversation
// ids, keyed by those.
func (s *Store) ByService(ctx context.Context, profile string, ids []string) (map[string]Conversation, error) {
	byService := make(map[string]Conversation, len(ids))
	byID := map[string]Conversation{}
	for _, id := range ids {
		var local string
		err := s.db.QueryRowContext(ctx, `SELECT t.conversation FROM turns t JOIN conversations c ON c.id = t.conversation
			WHERE t.service_conversation_id = ? AND c.profile = ?`, id, profile).Scan(&local)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, s.readError(err)
		}
		if _, seen := byID[local]; !seen {
			found, err := s.conversations(ctx, `WHERE c.id = ?`, local)
			if err != nil {
				return nil, err
			}
			byID[local] = found[0]
		}
		byService[id] = byID[local]
	}
	return byService, nil
}

// Path returns the turns from the root to head, root first, at most limit of
// the latest when limit is positive. All of them are answered. The service's
// responses, which are long, are left out. A circle of parents, which only a
// damaged file can hold, ends after as many turns as the conversation has.
func (s *Store) Path(ctx context.Context, head string, limit int) ([]Turn, error) {
	if head == "" {
		return nil, nil
	}
	if limit <= 0 {
		limit = -1
	}
	return s.turns(ctx, `WITH RECURSIVE path(id, parent, depth) AS (
			SELECT id, parent, 0 FROM turns WHERE id = ?1
			UNION ALL
			SELECT t.id, t.parent, depth + 1 FROM turns t JOIN path ON t.id = path.parent WHERE (?2 < 0 OR depth + 1 < ?2)
				AND depth < (SELECT count(*) FROM turns WHERE conversation = (SELECT conversation FROM turns WHERE id = ?1))
		) SELECT `+strings.Replace(turnColumns, "t.response", "NULL", 1)+` FROM path JOIN turns t ON t.id = path.id WHERE t.state = 'answered' ORDER BY path.depth DESC`, head, limit)
}

// Turns returns every turn of a conversation in the order of asking.
func (s *Store) Turns(ctx context.Context, conversation string) ([]Turn, error) {
	return s.turns(ctx, `SELECT `+turnColumns+` FROM turns t WHERE t.conversation = ? ORDER BY t.seq`, conversation)
}

// LastUnanswered returns the newest turn asked below the conversation's head
// that has no answer and that no process is waiting for any more; ok is false when there is none.
func (s *Store) LastUnanswered(ctx context.Context, c Conversation) (turn Turn, ok bool, err error) {
	turns, err := s.turns(ctx, `SELECT `+turnColumns+` FROM turns t WHERE t.conversation = ?1 AND t.state <> 'answered'
		AND t.parent IS ?2 ORDER BY t.seq DESC LIMIT 1`, c.ID, null(c.Head))
	if err != nil || len(turns) == 0 || turns[0].State == Pending {
		return Turn{}, false, err
	}
	return turns[0], true, nil
}

const turnColumns = `t.id, t.conversation, coalesce(t.parent, ''), t.question, coalesce(t.reply, ''), t.state, t.agent_id, t.asked, t.expires, t.owner,
	coalesce(t.ended, 0), ` + failureColumns + `, coalesce(t.service_id, ''), coalesce(t.service_conversation_id, ''), coalesce(t.model, ''),
	coalesce(t.finish_reason, ''), t.prompt_tokens, t.completion_tokens, t.total_tokens, t.response, coalesce(t.mark, '')`

func (s *Store) turns(ctx context.Context, query string, args ...any) ([]Turn, error) {
	now := millis(s.now())
	var turns []Turn
	err := sqlite.Each(ctx, s.db, query, args, func(rows *sql.Rows) error {
		t, waiting, err := scanTurn(rows)
		if t.State == Pending && (waiting.until <= now || !s.alive(waiting.owner)) {
			t.State, t.Failure = Unknown, killed()
		}
		turns = append(turns, t)
		return err
	})
	return turns, s.readError(err)
}

// scanTurn reads turnColumns as the file has them. A turn that is still pending
// after expires, in milliseconds, belongs to a process that was killed.
func scanTurn(rows *sql.Rows) (t Turn, waiting claim, err error) {
	var asked, ended int64
	var prompt, completion, total sql.NullInt64
	var reason scannedFailure
	err = rows.Scan(slices.Concat(
		[]any{&t.ID, &t.Conversation, &t.Parent, &t.Question, &t.Reply, &t.State, &t.AgentID, &asked, &waiting.until, &waiting.owner, &ended}, reason.into(),
		[]any{&t.Service.ID, &t.Service.ConversationID, &t.Service.Model, &t.Service.FinishReason, &prompt, &completion, &total, &t.Service.Response, &t.Mark})...)
	t.Failure = reason.failure()
	if total.Valid {
		t.Service.Usage = &Usage{PromptTokens: counted(prompt.Int64), CompletionTokens: counted(completion.Int64), TotalTokens: counted(total.Int64)}
	}
	t.Asked, t.Ended = fromMillis(asked), fromMillis(ended)
	return t, waiting, err
}

// failureColumns are what a scannedFailure reads of the turns t.
const failureColumns = `coalesce(t.failure, ''), coalesce(t.failure_kind, ''), coalesce(t.failure_status, 0)`

type scannedFailure struct {
	text, kind string
	status     int
}

func (f *scannedFailure) into() []any { return []any{&f.text, &f.kind, &f.status} }

func (f *scannedFailure) failure() Failure {
	if *f == (scannedFailure{}) {
		return Failure{}
	}
	return Failure{Kind: failure.ParseKind(f.kind), Status: f.status, Text: f.text}
}

// claim is who waits for the answer of a pending turn, and until when at most.
type claim struct {
	until int64 // milliseconds since 1970
	owner string
}

func (s *Store) conversations(ctx context.Context, where string, args ...any) ([]Conversation, error) {
	return s.conversationsIn(ctx, s.db, where, args...)
}

func (s *Store) conversationsIn(ctx context.Context, db queryer, where string, args ...any) ([]Conversation, error) {
	var found []Conversation
	err := sqlite.Each(ctx, db, `SELECT `+conversationColumns+` FROM conversations c `+where, args, func(rows *sql.Rows) error {
		var c Conversation
		var created, updated, deleted int64
		err := rows.Scan(&c.ID, &c.Title, &c.Profile, &c.AgentID, &c.Head, &created, &updated, &deleted, &c.Turns)
		c.Created, c.Updated, c.Deleted = fromMillis(created), fromMillis(updated), fromMillis(deleted)
		found = append(found, c)
		return err
	})
	return found, s.readError(err)
}

// Services returns the service's conversation ids that belong to one
// conversation, oldest first: the service opens a new one for every question.
func (s *Store) Services(ctx context.Context, conversation string) ([]string, error) {
	var ids []string
	err := sqlite.Each(ctx, s.db, `SELECT service_conversation_id FROM turns
		WHERE conversation = ? AND service_conversation_id IS NOT NULL ORDER BY seq`, []any{conversation}, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, s.readError(err)
}

func (s *Store) readError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot read %s: %w", s.path, sqlite.Explain(err))
}

// replySample is how many replies tell how an agent counts.
const replySample = 50

// replyReach is how many of an agent's latest replies are looked at for those of
// one profile, which may have none of them.
const replyReach = 20 * replySample

// ReplySizes sums the bytes and the counted tokens of the latest replies of an
// agent in a profile, so that callers can estimate tokens.
func (s *Store) ReplySizes(ctx context.Context, profile, agentID string) (bytes, tokens int64, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT coalesce(sum(size), 0), coalesce(sum(count), 0) FROM (
		SELECT octet_length(t.reply) AS size, t.completion_tokens AS count
		FROM (SELECT seq FROM turns WHERE agent_id = ?1 AND completion_tokens > 0 ORDER BY seq DESC LIMIT ?4) l
		CROSS JOIN turns t ON t.seq = l.seq CROSS JOIN conversations c ON c.id = t.conversation
		WHERE c.profile = ?2 AND t.completion_tokens <= ?5 LIMIT ?3)`, agentID, profile, replySample, replyReach, MaxTokens).Scan(&bytes, &tokens)
	return bytes, tokens, s.readError(err)
}
