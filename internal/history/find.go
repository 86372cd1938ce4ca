package history

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// minPrefix is the minimum length of an abbreviated id.
const minPrefix = 4

// shortLength is the length of the ids that Short returns.
const shortLength = 8

// maxMatches is the maximum number of conversations that an AmbiguousError lists.
const maxMatches = 5

// Find returns the conversation that ref identifies: an id, a unique prefix of an id
// with at least four characters, an exact title, or a title that differs in letter
// case only. Errors are *NotFoundError, which lists matches in the trash, and
// *AmbiguousError.
func (s *Store) Find(ctx context.Context, ref string) (Conversation, error) {
	found, err := s.named(ctx, ref, false)
	c, err := s.only(ref, found, err)
	if missing, ok := errors.AsType[*NotFoundError](err); ok {
		missing.Trashed, _ = s.named(ctx, ref, true)
	}
	return c, err
}

// Resolve is Find for user input: ref may also be a conversation or completion id
// of the service.
func (s *Store) Resolve(ctx context.Context, ref string) (Conversation, error) {
	found, err := s.Find(ctx, ref)
	if errors.As(err, new(*NotFoundError)) {
		if turn, terr := s.FindByService(ctx, ref); terr == nil {
			return s.Find(ctx, turn.Conversation)
		}
	}
	return found, err
}

// FindDeleted is Find for conversations in the trash.
func (s *Store) FindDeleted(ctx context.Context, ref string) (Conversation, error) {
	found, err := s.named(ctx, ref, true)
	return s.only(ref, found, err)
}

// FindAll calls Find, or FindDeleted, for several conversations. It returns the
// first error.
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

// FindAny returns the conversation with an id, in the trash or not.
func (s *Store) FindAny(ctx context.Context, id string) (Conversation, error) {
	found, err := s.conversations(ctx, `WHERE c.id = ?`, id)
	return s.only(id, found, err)
}

// only returns the single element of found, the conversations that ref matches.
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

// named returns up to maxMatches+1 conversations that ref matches.
func (s *Store) named(ctx context.Context, ref string, deleted bool) ([]Conversation, error) {
	where, low := inTrash(deleted), strings.ToLower(ref)
	found, err := s.conversations(ctx, `WHERE c.id = ? AND `+where, low)
	if err == nil && len(found) == 0 {
		found, err = s.conversations(ctx, `WHERE c.title = ? AND `+where+` ORDER BY c.updated DESC LIMIT ?`, ref, maxMatches+1)
	}
	if err == nil && len(found) == 0 {
		found, err = s.titled(ctx, ref, where)
	}
	// A title that looks like the short id of another conversation, as lists and
	// completion print it, is ambiguous.
	if err == nil && isPrefix(ref) && (len(found) == 0 || len(ref) >= shortLength || found[0].Title != ref) {
		var more []Conversation
		more, err = s.conversations(ctx, `WHERE c.id >= ? AND c.id < ? AND c.title <> ? AND `+where+` ORDER BY c.updated DESC LIMIT ?`, low, low+"g", ref, maxMatches+1)
		found = append(found, slices.DeleteFunc(more, func(c Conversation) bool { return strings.EqualFold(c.Title, ref) })...)
	}
	return found, err
}

// inTrash returns the condition that a conversation c is, or is not, in the trash.
func inTrash(deleted bool) string {
	if deleted {
		return `c.deleted IS NOT NULL`
	}
	return `c.deleted IS NULL`
}

// isPrefix reports whether ref can be an abbreviated UUID.
func isPrefix(ref string) bool {
	return len(ref) >= minPrefix && len(ref) < 36 && strings.Trim(strings.ToLower(ref), "0123456789abcdef-") == ""
}

// Latest returns the most recently used conversation of a profile that has an answer,
// or without any answer, the most recently used one. The error is a *NotFoundError.
func (s *Store) Latest(ctx context.Context, profile string) (Conversation, error) {
	found, err := s.List(ctx, Filter{Profile: profile, Answered: true, Limit: 1})
	switch {
	case err != nil:
		return Conversation{}, err
	case len(found) == 0:
		return s.LastUsed(ctx, profile)
	}
	return found[0], nil
}

// LastUsed returns the most recently used conversation of a profile, with or without
// an answer. The error is a *NotFoundError.
func (s *Store) LastUsed(ctx context.Context, profile string) (Conversation, error) {
	found, err := s.List(ctx, Filter{Profile: profile, Limit: 1})
	if err != nil {
		return Conversation{}, err
	}
	if len(found) == 0 {
		counts, err := s.RoughProfiles(ctx, false)
		return Conversation{}, cmp.Or[error](err, &NotFoundError{Profile: profile, NoHistory: !s.Saved(), Elsewhere: counts})
	}
	return found[0], nil
}

// ProfileCount is the number of conversations of a profile.
type ProfileCount struct {
	Profile       string `json:"profile"`
	Conversations int    `json:"conversations"`
}

// Profiles counts the conversations of each profile and sorts by that, largest
// first. Profiles without conversations are omitted.
func (s *Store) Profiles(ctx context.Context) ([]ProfileCount, error) {
	return read(ctx, s, `SELECT c.profile, count(*) FROM conversations c WHERE `+inTrash(false)+` GROUP BY c.profile ORDER BY 2 DESC, 1`, nil, scanCount)
}

// manyConversations is the largest exact count of RoughProfiles.
const manyConversations = 1000

