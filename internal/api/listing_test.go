package api

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestListingInAllForms(t *testing.T) {
	records := `[{"conversation_id":"a","title":"A"},{"id":"b","x":[1]},{"conversation_id":17},{"conversation_id":null,"id":"d"}]`
	for _, body := range []string{
		records,
		`{"conversations":` + records + `}`,
		`{"object":"list","data":` + records + `,"has_more":false}`,
		`{"items":` + records + `}`,
		`{"total":3,"results":` + records + `}`,
		`{"conversations":null,"data":` + records + `}`,
		`{"data":{"x":1},"items":` + records + `}`,
	} {
		list, err := readListing([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		var ids []string
		for _, c := range list {
			ids = append(ids, c.ID)
		}
		if got := strings.Join(ids, " "); got != "a b 17 d" || string(list[1].Raw) != `{"id":"b","x":[1]}` {
			t.Errorf("%s: got %s, %s", body, got, list[1].Raw)
		}
	}
}

func TestListingMayBeEmpty(t *testing.T) {
	for _, body := range []string{`[]`, `null`, `{"data":[]}`, `{"conversations":null}`, " [ ] \n"} {
		if list, err := readListing([]byte(body)); err != nil || list == nil || len(list) != 0 {
			t.Errorf("%s: got %v, %v", body, list, err)
		}
	}
}

func TestListingErrorHasPath(t *testing.T) {
	for body, want := range map[string]string{
		``:                                   "empty",
		`[`:                                  "not JSON",
		`[] []`:                              "not JSON",
		`"a"`:                                "the body is a string, want an array",
		`{}`:                                 "the body has no conversations, data, items or results",
		`{"threads":[]}`:                     "the body has no conversations",
		`{"data":{}}`:                        "data is an object, want an array",
		`[{"id":"a"},{"title":"x"}]`:         "the body[1] has no conversation_id",
		`{"data":[{"id":""}]}`:               "data[0] has no conversation_id",
		`{"data":["a"]}`:                     "data[0] is a string, want an object",
		`{"data":[null]}`:                    "data[0] is null, want an object",
		`{"items":[{"conversation_id":{}}]}`: "items[0].conversation_id is an object, want a string",
		`[{"id":"a","id":"b"}]`:              "duplicate",
		`[{"id":"a"},{"id":"\udc00"}]`:       "the body[1].id contains an unpaired surrogate",
		"[{\"id\":\"\xff\"}]":                "UTF-8",
		`<!doctype html><h1>Portal</h1>`:     `"Portal"`,
	} {
		list, err := readListing([]byte(body))
		if err == nil {
			t.Errorf("%s was accepted as %v", body, list)
			continue
		}
		wantText(t, err.Error(), want)
	}
}

func TestConversationFieldsAreOptional(t *testing.T) {
	at := time.Date(2025, 8, 4, 9, 33, 20, 500_000_000, time.UTC)
	for raw, want := range map[string]time.Time{
		`{"created":1754300000.5}`:                     at,
		`{"created_at":1754300000.5}`:                  at,
		`{"created_at":"2025-08-04T11:33:20.5+02:00"}`: at,
		`{"created":"soon","created_at":1754300000.5}`: at,
		`{}`:                  {},
		`{"created":"soon"}`:  {},
		`{"created":null}`:    {},
		`{"created":1e300}`:   {},
		`{"created":-1e300}`:  {},
		`{"created":[1]}`:     {},
		`{"created_at":true}`: {},
	} {
		got, ok := Conversation{Raw: []byte(raw)}.Created()
		if ok == want.IsZero() || !got.Equal(want) {
			t.Errorf("%s: got %s, %t", raw, got, ok)
		}
	}
	c := Conversation{Raw: []byte(`{"title":" T ","agentId":"g"}`)}
	if c.Title() != "T" || c.AgentID() != "g" {
		t.Errorf("got %q, %q", c.Title(), c.AgentID())
	}
	if c := (Conversation{Raw: []byte(`{"title":5,"agent_id":"h"}`)}); c.Title() != "" || c.AgentID() != "h" {
		t.Errorf("got %q, %q", c.Title(), c.AgentID())
	}
}

func TestListingFallsBackToOtherPath(t *testing.T) {
	for name, tc := range map[string]struct {
		first, second int
		path          string
		wantPaths     string
		wantStatus    int
	}{
		"the first has it":            {200, 0, "", "/api/v1/conversations?limit=3", 0},
		"404":                         {404, 200, "", "/api/v1/conversations?limit=3 /api/v1/chat?limit=3", 0},
		"405":                         {405, 200, "", "/api/v1/conversations?limit=3 /api/v1/chat?limit=3", 0},
		"501":                         {501, 200, "", "/api/v1/conversations?limit=3 /api/v1/chat?limit=3", 0},
		"500 is an answer":            {500, 200, "", "/api/v1/conversations?limit=3", 500},
		"401 is an answer":            {401, 200, "", "/api/v1/conversations?limit=3", 401},
		"neither has it":              {404, 405, "", "/api/v1/conversations?limit=3 /api/v1/chat?limit=3", 404},
		"the second is more specific": {404, 401, "", "/api/v1/conversations?limit=3 /api/v1/chat?limit=3", 401},
		"a path that was set":         {404, 200, "/api/v1/chat", "/api/v1/chat?limit=3", 0},
		"only that path":              {404, 404, "api/v1/chat", "/api/v1/chat?limit=3", 404},
	} {
		t.Run(name, func(t *testing.T) {
			var paths []string
			tokens := 0
			o := serve(t, func(w http.ResponseWriter, r *http.Request) {
				paths = append(paths, r.URL.RequestURI())
				status := tc.first
				if r.URL.Path == chatPath {
					status = tc.second
				}
				answerWith(status, "application/json", `[{"conversation_id":"a"}]`)(w, r)
			})
			o.ConversationsPath = tc.path
			o.Token = token(&tokens)
			list, err := newClient(t, o).Conversations(t.Context(), 3)
			if got := strings.Join(paths, " "); got != tc.wantPaths {
				t.Errorf("asked %s, want %s", got, tc.wantPaths)
			}
			if tokens != 1 {
				t.Errorf("asked for the token %d times", tokens)
			}
			var e *Error
			switch {
			case tc.wantStatus == 0 && (err != nil || len(list) != 1):
				t.Errorf("got %v, %v", list, err)
			case tc.wantStatus != 0 && (!errors.As(err, &e) || e.Status != tc.wantStatus):
				t.Errorf("got %v, want status %d", err, tc.wantStatus)
			}
		})
	}
}

func TestListingRefusesLimitBelowOne(t *testing.T) {
	_, err := newClient(t, Options{}).Conversations(t.Context(), 0)
	var config *ConfigError
	if !errors.As(err, &config) || config.Setting != "limit" {
		t.Errorf("got %v", err)
	}
}

func FuzzReadListing(f *testing.F) {
	for _, s := range []string{`[{"conversation_id":"a"}]`, `{"data":[{"id":1}]}`, `null`, `{"items":null}`, `{"results":[[]]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		list, err := readListing(body)
		if err != nil {
			return
		}
		for _, c := range list {
			if c.ID == "" || !strings.HasPrefix(string(c.Raw), "{") {
				t.Errorf("%q has the record %q, %q", body, c.ID, c.Raw)
			}
			if at, ok := c.Created(); ok && (at.Year() < 1 || at.Year() > 9999) {
				t.Errorf("%q was created in %d", c.Raw, at.Year())
			}
			_, _ = c.Title(), c.AgentID()
		}
	})
}
