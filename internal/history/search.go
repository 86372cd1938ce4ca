package history

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Query is a search.
type Query struct {
	// Text contains words, "phrases", prefix* and -excluded. Any text is valid.
	Text    string
	Profile string    // empty: every profile
	AgentID string    // empty: every agent
	Since   time.Time // zero: any time
	// Role narrows the search to the questions ("user") or replies
	// ("assistant"); empty searches both and the titles.
	Role  string
	Limit int
}

// Hit is a match of a query.
type Hit struct {
	Conversation Conversation
	Turn         Turn   // zero for a title
	Field        string // "title", "question" or "reply"
	Snippet      string // a part of the field; untrusted text
	Marks        [][2]int
	When         time.Time
}

// snippetBytes is the approximate length of a snippet.
const snippetBytes = 160

// Search returns hits, newest first. The time of a turn is that of its question, the
// time of a title that of the last use of its conversation.
func (s *Store) Search(ctx context.Context, q Query) ([]Hit, error) {
	want, reject := parseQuery(q.Text)
	if len(want) == 0 {
		return nil, nil
	}
	hits, err := s.searchTurns(ctx, q, want, reject)
	if err != nil || q.Role != "" {
		return hits, err
	}
	if len(hits) == q.Limit && hits[len(hits)-1].When.After(q.Since) {
		q.Since = hits[len(hits)-1].When // an older title would be cut off
	}
	titles, err := s.searchTitles(ctx, q, want, reject)
	if err != nil {
		return nil, err
	}
	// A title is omitted if a turn of its conversation matches, because most titles
	// repeat the first question.
	seen := map[string]bool{}
	for _, h := range hits {
		seen[h.Conversation.ID] = true
	}
	hits = append(hits, slices.DeleteFunc(titles, func(h Hit) bool { return seen[h.Conversation.ID] })...)
	slices.SortStableFunc(hits, func(a, b Hit) int { return b.When.Compare(a.When) })
	return hits[:min(len(hits), q.Limit)], nil
}

// searchTurns reads the index from the newest turn to the oldest: its row ids are the
// keys of the turns, which sort by time.
func (s *Store) searchTurns(ctx context.Context, q Query, want, reject []needle) ([]Hit, error) {
	query := match(want, reject)
	if column := map[string]string{"user": "question", "assistant": "reply"}[q.Role]; column != "" {
		query = "{" + column + "} : (" + query + ")"
	}
	hits, err := read(ctx, s, `SELECT t.id, t.conversation, t.question, coalesce(t.reply, ''), t.state, t.agent_id, t.asked, coalesce(t.parent, '')
		FROM turns_index i CROSS JOIN turns t ON t.seq = i.rowid CROSS JOIN conversations c ON c.id = t.conversation
		WHERE turns_index MATCH ?1 AND i.rowid >= ?2 AND c.deleted IS NULL AND (?3 = '' OR t.agent_id = ?3) AND (?4 = '' OR c.profile = ?4)
		ORDER BY i.rowid DESC LIMIT ?5`, []any{query, firstSeq(q.Since), q.AgentID, q.Profile, q.Limit}, func(rows *sql.Rows, hit *Hit) error {
		t := &hit.Turn
		var asked int64
		if err := rows.Scan(&t.ID, &t.Conversation, &t.Question, &t.Reply, &t.State, &t.AgentID, &asked, &t.Parent); err != nil {
			return err
		}
		t.Asked = fromMillis(asked)
		hit.Field, hit.When = "question", t.Asked
		text, marks := t.Question, find(t.Question, want)
		if len(marks) == 0 && q.Role != "user" || q.Role == "assistant" {
			hit.Field, text, marks = "reply", t.Reply, find(t.Reply, want)
		}
		hit.Snippet, hit.Marks = snippet(text, marks)
		return nil
	})
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(hits))
	for i, hit := range hits {
		ids[i] = hit.Turn.Conversation
	}
	found, err := s.byID(ctx, ids)
	for i, id := range ids {
		hits[i].Conversation = found[id]
	}
	return hits, err
}

// titlesRead is the number of titles up to which the index is not used. The index has
// no times, so all its matches must be sorted: for a common word, most titles.
const titlesRead = 1000

// searchTitles returns a hit for each title that matches the query, most recently used
// first.
func (s *Store) searchTitles(ctx context.Context, q Query, want, reject []needle) ([]Hit, error) {
	var recent int
	if err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM conversations WHERE deleted IS NULL AND updated >= ? LIMIT ?)`,
		millis(q.Since), titlesRead+1).Scan(&recent); err != nil {
		return nil, s.readError(err)
	}
	from, args := `conversations c WHERE `, []any{millis(q.Since), q.AgentID, q.Profile, titlesRead}
	if recent > titlesRead {
		from = `titles_index i CROSS JOIN conversations c ON c.rowid = i.rowid WHERE titles_index MATCH ?5 AND `
		args = append(args[:3], q.Limit, match(want, reject))
	}
	titles, err := read(ctx, s, `SELECT c.id, c.title FROM `+from+`c.deleted IS NULL AND c.updated >= ?1
		AND (?2 = '' OR c.agent_id = ?2) AND (?3 = '' OR c.profile = ?3) ORDER BY c.updated DESC LIMIT ?4`, args,
		func(rows *sql.Rows, c *Conversation) error { return rows.Scan(&c.ID, &c.Title) })
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, c := range titles {
		if len(ids) < q.Limit && (recent > titlesRead || matches(c.Title, want, reject)) {
			ids = append(ids, c.ID)
		}
	}
	found, err := s.byID(ctx, ids)
	var hits []Hit
	for _, id := range ids {
		if c, ok := found[id]; ok {
			hit := Hit{Conversation: c, Field: "title", When: c.Updated}
			hit.Snippet, hit.Marks = snippet(c.Title, find(c.Title, want))
			hits = append(hits, hit)
		}
	}
	return hits, err
}

// snippet returns the text around the first mark, cut at spaces, and the shifted marks.
func snippet(text string, marks [][2]int) (string, [][2]int) {
	if len(text) <= snippetBytes {
		return text, marks
	}
	from := 0
	if len(marks) > 0 {
		from = max(0, marks[0][0]-snippetBytes/3)
	}
	to := min(len(text), from+snippetBytes)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	if i := strings.IndexByte(text[from:to], ' '); from > 0 && i >= 0 && (len(marks) == 0 || from+i < marks[0][0]) {
		from += i + 1
	}
	prefix, suffix := "", ""
	if from > 0 {
		prefix = "…"
	}
	if to < len(text) {
		suffix = "…"
	}
	var moved [][2]int
	for _, m := range marks {
		if m[0] >= from && m[1] <= to {
			moved = append(moved, [2]int{m[0] - from + len(prefix), m[1] - from + len(prefix)})
		}
	}
	return prefix + text[from:to] + suffix, moved
}
