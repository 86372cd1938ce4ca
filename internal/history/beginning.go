package history

import (
	"context"
	"strings"
)

// questionStart is how much of a question TurnsBeginning reads, in characters.
const questionStart = 200

// ConversationsBeginning is List for the conversations whose id begins with prefix,
// of every agent.
func (s *Store) ConversationsBeginning(ctx context.Context, f Filter, prefix string) ([]Conversation, error) {
	where := `c.deleted IS NULL`
	if f.Deleted {
		where = `c.deleted IS NOT NULL`
	}
	low, limit := strings.ToLower(prefix), f.Limit
	if low == "" {
		return s.List(ctx, f)
	}
	if limit <= 0 {
		limit = -1
	}
	return s.conversations(ctx, `WHERE c.id >= ?1 AND c.id < ?1 || 'g' AND c.profile = ?2 AND `+where+` ORDER BY c.updated DESC, c.rowid DESC LIMIT ?3`, low, f.Profile, limit)
}

// TurnsBeginning returns at most limit turns of a conversation, the latest first,
// whose id begins with prefix; of each there are the id, the state, the time of
// asking and the beginning of the question, and no more.
func (s *Store) TurnsBeginning(ctx context.Context, conversation, prefix string, limit int) ([]Turn, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT id, state, asked, substr(question, 1, ?4) FROM turns
		WHERE conversation = ?1 AND id >= ?2 AND id < ?2 || 'g' ORDER BY seq DESC LIMIT ?3`, conversation, strings.ToLower(prefix), limit, questionStart)
	if err != nil {
		return nil, s.readError(err)
	}
	defer func() { _ = rows.Close() }()
	var found []Turn
	for rows.Next() {
		t := Turn{Conversation: conversation}
		var asked int64
		if err := rows.Scan(&t.ID, &t.State, &asked, &t.Question); err != nil {
			return nil, s.readError(err)
		}
		t.Asked = fromMillis(asked)
		found = append(found, t)
	}
	return found, s.readError(rows.Err())
}
