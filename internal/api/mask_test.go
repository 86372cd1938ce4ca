package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
)

// spellings are encodings of the token in a string of the service.
var spellings = []string{
	canary, escapedCanary, `canary%2f7f3a%2Btoken%3D%3D`, `canary%2F7f3a\u0025\u0032btoken==`,
	`{\"t\":\"\\u0063anary\\/7f3a+token==\"}`,
	`{\"t\":\"{\\\"t\\\":\\\"\\\\u0063anary\\\\/7f3a+token==\\\"}\"}`,
}

func TestTokenInReplyIsMasked(t *testing.T) {
	for _, spelled := range spellings {
		for _, field := range []string{`"id":"c1"`, `"conversation_id":"s1"`, `"model":"m"`, `"content":"hi"`, `"finish_reason":"stop"`, `"id":`} {
			name, _, _ := strings.Cut(field, ":")
			body := strings.Replace(validReply, field, name+`:"a `+spelled+` b"`, 1)
			if field == `"id":` { // a field that is not known, and a key
				body = strings.Replace(validReply, field, `"x":[{"`+spelled+`":["`+spelled+`"]}],"id":`, 1)
			}
			o := serve(t, answerWith(http.StatusOK, "application/json", body))
			o.Token = token(nil)
			reply, err := newClient(t, o).Chat(t.Context(), question, "")
			if err != nil {
				t.Errorf("%s: %v", body, err)
				continue
			}
			checkNoToken(t, reply.Raw)
			fields, err := json.Marshal(reply)
			if err != nil {
				t.Fatal(err)
			}
			checkNoToken(t, fields)
			if !strings.Contains(string(reply.Raw), masked) || !strings.HasSuffix(string(reply.Raw), body[len(body)-20:]) {
				t.Errorf("%s became %s", body, reply.Raw)
			}
		}
	}
}

func TestTokenInListingIsMasked(t *testing.T) {
	for _, spelled := range spellings {
		o := serve(t, answerWith(http.StatusOK, "application/json", `{"data":[{"id": "`+spelled+`","title":"`+spelled+`"},{"id":"b" }]}`))
		o.Token = token(nil)
		list, err := newClient(t, o).Conversations(t.Context(), 2)
		if err != nil || len(list) != 2 {
			t.Errorf("%s: %v, %v", spelled, list, err)
			continue
		}
		checkNoToken(t, list[0].Raw)
		if !strings.Contains(list[0].ID, masked) || !strings.Contains(list[0].Title(), masked) {
			t.Errorf("%s: got %+v", spelled, list[0])
		}
		if string(list[1].Raw) != `{"id":"b" }` {
			t.Errorf("the other record became %s", list[1].Raw)
		}
	}
}

// checkNoToken searches for the token in the bytes and in the decoded JSON.
func checkNoToken(t *testing.T, data []byte) {
	t.Helper()
	var decoded any
	if err := json.Unmarshal(data, &decoded); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	plain, err := json.Marshal(decoded)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(data), string(plain)} {
		if strings.Contains(text, canary) || strings.Contains(text, "7f3a") {
			t.Errorf("%s shows the token", text)
		}
	}
}

func TestReplyWithoutTokenIsUnchanged(t *testing.T) {
	body := []byte(" {\"id\" : \"\\u0063\\/ %41 <&>\", " + goodChoices + ",\"created\":1.50e1}\r\n")
	for _, secret := range []string{canary, "assistant", "", "hi"} {
		reply, err := readMasked(body, newMask(secret), readReply)
		if err != nil || string(reply.Raw) != string(body) || reply.Text != "hi" {
			t.Errorf("%q: got %s, %v", secret, reply.Raw, err)
		}
	}
}

func TestNumericTokenBecomesNull(t *testing.T) {
	body := strings.Replace(validReply, "1754300000.25", "9123456789012345678.5", 1)
	reply, err := readMasked([]byte(body), newMask("1234567890123456"), readReply)
	if err != nil || reply.Created != "" || !strings.Contains(string(reply.Raw), `"created":null,`) {
		t.Errorf("got %s, %v", reply.Raw, err)
	}
}

func TestReplyIsCheckedBeforeMasking(t *testing.T) {
	body := strings.Replace(validReply, `"hi"`, `"\ud800 `+canary+`"`, 1)
	if reply, err := readMasked([]byte(body), newMask(canary), readReply); err == nil {
		t.Errorf("accepted as %q", reply.Text)
	}
}

func FuzzMaskBody(f *testing.F) {
	f.Add([]byte(validReply), canary)
	for _, spelled := range spellings {
		f.Add([]byte(`{"a":["`+spelled+`",1e9,true],"`+spelled+`":null}`), canary)
	}
	f.Add([]byte(`[1234567890123456, "\ud800\\"]`), "1234567890123456")
	f.Add([]byte("\"\xffcanary/7f3a+token==\""), canary)
	f.Add([]byte(`"old-*anary and `+canary+`"`), "old-***")
	f.Fuzz(func(t *testing.T, body []byte, refused string) {
		if !isVisibleASCII(refused) || len(refused) > 100 {
			return
		}
		o := operation{}
		if err := errors.Join(o.use(refused), o.use(canary)); err != nil {
			t.Fatal(err)
		}
		m := o.mask
		shown := func(text string) bool {
			return strings.Contains(text, canary) || len(refused) >= minMasked && strings.Contains(text, refused)
		}
		got := m.body(body)
		if !json.Valid(body) {
			if shown(string(got)) {
				t.Errorf("%q shows a token: %q or the canary", got, refused)
			}
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%q became %q, which is not JSON", body, got)
		}
		var text string
		if json.Unmarshal(got, &text) == nil && shown(text) {
			t.Errorf("%q became %q, which shows a token: %q or the canary", body, got, refused)
		}
		if again := m.body(got); string(again) != string(got) {
			t.Errorf("%q became %q and then %q", body, got, again)
		}
	})
}
