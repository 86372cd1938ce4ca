package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/history"
)

const (
	idA = "aaaaaaaa-0000-4000-8000-000000000000"
	idB = "bbbbbbbb-0000-4000-8000-000000000000"
	idC = "cccccccc-0000-4000-8000-000000000000"
	idD = "dddddddd-0000-4000-8000-000000000000"
)

// document returns an export of a conversation, given as JSON, with turns.
func document(conversation string, turns ...string) string {
	return fmt.Sprintf(`{"format":"hobnob-conversations","version":1,"conversations":[{%s,"turns":[%s]}]}`, conversation, strings.Join(turns, ","))
}

const plain = `"id":"` + idA + `","title":"t","profile":"p","head":"` + idB + `","created":"2026-01-02T03:04:05Z","updated":"2026-01-02T03:04:06.5+01:00"`

func turnJSON(id, parent, more string) string {
	quoted := "null"
	if parent != "" {
		quoted = `"` + parent + `"`
	}
	return `{"id":"` + id + `","parent":` + quoted + `,"question":"q","reply":"r","state":"answered","asked":"2026-01-02T03:04:05Z"` + more + `}`
}

func importText(ctx context.Context, s *history.Store, text string) (history.Imported, error) {
	return s.Import(ctx, readHobnob(strings.NewReader(text)), "")
}

func TestInvalidImportWritesNothing(t *testing.T) {
	good := turnJSON(idB, "", "")
	fine := document(plain, good)
	second := strings.TrimSuffix(strings.TrimPrefix(fine, `{"format":"hobnob-conversations","version":1,"conversations":[`), "]}")
	for name, test := range map[string]struct{ file, want string }{
		"empty file":             {``, "unexpected end of file"},
		"no object":              {`[]`, "want an object"},
		"truncated":              {fine[:len(fine)-20], "unexpected end of file"},
		"trailing data":          {fine + "{}", "unexpected data after the end"},
		"other format":           {`{"format":"x","version":1,"conversations":[]}`, `unknown format "x": want "hobnob-conversations"`},
		"no format":              {`{"conversations":[]}`, `unknown format ""`},
		"newer version":          {strings.Replace(fine, `"version":1`, `"version":4`, 1), `unsupported version "4": this hobnob reads versions 1 to 3`},
		"unknown key":            {`{"sessions":[]}`, `unknown key "sessions"`},
		"key of conversation":    {document(plain+`,"colour":1`, good), `conversations[0]: unknown key "colour"`},
		"key of turn":            {document(plain, turnJSON(idB, "", `,"repply":"x"`)), `conversations[0].turns[0]: unknown field "repply"`},
		"duplicate key":          {`{"conversations":[],"conversations":[]}`, "conversations: duplicate key"},
		"wrong type":             {document(plain, good, turnJSON(idC, "", `,"usage":{"total_tokens":"many"}`)), "conversations[0].turns[1].usage.total_tokens: want a whole number, not string"},
		"wrong type of title":    {document(strings.Replace(plain, `"title":"t"`, `"title":7`, 1), good), "conversations[0].title: want a string, not number"},
		"turns not a list":       {`{"format":"hobnob-conversations","version":1,"conversations":[{"turns":{}}]}`, "conversations[0].turns: want an array"},
		"invalid time":           {document(strings.Replace(plain, "2026-01-02T03:04:05Z", "yesterday", 1), good), `conversations[0].created: invalid time "yesterday"`},
		"time before 1970":       {document(strings.Replace(plain, "2026", "1969", 1), good), "conversation " + idA + ": time is before 1970"},
		"invalid base64":         {document(plain, turnJSON(idB, "", `,"service":{"response_base64":"?"}`)), "conversations[0].turns[0].service.response_base64: want base64"},
		"id not a UUID":          {document(`"id":"../../x","created":"2026-01-02T03:04:05Z","updated":"2026-01-02T03:04:05Z"`), `conversation "../../x": id is not a UUID`},
		"id in upper case":       {document(strings.Replace(plain, idA, strings.ToUpper(idA), 1), good), "not a UUID in lower case"},
		"turn without id":        {document(plain, good, turnJSON("", "", "")), `conversation ` + idA + `: turn id "" is not a UUID`},
		"duplicate turn":         {document(plain, good, good), "turn " + idB + ": appears twice"},
		"duplicate conversation": {strings.Replace(fine, "]}]}", "]},"+second+"]}", 1), "conversation " + idA + ": appears twice"},
		"invalid state":          {document(plain, strings.Replace(good, "answered", "lost", 1)), "turn " + idB + `: invalid state "lost"`},
		"invalid mark":           {document(plain, turnJSON(idB, "", `,"mark":"x"`)), "turn " + idB + `: invalid mark "x"`},
		"invalid agent":          {document(plain, turnJSON(idB, "", `,"agent_id":"x"`)), "turn " + idB + `: agent id "x" is not a UUID`},
		"reply of failed turn":   {document(plain, good, turnJSON(idC, "", `,"state":"failed"`)), "turn " + idC + ": has a reply but is failed"},
		"negative tokens":        {document(plain, turnJSON(idB, "", `,"usage":{"total_tokens":-1}`)), "negative token count"},
		"too many tokens":        {document(plain, turnJSON(idB, "", `,"usage":{"total_tokens":9223372036854775807}`)), "token count is larger than 1099511627776"},
		"missing parent":         {document(plain, turnJSON(idB, idD, "")), "turn " + idB + `: parent "` + idD + `" is not in the conversation`},
		"parent of itself":       {document(plain, turnJSON(idB, idB, "")), "turn " + idB + ": is its own ancestor"},
		"cycle":                  {document(plain, good, turnJSON(idC, idD, ""), turnJSON(idD, idC, "")), "is its own ancestor"},
		"missing head":           {document(plain, turnJSON(idC, "", "")), "conversation " + idA + `: head "` + idB + `" is not an answered turn of the conversation`},
		"unanswered head":        {document(plain, strings.NewReplacer(`"answered"`, `"failed"`, `"reply":"r"`, `"reply":null`).Replace(good)), "is not an answered turn of the conversation"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			// A preceding valid conversation is not written either.
			file := test.file
			before := strings.NewReplacer(idA, "11111111-0000-4000-8000-000000000000", idB, "22222222-0000-4000-8000-000000000000").Replace(second)
			file = strings.Replace(file, `"conversations":[{`, `"conversations":[`+before+`,{`, 1)
			want := strings.ReplaceAll(test.want, "conversations[0]", "conversations[1]")
			_, err := importText(t.Context(), s, file)
			var refused *history.ImportError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
				t.Errorf("got error %v, want %s", err, want)
			}
			if all, _ := s.All(t.Context(), "", true); len(all) > 0 {
				t.Errorf("%d conversations written", len(all))
			}
		})
	}
}

