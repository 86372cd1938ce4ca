package chat

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// Listed is a conversation of a list. One that only the service knows has what its
// record contains.
type Listed struct {
	history.Conversation
	Where      string            // "local", "service" or "both"
	ServiceIDs []string          // the service's ids of it, oldest first
	Records    []json.RawMessage // what the service listed of it

	order time.Time // by which the list is sorted
}

// List joins the conversations of a profile with the records that its service listed,
// newest first, at most filter.Limit. The records of one local conversation, of which
// the service has one for each question, become one row.
//
// Complete says that the service listed all that it has. Otherwise a conversation
// that it answered counts as known to it, because it may be on a later page.
func List(ctx context.Context, store *history.Store, filter history.Filter, records []api.Conversation, complete bool) ([]Listed, error) {
	local, err := store.List(ctx, filter)
	if err != nil {
		return nil, err
	}
	serviceIDs := make([]string, len(records))
	for i, r := range records {
		serviceIDs[i] = r.ID
	}
	known, err := store.ByService(ctx, filter.Profile, serviceIDs)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	var rows []Listed
	at := map[string]int{} // id of a local conversation → row
	add := func(c history.Conversation) (*Listed, error) {
		i, ok := at[c.ID]
		if !ok {
			ids, err := store.Services(ctx, c.ID)
			if err != nil {
				return nil, err
			}
			row := Listed{Conversation: c, Where: "local", ServiceIDs: ids, order: c.Updated}
			if len(ids) > 0 && !complete {
				row.Where = "both"
			}
			if history.InFuture(c.Updated, now) {
				row.order = time.Time{} // last, as in the history
			}
			i = len(rows)
			at[c.ID], rows = i, append(rows, row)
		}
		return &rows[i], nil
	}
	for _, c := range local {
		if _, err := add(c); err != nil {
			return nil, err
		}
	}
	last := now // a record without a time keeps its place among the others
	for _, r := range records {
		c, ok := known[r.ID]
		if !ok {
			created, dated := r.Created()
			if dated {
				last = created
			}
			rows = append(rows, Listed{
				Conversation: history.Conversation{ID: r.ID, Title: r.Title(), Profile: filter.Profile, AgentID: r.AgentID(), Created: created, Updated: created},
				Where:        "service", ServiceIDs: []string{r.ID}, Records: []json.RawMessage{r.Raw}, order: last,
			})
			continue
		}
		if c.Deleted.IsZero() == filter.Deleted {
			continue
		}
		row, err := add(c)
		if err != nil {
			return nil, err
		}
		if !row.order.IsZero() {
			last = row.order
		}
		row.Where, row.Records = "both", append(row.Records, r.Raw)
	}
	rows = slices.DeleteFunc(rows, func(row Listed) bool {
		return filter.AgentID != "" && !strings.EqualFold(row.AgentID, filter.AgentID)
	})
	slices.SortStableFunc(rows, func(a, b Listed) int { return b.order.Compare(a.order) })
	return rows[:min(len(rows), filter.Limit)], nil
}
