package history

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"time"
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
	columns, ok := map[Grouping]string{
		ByDay:          `t.asked / 900000 AS key, ''`, // quarters of an hour, because SQLite does not know every zone
		ByAgent:        `t.agent_id AS key, ''`,
		ByModel:        `coalesce(t.model, '') AS key, ''`,
		ByConversation: `t.conversation AS key, c.title`,
	}[by]
	if !ok {
		return nil, fmt.Errorf("tokens cannot be summed by %q", by)
	}
	sums, err := read(ctx, s, `SELECT `+columns+`, count(*), `+sum("t.prompt_tokens")+`, `+sum("t.completion_tokens")+`, `+sum("t.total_tokens")+`
		FROM turns t JOIN conversations c ON c.id = t.conversation WHERE t.state = 'answered' AND c.profile = ? AND t.seq >= ? GROUP BY key ORDER BY key`,
		[]any{profile, firstSeq(since)}, func(rows *sql.Rows, r *Spent) error {
			return rows.Scan(&r.Key, &r.Title, &r.Turns, &r.PromptTokens, &r.CompletionTokens, &r.TotalTokens)
		})
	if by != ByDay {
		slices.SortStableFunc(sums, func(a, b Spent) int { return cmp.Compare(b.TotalTokens, a.TotalTokens) })
		return sums, err
	}
	var days []Spent
	for _, r := range sums {
		quarter, _ := strconv.ParseInt(r.Key, 10, 64)
		day := time.UnixMilli(quarter * 900_000).In(location).Format(time.DateOnly)
		if len(days) == 0 || days[len(days)-1].Key != day {
			days = append(days, Spent{Key: day})
		}
		last := &days[len(days)-1]
		last.Turns += r.Turns
		last.PromptTokens += r.PromptTokens
		last.CompletionTokens += r.CompletionTokens
		last.TotalTokens += r.TotalTokens
	}
	return days, err
}

// sum is the SQL of a sum of what was counted.
func sum(column string) string {
	return fmt.Sprintf("sum(iif(%s BETWEEN 0 AND %d, %[1]s, 0))", column, MaxTokens)
}

// counted is a number of tokens as the file has it, or nothing when it cannot be one.
func counted(n int64) int64 {
	if n < 0 || n > MaxTokens {
		return 0
	}
	return n
}

// firstSeq is the least key of a turn asked at a time or later.
func firstSeq(t time.Time) int64 { return millis(t) * SeqPerMilli }

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
