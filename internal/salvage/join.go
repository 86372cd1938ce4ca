package salvage

import (
	"database/sql"
	"time"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// fallbackProfile is the profile that always exists.
const fallbackProfile = "local"

// join makes trees of the rows again. A turn whose conversation is no id that is
// known follows its parent; a conversation of which only turns are left gets a row
// with the title of its first question, in the profile that most have. A turn whose
// parent is lost follows the latest answered turn that was asked before it: where a
// conversation has no branches that is the one before the gap. A lost head becomes
// the latest answered turn.
func (s *salvage) join() error {
	if err := s.settle(); err != nil {
		return err
	}
	if err := s.mend(`UPDATE turns SET conversation = (SELECT p.conversation FROM turns p WHERE p.id = turns.parent)
		WHERE conversation NOT IN (SELECT id FROM conversations)
		AND EXISTS(SELECT 1 FROM turns p WHERE p.id = turns.parent AND p.conversation <> turns.conversation)`); err != nil {
		return err
	}
	if err := s.joinConversations(); err != nil {
		return err
	}
	for _, query := range []string{
		`UPDATE turns SET parent = ` + answeredBefore + ` WHERE parent IS NOT NULL
			AND NOT EXISTS(SELECT 1 FROM turns p WHERE p.id = turns.parent AND p.conversation = turns.conversation)`,
		// Each of these goes to an earlier one, so that no circle is left.
		`UPDATE turns SET parent = ` + answeredBefore + ` WHERE id NOT IN (` + rooted + `)`,
		`UPDATE conversations SET head = ` + latestAnswered + ` WHERE (head IS NOT NULL OR EXISTS(SELECT 1 FROM turns WHERE conversation = conversations.id AND state = 'answered'))
			AND NOT EXISTS(SELECT 1 FROM turns WHERE id = conversations.head AND conversation = conversations.id AND state = 'answered')`,
	} {
		if err := s.mend(query); err != nil {
			return err
		}
	}
	return nil
}

// settle decides whether the row or the index has the right id: others refer to it.
func (s *salvage) settle() error {
	for _, d := range s.disputed {
		query := `UPDATE turns SET id = ?2 WHERE id = ?1 AND NOT EXISTS(SELECT 1 FROM turns WHERE id = ?2)
			AND (EXISTS(SELECT 1 FROM turns WHERE parent = ?2) OR EXISTS(SELECT 1 FROM conversations WHERE head = ?2))`
		if d.table == "conversations" {
			query = `UPDATE conversations SET id = ?2 WHERE id = ?1 AND NOT EXISTS(SELECT 1 FROM conversations WHERE id = ?2)
				AND EXISTS(SELECT 1 FROM turns WHERE conversation = ?2)`
		}
		if err := s.mend(query, d.has.String(), d.named.String()); err != nil {
			return err
		}
	}
	return nil
}

const (
	answeredBefore = `(SELECT b.id FROM turns b WHERE b.conversation = turns.conversation AND b.seq < turns.seq AND b.state = 'answered' ORDER BY b.seq DESC LIMIT 1)`
	latestAnswered = `(SELECT id FROM turns WHERE conversation = conversations.id AND state = 'answered' ORDER BY seq DESC LIMIT 1)`
)

// mend runs an UPDATE whose rows count as mended.
func (s *salvage) mend(query string, args ...any) error {
	result, err := s.tx.ExecContext(s.ctx, query, args...)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	s.Mended += int(n)
	return err
}

func (s *salvage) joinConversations() error {
	profile := fallbackProfile
	err := s.tx.QueryRowContext(s.ctx, `SELECT coalesce((SELECT profile FROM conversations GROUP BY profile ORDER BY count(*) DESC, profile LIMIT 1), ?)`, profile).Scan(&profile)
	if err != nil {
		return err
	}
	rows, err := s.tx.QueryContext(s.ctx, `SELECT t.conversation, min(t.seq), t.question, t.agent_id, t.asked,
		(SELECT max(coalesce(ended, asked)) FROM turns WHERE conversation = t.conversation),
		(SELECT id FROM turns WHERE conversation = t.conversation AND state = 'answered' ORDER BY seq DESC LIMIT 1)
		FROM turns t WHERE t.conversation NOT IN (SELECT id FROM conversations) GROUP BY t.conversation`)
	if err != nil {
		return err
	}
	type lost struct {
		id, question, agent string
		created, updated    int64
		head                sql.NullString
	}
	var found []lost
	if err := sqlite.Each(rows, func() error {
		var l lost
		var seq int64
		err := rows.Scan(&l.id, &seq, &l.question, &l.agent, &l.created, &l.updated, &l.head)
		found = append(found, l)
		return err
	}); err != nil {
		return err
	}
	for _, l := range found {
		if _, err := s.tx.ExecContext(s.ctx, salvagedConversation, nil, l.id, history.TitleOf(l.question), profile, l.agent, l.head, l.created, l.updated, nil); err != nil {
			return err
		}
		s.Mended++
	}
	// A time that was lost is taken from the turns: without it a conversation would
	// look old enough to be pruned.
	return s.mend(`UPDATE conversations SET
		created = CASE WHEN created > 0 THEN created ELSE coalesce((SELECT min(asked) FROM turns WHERE conversation = conversations.id), ?1) END,
		updated = CASE WHEN updated > 0 THEN updated ELSE coalesce((SELECT max(coalesce(ended, asked)) FROM turns WHERE conversation = conversations.id), ?1) END
		WHERE created <= 0 OR updated <= 0`, time.Now().UnixMilli())
}

// count counts what there is now, and what the indexes named besides.
func (s *salvage) count() error {
	if err := s.tx.QueryRowContext(s.ctx, `SELECT (SELECT count(*) FROM conversations), (SELECT count(*) FROM turns)`).Scan(&s.Conversations, &s.Turns); err != nil {
		return err
	}
	for _, t := range []struct {
		table
		lost  *int
		query string
	}{
		{s.turns, &s.LostTurns, `SELECT count(*) FROM turns WHERE id = ?`},
		{s.conversations, &s.LostConversations, `SELECT count(*) FROM conversations WHERE id = ?`},
	} {
		for _, n := range t.named {
			if n.found {
				continue
			}
			var there int
			if err := s.tx.QueryRowContext(s.ctx, t.query, n.id.String()).Scan(&there); err != nil {
				return err
			}
			*t.lost += 1 - there
		}
	}
	return nil
}
