package history

import (
	"context"
	"database/sql"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
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
	var found []Turn
	err := sqlite.Each(ctx, s.db, `SELECT id, state, asked, substr(question, 1, ?4) FROM turns
		WHERE conversation = ?1 AND id >= ?2 AND id < ?2 || 'g' ORDER BY seq DESC LIMIT ?3`, []any{conversation, strings.ToLower(prefix), limit, questionStart}, func(rows *sql.Rows) error {
		t := Turn{Conversation: conversation}
		var asked int64
		err := rows.Scan(&t.ID, &t.State, &asked, &t.Question)
		t.Asked = fromMillis(asked)
		found = append(found, t)
		return err
	})
	return found, s.readError(err)
}
