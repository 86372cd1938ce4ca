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

func TestListJoinsHistoryAndService(t *testing.T) {
	asked := 0
	asker := newAsker(t, nil)
	ask := func(question string, in *history.Conversation) *history.Conversation {
		t.Helper()
		asked++
		r := reply("r")
		r.ConversationID = fmt.Sprint("s", asked)
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
		return api.Conversation{ID: id, Raw: json.RawMessage(`{"title":"remote ` + id + `","created":4000000000}`)}
	}
	records := []api.Conversation{record("x"), record("s1"), record("s2"), record("s4"), record("y"), record("z")}
	for _, tc := range []struct {
		records []api.Conversation
		filter  history.Filter
		want    string
	}{
		{records, history.Filter{Limit: 10}, "two both answered 0, one both answered 2, remote x service  1, remote y service  1, remote z service  1"},
		{records, history.Filter{Limit: 2}, "two both answered 0, one both answered 2, remote x service  1, remote y service  1"},
		{records, history.Filter{Limit: 1}, "two both answered 0, remote x service  1"},
		{nil, history.Filter{Limit: 10}, "two both answered 0, one both answered 0"},
		{nil, history.Filter{Limit: 10, Deleted: true}, "deleted both answered 0"},
		{records, history.Filter{Limit: 10, AgentID: "a"}, ""},
	} {
		tc.filter.Profile = "work"
		listed, err := chat.List(t.Context(), asker.History, tc.filter, tc.records)
		var got []string
		for _, c := range listed {
			got = append(got, fmt.Sprintf("%s %s %s %d", c.Title, c.Where, c.State, len(c.Records)))
		}
		if text := strings.Join(got, ", "); err != nil || text != tc.want {
			t.Errorf("%+v: %q, %v; want %q", tc.filter, text, err, tc.want)
		}
	}
}
