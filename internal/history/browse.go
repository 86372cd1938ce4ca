package history

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"
)

// MaxMatches is the maximum number of conversations that Browse finds for a text.
const MaxMatches = 1000

// minBeginning is the minimum length, in letters, of the beginning of a word that Browse
// finds in turns. Shorter ones are the beginning of too many words.
const minBeginning = 3

// Browse returns the conversations of f.Profile, or of its trash, from f.Offset on, and
// the number of all of them. With a text, these are the conversations with a title or a
// turn that contains all its words, up to MaxMatches; a word also matches longer ones, in a
// turn only if it has minBeginning letters. The most recently used ones are first. Other
// fields of f are ignored.
func (s *Store) Browse(ctx context.Context, f Filter, text string) (page []Conversation, total int, err error) {
	want, reject := parseQuery(text)
	if len(want) == 0 {
		err := s.db.QueryRowContext(ctx, `SELECT count(*) FROM conversations c WHERE `+inTrash(f.Deleted)+` AND c.profile = ?`, f.Profile).Scan(&total)
		if err != nil {
			return nil, 0, s.readError(err)
		}
		page, err = s.List(ctx, Filter{Profile: f.Profile, Deleted: f.Deleted, Offset: f.Offset, Limit: f.Limit})
		return page, total, err
	}
	ids, err := s.matching(ctx, f, want, reject)
	if err != nil {
		return nil, 0, err
	}
	shown := ids[min(f.Offset, len(ids)):]
	shown = shown[:min(f.Limit, len(shown))]
	byID, err := s.byID(ctx, shown)
	for _, id := range shown {
		if c, ok := byID[id]; ok {
			page = append(page, c)
		}
	}
	return page, len(ids), err
}

// browsed is a conversation that matches, and the time of its last use.
type browsed struct {
	id   string
	when time.Time
}

func (b *browsed) scan(rows *sql.Rows) error {
	var when int64
	err := rows.Scan(&b.id, &when)
	b.when = fromMillis(when)
	return err
}

// matching returns the ids of the conversations that match a query of the index.
func (s *Store) matching(ctx context.Context, f Filter, want, reject []needle) ([]string, error) {
	where := inTrash(f.Deleted) + ` AND c.profile = ?2`
	all, err := s.matchingTurns(ctx, where, match(asPrefixes(want, minBeginning), reject), f.Profile)
	if err != nil {
		return nil, s.readError(err)
	}
	titles, err := read(ctx, s, `SELECT c.id, c.updated FROM titles_index i CROSS JOIN conversations c ON c.rowid = i.rowid
		WHERE titles_index MATCH ?1 AND `+where+` ORDER BY c.updated DESC LIMIT ?3`, []any{match(asPrefixes(want, 1), reject), f.Profile, MaxMatches},
		func(rows *sql.Rows, b *browsed) error { return b.scan(rows) })
	if err != nil {
		return nil, err
	}
	all = append(all, titles...)
	slices.SortStableFunc(all, func(a, b browsed) int { return b.when.Compare(a.when) })
	var ids []string
	seen := map[string]bool{}
	for _, b := range all {
		if !seen[b.id] && len(ids) < MaxMatches {
			seen[b.id] = true
			ids = append(ids, b.id)
		}
	}
	return ids, nil
}

// matchingTurns returns the conversations of the newest turns that match a query.
func (s *Store) matchingTurns(ctx context.Context, where, query, profile string) ([]browsed, error) {
	// The row ids of the index sort by time.
	rows, err := s.db.QueryContext(ctx, `SELECT c.id, c.updated FROM turns_index i CROSS JOIN turns t ON t.seq = i.rowid CROSS JOIN conversations c ON c.id = t.conversation
		WHERE turns_index MATCH ?1 AND `+where+` ORDER BY i.rowid DESC`, query, profile)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []browsed
	seen := map[string]bool{}
	for len(all) < MaxMatches && rows.Next() {
		var b browsed
		if err := b.scan(rows); err != nil {
			return nil, err
		}
		if !seen[b.id] {
			seen[b.id] = true
			all = append(all, b)
		}
	}
	return all, rows.Err()
}

// NewestMatch returns the newest turn of a conversation that matches a text like that of
// Browse, without the lines of the reply before the match. Without a match, which may be
// in the title alone, and without words in the text, it returns the head or else the last
// turn; ok is false if there is no turn.
func (s *Store) NewestMatch(ctx context.Context, c Conversation, text string) (turn Turn, ok bool, err error) {
	var turns []Turn
	want, reject := parseQuery(text)
	if len(want) > 0 {
		want = asPrefixes(want, minBeginning)
		turns, err = s.turns(ctx, `JOIN turns_index i ON i.rowid = t.seq WHERE turns_index MATCH ? AND t.conversation = ? ORDER BY t.seq DESC LIMIT 1`, match(want, reject), c.ID)
	}
	if err == nil && len(turns) == 0 {
		turns, err = s.turns(ctx, `WHERE t.conversation = ? ORDER BY t.id = ? DESC, t.seq DESC LIMIT 1`, c.ID, c.Head)
	}
	if err != nil || len(turns) == 0 {
		return Turn{}, false, err
	}
	turn = turns[0]
	if marks := find(turn.Reply, want); len(marks) > 0 && len(find(turn.Question, want)) == 0 {
		turn.Reply = turn.Reply[strings.LastIndexByte(turn.Reply[:marks[0][0]], '\n')+1:]
	}
	return turn, true, nil
}
