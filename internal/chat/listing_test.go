package chat_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/history"
)

func TestListJoinsTheRecordsOfAConversation(t *testing.T) {
	served := 0
	asker := newAsker(t, nil)
	ask := func(question string, in *history.Conversation) *history.Conversation {
		t.Helper()
		served++
		r := reply("r")
		r.ConversationID = fmt.Sprint("s", served)
		asker.Client = sender(func(context.Context, api.Request, string) (api.Reply, error) { return r, nil })
		answer, err := asker.Ask(t.Context(), chat.Question{Text: question, Conversation: in})
		if err != nil || answer.SaveErr != nil {
			t.Fatal(err, answer.SaveErr)
		}
		c, err := asker.History.Find(t.Context(), answer.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		return &c
	}
	one := ask("one", nil)
	ask("again", one)
	ask("two", nil)
	deleted := ask("deleted", nil)
	if err := asker.History.Delete(t.Context(), deleted.ID); err != nil {
		t.Fatal(err)
	}
	record := func(id string) api.Conversation {
		return api.Conversation{ID: id, Raw: json.RawMessage(`{"title":"only there"}`)}
	}
	records := []api.Conversation{record("s1"), record("s2"), record("s4"), record("elsewhere")}
	for _, tc := range []struct {
		complete bool
		records  []api.Conversation
		filter   history.Filter
		want     string
	}{
		{true, records, history.Filter{Limit: 10}, "two local 0, one both 2, only there service 1"},
		{false, records, history.Filter{Limit: 10}, "two both 0, one both 2, only there service 1"},
		{false, nil, history.Filter{Limit: 1}, "two both 0"},
		{false, nil, history.Filter{Limit: 10, Deleted: true}, "deleted both 0"},
		{true, records, history.Filter{Limit: 10, AgentID: "x"}, ""},
	} {
		tc.filter.Profile = "work"
		listed, err := chat.List(t.Context(), asker.History, tc.filter, tc.records, tc.complete)
		var got []string
		for _, c := range listed {
			got = append(got, fmt.Sprintf("%s %s %d", c.Title, c.Where, len(c.Records)))
		}
		if text := strings.Join(got, ", "); err != nil || text != tc.want {
			t.Errorf("%+v, complete %v: %q, %v; want %q", tc.filter, tc.complete, text, err, tc.want)
		}
	}
}
