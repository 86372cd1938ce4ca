package history

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Grouping is what tokens are summed by.
type Grouping string

// The groupings of Usage.
const (
	ByDay          Grouping = "day"
	ByAgent        Grouping = "agent"
	ByModel        Grouping = "model"
	ByConversation Grouping = "conversation"
)

// Spent is the sum of one group.
type Spent struct {
	Key   string // the day like 2026-01-31, agent's UUID, model, or conversation's id; may be empty
	Title string // of the conversation, when summed by it; hostile text
	Turns int    // answered turns
	Usage        // what the service counted
}

// Tokens sums what the service counted for the answered turns of a profile since
// a time, days in local time. Days come in their order, other groups the largest
// first. A day belongs to the zone of location.
func (s *Store) Tokens(ctx context.Context, profile string, by Grouping, since time.Time, location *time.Location) ([]Spent, error) {
	var key, title, order string
	switch by {
	case ByDay:
		return s.tokensByDay(ctx, profile, since, location)
	case ByAgent:
		key, title, order = "t.agent_id", "''", "total DESC, key"
	case ByModel:
		key, title, order = "coalesce(t.model, '')", "''", "total DESC, key"
	case ByConversation:
		key, title, order = "t.conversation", "c.title", "total DESC, key"
	default:
		return nil, fmt.Errorf("tokens cannot be summed by %q", by)
	}
	var out []Spent
	err := sqlite.Each(ctx, s.db, `SELECT `+key+` AS key, `+title+`, count(*), `+sum("t.prompt_tokens")+`, `+sum("t.completion_tokens")+`, `+sum("t.total_tokens")+` AS total
		FROM turns t JOIN conversations c ON c.id = t.conversation WHERE t.state = 'answered' AND c.profile = ? AND t.seq >= ? GROUP BY key ORDER BY `+order, []any{profile, firstSeq(since)}, func(rows *sql.Rows) error {
		var r Spent
		err := rows.Scan(&r.Key, &r.Title, &r.Turns, &r.PromptTokens, &r.CompletionTokens, &r.TotalTokens)
		out = append(out, r)
		return err
	})
	return out, s.readError(err)
}

// sum is the SQL of a sum of what was counted.
func sum(column string) string {
	return fmt.Sprintf("coalesce(sum(%s) FILTER (WHERE %[1]s BETWEEN 0 AND %d), 0)", column, MaxTokens)
}

// counted is a number of tokens as the file has it, or nothing when it cannot be one.
func counted(n int64) int64 {
	if n < 0 || n > MaxTokens {
		return 0
	}
	return n
}

// tokensByDay groups here, because SQLite does not know every zone.
func (s *Store) tokensByDay(ctx context.Context, profile string, since time.Time, location *time.Location) ([]Spent, error) {
	var out []Spent
	err := sqlite.Each(ctx, s.db, `SELECT t.asked, coalesce(t.prompt_tokens, 0), coalesce(t.completion_tokens, 0), coalesce(t.total_tokens, 0)
		FROM turns t JOIN conversations c ON c.id = t.conversation WHERE t.state = 'answered' AND c.profile = ? AND t.seq >= ? ORDER BY t.seq`, []any{profile, firstSeq(since)}, func(rows *sql.Rows) error {
		var asked int64
		var u Usage
		if err := rows.Scan(&asked, &u.PromptTokens, &u.CompletionTokens, &u.TotalTokens); err != nil {
			return err
		}
		day := fromMillis(asked).In(location).Format(time.DateOnly)
		if len(out) == 0 || out[len(out)-1].Key != day {
			out = append(out, Spent{Key: day})
		}
		last := &out[len(out)-1]
		last.Turns++
		last.PromptTokens += counted(u.PromptTokens)
		last.CompletionTokens += counted(u.CompletionTokens)
		last.TotalTokens += counted(u.TotalTokens)
		return nil
	})
	return out, s.readError(err)
}

// firstSeq is the least key of a turn asked at a time or later.
func firstSeq(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return millis(t) * SeqPerMilli
}
