package salvage

import (
	"cmp"
	"database/sql"
	"time"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// fallbackProfile is the profile that always exists.
const fallbackProfile = "local"

const (
	answeredBefore = `(SELECT b.id FROM turns b WHERE b.conversation = turns.conversation AND b.seq < turns.seq AND b.state = 'answered' ORDER BY b.seq DESC LIMIT 1)`
	latestAnswered = `(SELECT id FROM turns WHERE conversation = conversations.id AND state = 'answered' ORDER BY seq DESC LIMIT 1)`
)

// relink restores the trees. A turn whose conversation does not exist moves to that
// of its parent. A conversation of which only turns remain is recreated with the
// title of its first question, in the most common profile. A turn whose parent is
// lost follows the latest answered turn asked before it; in a conversation without
// branches that is the turn before the gap. A lost head becomes the latest answered
// turn.
func (b *rebuild) relink() {
	b.resolveConflicts()
	b.repair(`UPDATE turns SET conversation = (SELECT p.conversation FROM turns p WHERE p.id = turns.parent)
		WHERE conversation NOT IN (SELECT id FROM conversations)
		AND EXISTS(SELECT 1 FROM turns p WHERE p.id = turns.parent AND p.conversation <> turns.conversation)`)
	b.addLostConversations()
	// Lost times are taken from the turns: without them a conversation would look old
	// enough to be pruned.
	b.repair(`UPDATE conversations SET
		created = CASE WHEN created > 0 THEN created ELSE coalesce((SELECT min(asked) FROM turns WHERE conversation = conversations.id), ?1) END,
		updated = CASE WHEN updated > 0 THEN updated ELSE coalesce((SELECT max(coalesce(ended, asked)) FROM turns WHERE conversation = conversations.id), ?1) END
		WHERE created <= 0 OR updated <= 0`, time.Now().UnixMilli())
	b.repair(`UPDATE turns SET parent = ` + answeredBefore + ` WHERE parent IS NOT NULL
		AND NOT EXISTS(SELECT 1 FROM turns p WHERE p.id = turns.parent AND p.conversation = turns.conversation)`)
	// Each of these now follows an earlier turn, so no cycle remains.
	b.repair(`UPDATE turns SET parent = ` + answeredBefore + ` WHERE id NOT IN (` + rooted + `)`)
	b.repair(`UPDATE conversations SET head = ` + latestAnswered + ` WHERE (head IS NOT NULL OR EXISTS(SELECT 1 FROM turns WHERE conversation = conversations.id AND state = 'answered'))
		AND NOT EXISTS(SELECT 1 FROM turns WHERE id = conversations.head AND conversation = conversations.id AND state = 'answered')`)
}

// repair runs a statement and counts the rows it changes or adds as repaired.
func (b *rebuild) repair(query string, args ...any) {
	if b.err != nil {
		return
	}
	result, err := b.tx.ExecContext(b.ctx, query, args...)
	if err == nil {
		var n int64
		n, err = result.RowsAffected()
		b.Repaired += int(n)
	}
	b.err = err
}

// resolveConflicts gives a row the id from the index if other rows refer to that id.
func (b *rebuild) resolveConflicts() {
	for _, c := range b.conflicts {
		query := `UPDATE turns SET id = ?2 WHERE id = ?1 AND NOT EXISTS(SELECT 1 FROM turns WHERE id = ?2)
			AND (EXISTS(SELECT 1 FROM turns WHERE parent = ?2) OR EXISTS(SELECT 1 FROM conversations WHERE head = ?2))`
		if c.table == &b.conversations {
			query = `UPDATE conversations SET id = ?2 WHERE id = ?1 AND NOT EXISTS(SELECT 1 FROM conversations WHERE id = ?2)
				AND EXISTS(SELECT 1 FROM turns WHERE conversation = ?2)`
		}
		b.repair(query, c.row, c.expected)
	}
}

// addLostConversations adds a row for each conversation of which only turns remain.
func (b *rebuild) addLostConversations() {
	profile := fallbackProfile
	if b.err == nil {
		b.err = b.tx.QueryRowContext(b.ctx, `SELECT coalesce((SELECT profile FROM conversations GROUP BY profile ORDER BY count(*) DESC, profile LIMIT 1), ?)`, profile).Scan(&profile)
	}
	type conversation struct {
		id, question, agent string
		created, updated    int64
		head                sql.NullString
	}
	lost, err := sqlite.All(b.ctx, b.tx, `SELECT t.conversation, min(t.seq), t.question, t.agent_id, t.asked,
		(SELECT max(coalesce(ended, asked)) FROM turns WHERE conversation = t.conversation),
		(SELECT id FROM turns WHERE conversation = t.conversation AND state = 'answered' ORDER BY seq DESC LIMIT 1)
		FROM turns t WHERE t.conversation NOT IN (SELECT id FROM conversations) GROUP BY t.conversation`, nil, func(rows *sql.Rows, c *conversation) error {
		return rows.Scan(&c.id, new(int64), &c.question, &c.agent, &c.created, &c.updated, &c.head)
	})
	b.err = cmp.Or(b.err, err)
	for _, c := range lost {
		b.repair(`INSERT INTO conversations(id, title, profile, agent_id, head, created, updated) VALUES(?, ?, ?, ?, ?, ?, ?)`,
			c.id, history.TitleOf(c.question), profile, c.agent, c.head, c.created, c.updated)
	}
}

// count counts the rows of the new history, and the rows that the damaged indexes
// list but that are not in it.
func (b *rebuild) count() error {
	if err := b.tx.QueryRowContext(b.ctx, countRows).Scan(&b.Conversations, &b.Turns); err != nil {
		return err
	}
	for _, t := range b.tables() {
		for _, e := range t.indexed {
			if e.found {
				continue
			}
			var n int
			if err := b.tx.QueryRowContext(b.ctx, `SELECT count(*) FROM `+t.name+` WHERE id = ?`, e.id).Scan(&n); err != nil {
				return err
			}
			t.lost += 1 - n
		}
	}
	b.LostConversations, b.LostTurns = b.conversations.lost, b.turns.lost
	return nil
}
