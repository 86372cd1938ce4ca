package chat

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// Listed is a conversation in a list. If it is not in the history, its fields are those
// of the service's record.
type Listed struct {
	history.Conversation
	// Where is "both" for a saved conversation with an id from the service, "local" for
	// one without, and "service" for a conversation that is not in the history.
	Where      string
	State      history.State     // as of history.Store.States, empty if not in the history
	ServiceIDs []string          // the service's ids of the conversation, oldest first
	Records    []json.RawMessage // the service's records of the conversation
}

// List returns up to filter.Limit conversations of the history, the most recently used
// first, joined with the records that the service of the profile listed. Up to
// filter.Limit records of conversations that are not in the history follow, in the
// order of the service.
func List(ctx context.Context, store *history.Store, filter history.Filter, records []api.Conversation) ([]Listed, error) {
	local, err := store.List(ctx, filter)
	if err != nil {
		return nil, err
	}
	states, err := store.States(ctx, local)
	if err != nil {
		return nil, err
	}
	rows, at := make([]Listed, 0, len(local)), make(map[string]int, len(local))
	for i, c := range local {
		ids, err := store.Services(ctx, c.ID)
		if err != nil {
			return nil, err
		}
		row := Listed{Conversation: c, Where: "local", State: states[c.ID], ServiceIDs: ids}
		if len(ids) > 0 {
			row.Where = "both"
		}
		rows, at[c.ID] = append(rows, row), i
	}
	serviceIDs := make([]string, len(records))
	for i, r := range records {
		serviceIDs[i] = r.ID
	}
	known, err := store.ByService(ctx, filter.Profile, serviceIDs)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		if c, ok := known[r.ID]; !ok {
			if agent := r.AgentID(); len(rows)-len(local) < filter.Limit && (filter.AgentID == "" || strings.EqualFold(agent, filter.AgentID)) {
				rows = append(rows, onlyListed(r, filter.Profile))
			}
		} else if i, ok := at[c.ID]; ok {
			rows[i].Records = append(rows[i].Records, r.Raw)
		}
	}
	return rows, nil
}

// onlyListed returns a conversation that is not in the history.
func onlyListed(r api.Conversation, profile string) Listed {
	created, _ := r.Created()
	return Listed{
		Conversation: history.Conversation{ID: r.ID, Title: r.Title(), Profile: profile, AgentID: r.AgentID(), Created: created, Updated: created},
		Where:        "service", ServiceIDs: []string{r.ID}, Records: []json.RawMessage{r.Raw},
	}
}

// Search returns the hits of history.Store.Search. If a search in one profile finds
// nothing, elsewhere is the name of another profile with hits, or empty if none has any.
func Search(ctx context.Context, store *history.Store, query history.Query) (hits []history.Hit, elsewhere string, err error) {
	hits, err = store.Search(ctx, query)
	if err != nil || len(hits) > 0 || query.Profile == "" {
		return hits, "", err
	}
	query.Profile, query.Limit = "", 1
	others, err := store.Search(ctx, query)
	if len(others) > 0 {
		elsewhere = others[0].Conversation.Profile
	}
	return nil, elsewhere, err
}
