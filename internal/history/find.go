package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// minPrefix is the shortest part of an id that names a conversation.
const minPrefix = 4

// shortLength is how much of an id Short keeps.
const shortLength = 8

// maxMatches bounds how many conversations an AmbiguousError lists.
const maxMatches = 5

// Find returns the conversation that ref names: its id, a unique prefix of at
// least four characters, or its exact title. Errors are *NotFoundError, which
// knows what of that name is in the trash, and *AmbiguousError.
func (s *Store) Find(ctx context.Context, ref string) (Conversation, error) {
	found, err := s.named(ctx, ref, false)
	c, err := s.only(ref, found, err)
	if missing, ok := errors.AsType[*NotFoundError](err); ok {
		missing.Trashed, _ = s.named(ctx, ref, true)
	}
	return c, err
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
	found, err := s.named(ctx, ref, true)
	return s.only(ref, found, err)
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
	found, err := s.conversations(ctx, `WHERE c.id = ?`, id)
	return s.only(id, found, err)
}

// only returns the one conversation of those that ref names.
func (s *Store) only(ref string, found []Conversation, err error) (Conversation, error) {
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

// named returns the conversations that ref names, at most a few of them.
func (s *Store) named(ctx context.Context, ref string, deleted bool) ([]Conversation, error) {
	where, low := inTrash(deleted), strings.ToLower(ref)
	found, err := s.conversations(ctx, `WHERE c.id = ? AND `+where, low)
	if err == nil && len(found) == 0 {
		found, err = s.conversations(ctx, `WHERE c.title = ? AND `+where+` ORDER BY c.updated DESC LIMIT ?`, ref, maxMatches)
	}
	// A title that reads like the short id of another conversation, as lists and
	// completion write it, must not be taken for that one.
	if err == nil && isPrefix(ref) && (len(found) == 0 || len(ref) >= shortLength) {
		var more []Conversation
		more, err = s.conversations(ctx, `WHERE c.id >= ? AND c.id < ? AND c.title <> ? AND `+where+` ORDER BY c.updated DESC LIMIT ?`, low, low+"g", ref, maxMatches)
		found = append(found, more...)
	}
	return found, err
}

// inTrash is the condition that a conversation c is in the trash, or that it is not.
func inTrash(deleted bool) string {
	if deleted {
		return `c.deleted IS NOT NULL`
	}
	return `c.deleted IS NULL`
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
	now := millis(s.now().Add(clockTolerance))
	list := func(when string, limit int) ([]Conversation, error) {
		return s.conversations(ctx, `WHERE c.profile = ?1 AND `+inTrash(f.Deleted)+` AND (?2 = '' OR c.agent_id = ?2) AND c.updated `+when+` ?4
			ORDER BY c.updated DESC, c.rowid DESC LIMIT iif(?3 > 0, ?3, -1)`, f.Profile, f.AgentID, limit, now)
	}
	found, err := list("<=", f.Limit)
	if err != nil || f.Limit > 0 && len(found) == f.Limit {
		return found, err
	}
	future, err := list(">", f.Limit-len(found))
	return append(found, future...), err
}

// ConversationsBeginning is List for the conversations whose id begins with prefix,
// of every agent.
func (s *Store) ConversationsBeginning(ctx context.Context, f Filter, prefix string) ([]Conversation, error) {
	if prefix == "" {
		return s.List(ctx, f)
	}
	return s.conversations(ctx, `WHERE c.id >= ?1 AND c.id < ?1 || 'g' AND c.profile = ?2 AND `+inTrash(f.Deleted)+`
		ORDER BY c.updated DESC, c.rowid DESC LIMIT iif(?3 > 0, ?3, -1)`, strings.ToLower(prefix), f.Profile, f.Limit)
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
	type pair struct{ service, local string }
	pairs, err := read(ctx, s, `SELECT t.service_conversation_id, t.conversation FROM turns t JOIN conversations c ON c.id = t.conversation
		WHERE t.service_conversation_id IN (`+listed+`) AND c.profile = ? ORDER BY t.seq DESC`, []any{list(ids), profile},
		func(rows *sql.Rows, p *pair) error { return rows.Scan(&p.service, &p.local) })
	if err != nil {
		return nil, err
	}
	locals := make([]string, len(pairs))
	for i, p := range pairs {
		locals[i] = p.local
	}
	found, err := s.byID(ctx, locals)
	byService := make(map[string]Conversation, len(pairs))
	for _, p := range pairs {
		byService[p.service] = found[p.local]
	}
	return byService, err
}

// byID returns the conversations with these ids, in the trash or not.
func (s *Store) byID(ctx context.Context, ids []string) (map[string]Conversation, error) {
	found, err := s.conversations(ctx, `WHERE c.id IN (`+listed+`)`, list(ids))
	byID := make(map[string]Conversation, len(found))
	for _, c := range found {
		byID[c.ID] = c
	}
	return byID, err
}

// listed selects the ids of list(ids), which is its argument.
const listed = `SELECT value FROM json_each(?)`

func list(ids []string) string {
	text, _ := json.Marshal(ids)
	return string(text)
}

// Path returns the turns from the root to head, root first, at most limit of
// the latest when limit is positive. All of them are answered. The service's
// responses, which are long, are left out. A circle of parents, which only a
// damaged file can hold, ends after as many turns as the conversation has.
func (s *Store) Path(ctx context.Context, head string, limit int) ([]Turn, error) {
	if head == "" {
		return nil, nil
	}
	return read(ctx, s, `WITH RECURSIVE path(id, parent, depth) AS (
			SELECT id, parent, 0 FROM turns WHERE id = ?1
			UNION ALL
			SELECT t.id, t.parent, depth + 1 FROM turns t JOIN path ON t.id = path.parent WHERE (?2 <= 0 OR depth + 1 < ?2)
				AND depth < (SELECT count(*) FROM turns WHERE conversation = (SELECT conversation FROM turns WHERE id = ?1))
		) SELECT `+strings.Replace(turnColumns, "t.response", "NULL", 1)+` FROM path JOIN turns t ON t.id = path.id WHERE t.state = 'answered' ORDER BY path.depth DESC`,
		[]any{head, limit}, s.scanTurn)
}

// Turns returns every turn of a conversation in the order of asking.
func (s *Store) Turns(ctx context.Context, conversation string) ([]Turn, error) {
	return s.turns(ctx, `WHERE t.conversation = ? ORDER BY t.seq`, conversation)
}

// questionStart is how much of a question TurnsBeginning reads, in characters.
const questionStart = 200

// TurnsBeginning returns at most limit turns of a conversation, the latest first,
// whose id begins with prefix; of each there are the id, the state, the time of
// asking and the beginning of the question, and no more.
func (s *Store) TurnsBeginning(ctx context.Context, conversation, prefix string, limit int) ([]Turn, error) {
	return read(ctx, s, `SELECT conversation, id, state, asked, substr(question, 1, ?4) FROM turns
		WHERE conversation = ?1 AND id >= ?2 AND id < ?2 || 'g' ORDER BY seq DESC LIMIT ?3`, []any{conversation, strings.ToLower(prefix), limit, questionStart},
		func(rows *sql.Rows, t *Turn) error {
			var asked int64
			err := rows.Scan(&t.Conversation, &t.ID, &t.State, &asked, &t.Question)
			t.Asked = fromMillis(asked)
			return err
		})
}

// Services returns the service's conversation ids that belong to one
// conversation, oldest first: the service opens a new one for every question.
func (s *Store) Services(ctx context.Context, conversation string) ([]string, error) {
	return read(ctx, s, `SELECT service_conversation_id FROM turns
		WHERE conversation = ? AND service_conversation_id IS NOT NULL ORDER BY seq`, []any{conversation}, sqlite.Column[string])
}