func TestOrderOfKeysAndDuplicateKeys(t *testing.T) {
	s := openStore(t)
	file := `{"conversations":[{"turns":[` + turnJSON(idB, "", `,"question":"last"`) + `],` + plain + `}],"version":1,"format":"hobnob-conversations"}`
	if did, err := importText(t.Context(), s, file); err != nil || did != (history.Imported{Conversations: 1, Added: 1}) {
		t.Fatal(did, err)
	}
	turns, err := s.Turns(t.Context(), idA)
	if err != nil || turns[0].Question != "last" {
		t.Error(turns, err)
	}
	c, err := s.Find(t.Context(), idA)
	if want := time.Date(2026, 1, 2, 2, 4, 6, 5e8, time.UTC); err != nil || !c.Updated.Equal(want) || c.Profile != "p" {
		t.Errorf("%+v, %v, want updated %v", c, err, want)
	}
}

func TestByteOrderMark(t *testing.T) {
	const mark = "\xef\xbb\xbf"
	file := `{"format":"hobnob-conversations","version":1,"conversations":[]}`
	if _, err := importText(t.Context(), openStore(t), mark+file); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"x":                    "invalid JSON at byte 1:",
		mark + "x":             "invalid JSON at byte 4:",
		mark + mark + file:     "invalid JSON at byte 4:",
		mark:                   "unexpected end of file",
		mark[:2]:               "invalid JSON at byte 1:",
		"":                     "unexpected end of file",
		mark + file + "\ufeff": "unexpected data after the end",
	} {
		if _, err := importText(t.Context(), openStore(t), text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want %q", text, err, want)
		}
	}
}

// FuzzReadHobnob checks that accepted input is exported without loss.
func FuzzReadHobnob(f *testing.F) {
	f.Add([]byte(document(plain, turnJSON(idB, "", ""), turnJSON(idC, idB, `,"service":{"response":"{}"},"usage":{"total_tokens":3}`))))
	f.Add([]byte(document(plain, turnJSON(idC, idB, `,"mark":"pin","answered":"2026-01-02T03:04:05.123456Z"`), turnJSON(idB, "", `,"service":{"response_base64":"/w=="}`))))
	f.Add([]byte(document(plain+`,"deleted":"2027-01-01T00:00:00Z"`, turnJSON(idB, "", ""), `{"id":"`+idC+`","state":"pending","asked":"1970-01-01T00:00:00Z"}`)))
	s, empty := openStore(f), openStore(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := empty.CheckImport(t.Context(), readHobnob(bytes.NewReader(data))); err != nil {
			return
		}
		if _, err := s.Import(t.Context(), readHobnob(bytes.NewReader(data)), ""); err != nil {
			t.Fatalf("import after a successful check: %v", err)
		}
		all, err := s.All(t.Context(), "", true)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, c := range all {
			ids = append(ids, c.ID)
		}
		out := exported(t, s, ids...)
		again, err := s.CheckImport(t.Context(), readHobnob(bytes.NewReader(out)))
		if err != nil || again.Added > 0 || again.Conversations > 0 {
			t.Fatalf("import of the export adds %+v, %v:\n%s", again, err, out)
		}
		if _, err := s.Prune(t.Context(), history.Pruning{Before: time.Now().AddDate(10000, 0, 0)}, ids...); err != nil {
			t.Fatal(err)
		}
	})
}