// RoughProfiles is Profiles in a time that does not depend on the size of the history:
// a count is at most manyConversations+1. With deleted it counts the conversations in
// the trash.
func (s *Store) RoughProfiles(ctx context.Context, deleted bool) ([]ProfileCount, error) {
	where := inTrash(deleted)
	return read(ctx, s, `WITH RECURSIVE names(name) AS (
			SELECT min(c.profile) FROM conversations c WHERE `+where+`
			UNION ALL
			SELECT (SELECT min(c.profile) FROM conversations c WHERE `+where+` AND c.profile > name) FROM names WHERE name IS NOT NULL
		) SELECT name, (SELECT count(*) FROM (SELECT 1 FROM conversations c WHERE `+where+` AND c.profile = name LIMIT ?)) FROM names WHERE name IS NOT NULL ORDER BY 2 DESC, 1`,
		[]any{manyConversations + 1}, scanCount)
}

func scanCount(rows *sql.Rows, n *ProfileCount) error { return rows.Scan(&n.Profile, &n.Conversations) }

// Filter narrows a list of conversations.
type Filter struct {
	Profile  string // empty: every profile
	AgentID  string // empty: every agent
	Answered bool   // only those with an answer
	Deleted  bool   // those in the trash instead of the others
	Offset   int    // number of conversations to skip
	Limit    int    // 0: all
}

// clockTolerance is how far a time may be ahead of the clock and still be valid:
// corrections of a clock are usually smaller.
const clockTolerance = 5 * time.Minute

// List returns conversations, most recently used first, followed by those whose time
// is in the future.
func (s *Store) List(ctx context.Context, f Filter) ([]Conversation, error) {
	now, which := millis(s.now().Add(clockTolerance)), inTrash(f.Deleted)
	if f.Answered {
		which += ` AND c.head IS NOT NULL`
	}
	if f.Profile != "" { // with ?1 = '' OR, SQLite would not use the index
		which += ` AND c.profile = ?1`
	}
	list := func(when string, offset, limit int) ([]Conversation, error) {
		return s.conversations(ctx, `WHERE `+which+` AND (?2 = '' OR c.agent_id = ?2) AND c.updated `+when+` ?4
			ORDER BY c.updated DESC, c.rowid DESC LIMIT iif(?3 > 0, ?3, -1) OFFSET ?5`, f.Profile, f.AgentID, limit, now, offset)
	}
	found, err := list("<=", f.Offset, f.Limit)
	if err != nil || f.Limit > 0 && len(found) == f.Limit {
		return found, err
	}
	past := f.Offset + len(found)
	if f.Offset > 0 && len(found) == 0 {
		if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM conversations c WHERE `+which+` AND (?2 = '' OR c.agent_id = ?2) AND c.updated <= ?3`,
			f.Profile, f.AgentID, now).Scan(&past); err != nil {
			return nil, s.readError(err)
		}
	}
	future, err := list(">", f.Offset+len(found)-past, f.Limit-len(found))
	return append(found, future...), err
}

// ConversationsBeginning is List for the conversations whose id begins with prefix.
// It ignores the filter's agent.
func (s *Store) ConversationsBeginning(ctx context.Context, f Filter, prefix string) ([]Conversation, error) {
	if prefix == "" {
		return s.List(ctx, f)
	}
	return s.conversations(ctx, `WHERE c.id >= ?1 AND c.id < ?1 || 'g' AND c.profile = ?2 AND `+inTrash(f.Deleted)+`
		ORDER BY c.updated DESC, c.rowid DESC LIMIT iif(?3 > 0, ?3, -1)`, strings.ToLower(prefix), f.Profile, f.Limit)
}

// ByService returns the conversations to which conversation ids of the service belong,
// keyed by those ids.
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

// byID returns the conversations with the given ids, in the trash or not, keyed by id.
func (s *Store) byID(ctx context.Context, ids []string) (map[string]Conversation, error) {
	found, err := s.conversations(ctx, `WHERE c.id IN (`+listed+`)`, list(ids))
	byID := make(map[string]Conversation, len(found))
	for _, c := range found {
		byID[c.ID] = c
	}
	return byID, err
}

// InTrash returns the conversations with the given ids that are in the trash.
func (s *Store) InTrash(ctx context.Context, ids []string) ([]Conversation, error) {
	return s.conversations(ctx, `WHERE c.id IN (`+listed+`) AND c.deleted IS NOT NULL ORDER BY c.updated DESC`, list(ids))
}

// listed selects the ids in its argument, list(ids).
const listed = `SELECT value FROM json_each(?)`

func list(ids []string) string {
	text, _ := json.Marshal(ids)
	return string(text)
}

// Path returns the turns from the root to head, root first; with a positive limit,
// only that many of the latest. All of them are answered. The raw responses of the
// service are omitted. If the parents form a cycle, which is only possible in a
// damaged file, Path stops after as many steps as the conversation has turns.
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

// Turns returns all turns of a conversation in the order in which they were asked.
func (s *Store) Turns(ctx context.Context, conversation string) ([]Turn, error) {
	return s.turns(ctx, `WHERE t.conversation = ? ORDER BY t.seq`, conversation)
}

// questionStart is the maximum length, in characters, of a question from TurnsBeginning.
const questionStart = 200

// TurnsBeginning returns up to limit turns of a conversation whose id begins with
// prefix, latest first. Only the fields Conversation, ID, State and Asked and the
// beginning of Question are set.
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

// Services returns the conversation ids of the service that belong to a conversation,
// oldest first. There are several, because the service opens a new conversation for
// every question.
func (s *Store) Services(ctx context.Context, conversation string) ([]string, error) {
	return read(ctx, s, `SELECT service_conversation_id FROM turns
		WHERE conversation = ? AND service_conversation_id IS NOT NULL ORDER BY seq`, []any{conversation}, sqlite.Column[string])
}
