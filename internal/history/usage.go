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

// Grouping is the key by which tokens are summed.
type Grouping string

// The groupings of Tokens.
const (
	ByDay          Grouping = "day"
	ByAgent        Grouping = "agent"
	ByModel        Grouping = "model"
	ByConversation Grouping = "conversation"
)

// Spent is the sum of a group.
type Spent struct {
	Key   string // day like 2026-01-31, agent UUID, model, or conversation id; may be empty
	Title string // of the conversation, with ByConversation; untrusted text
	Turns int    // number of answered turns
	Usage        // as reported by the service
}

// Tokens sums the tokens of the answered turns of a profile since a time. Days are
// those of location and sorted by date; other groups are sorted by size, largest first.
func (s *Store) Tokens(ctx context.Context, profile string, by Grouping, since time.Time, location *time.Location) ([]Spent, error) {
	columns, ok := map[Grouping]string{
		ByDay:          `t.asked / 900000 AS key, ''`, // quarters of an hour, because SQLite does not support time zones
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

// sum returns the SQL for the sum of the valid token counts in a column.
func sum(column string) string {
	return fmt.Sprintf("sum(iif(%s BETWEEN 0 AND %d, %[1]s, 0))", column, MaxTokens)
}

// counted returns n, or 0 if it is not a valid token count.
func counted(n int64) int64 {
	if n < 0 || n > MaxTokens {
		return 0
	}
	return n
}

// firstSeq returns the smallest possible key of a turn asked at t.
func firstSeq(t time.Time) int64 { return millis(t) * SeqPerMilli }

// replySample is the maximum number of replies that ReplySizes sums.
const replySample = 50

// replyReach is how many of an agent's latest replies are searched for those of the
// profile.
const replyReach = 20 * replySample

// ReplySizes sums the bytes and the tokens of the latest replies of an agent in a
// profile. Callers use it to estimate tokens.
func (s *Store) ReplySizes(ctx context.Context, profile, agentID string) (bytes, tokens int64, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT coalesce(sum(size), 0), coalesce(sum(count), 0) FROM (
		SELECT octet_length(t.reply) AS size, t.completion_tokens AS count
		FROM (SELECT seq FROM turns WHERE agent_id = ?1 AND completion_tokens > 0 ORDER BY seq DESC LIMIT ?4) l
		CROSS JOIN turns t ON t.seq = l.seq CROSS JOIN conversations c ON c.id = t.conversation
		WHERE c.profile = ?2 AND t.completion_tokens <= ?5 LIMIT ?3)`, agentID, profile, replySample, replyReach, MaxTokens).Scan(&bytes, &tokens)
	return bytes, tokens, s.readError(err)
}
