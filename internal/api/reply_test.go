package api

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestReplyHasAllFields(t *testing.T) {
	reply, err := readReply([]byte(validReply))
	if err != nil {
		t.Fatal(err)
	}
	want := Completion{
		ID: "c1", ConversationID: "s1", Object: "chat.completion", Created: "1754300000.25", Model: "m",
		Choices: []Choice{{Message: Message{RoleAssistant, "hi"}, FinishReason: "stop"}},
		Usage:   &Usage{1, 2, 3},
	}
	if !reflect.DeepEqual(reply.Completion, want) || reply.Text != "hi" || reply.FinishReason != "stop" || string(reply.Raw) != validReply {
		t.Errorf("got %+v", reply)
	}
	out, err := json.Marshal(reply.Completion)
	if err != nil || string(out) != validReply {
		t.Errorf("a completion is encoded as %s, %v", out, err)
	}
}

const goodChoices = `"choices":[{"message":{"role":"assistant","content":"hi"}}]`

func TestReplyIgnoresUnknownFields(t *testing.T) {
	for name, body := range map[string]string{
		"nothing but the choice": `{` + goodChoices + `}`,
		"nulls": `{"id":null,"conversation_id":null,"object":null,"created":null,"model":null,"usage":null,` +
			`"choices":[{"index":null,"finish_reason":null,"message":{"role":"assistant","content":"hi"}}]}`,
		"unknown fields": `{"ID":5,"x":{"y":[1e999,{"z":null}]},` + goodChoices + `}`,
		"space around":   " \r\n{" + goodChoices + "}\n",
		"the same key twice in different objects": `{"a":{"k":1},"b":[{"k":1},{"k":2}],` + goodChoices + `}`,
		"index 0 that is second": `{"choices":[{"index":1,"message":{"role":"assistant","content":"no"}},` +
			`{"index":0,"message":{"role":"assistant","content":"hi"}}]}`,
		"no index 0": `{"choices":[{"index":4,"message":{"role":"assistant","content":"hi"}},` +
			`{"index":3,"message":{"role":"assistant","content":"no"}}]}`,
		"deep nesting": `{"x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `,` + goodChoices + `}`,
	} {
		if reply, err := readReply([]byte(body)); err != nil || reply.Text != "hi" {
			t.Errorf("%s: got %q, %v", name, reply.Text, err)
		}
	}
}

func TestReplyPreservesCharacters(t *testing.T) {
	for spelled, want := range map[string]string{
		`\ud83d\ude00`:             "😀",
		`\uD83D\uDE00\ud83d\ude00`: "😀😀",
		`a\\ud800`:                 `a\ud800`,
		`\ufffd \ud7ff\ue000`:      "\uFFFD \uD7FF\uE000",
		`\"\u0041ud800`:            `"Aud800`,
	} {
		reply, err := readReply([]byte(`{"choices":[{"message":{"role":"assistant","content":"` + spelled + `"}}]}`))
		if err != nil || reply.Text != want {
			t.Errorf("%s: got %q, %v", spelled, reply.Text, err)
		}
	}
}

func TestReplyPreservesFinishReasonAndCreated(t *testing.T) {
	reply, err := readReply([]byte(`{"created":1.7543000001234567890e9,"choices":[{"finish_reason":"length","message":{"role":"assistant","content":"h"}}]}`))
	if err != nil || reply.FinishReason != "length" || reply.Created != "1.7543000001234567890e9" {
		t.Errorf("got %+v, %v", reply, err)
	}
}

func TestReplyErrorHasPath(t *testing.T) {
	message := func(m string) string { return `{"choices":[{"message":` + m + `}]}` }
	content := func(c string) string { return message(`{"role":"assistant","content":"` + c + `"}`) }
	for body, want := range map[string]string{
		"":                            "the body is empty",
		" \n":                         "the body is empty",
		"{" + goodChoices:             "not JSON",
		"{" + goodChoices + "} x":     "after the value at byte",
		"{" + goodChoices + "}{}":     "after the value",
		"{\xff" + goodChoices + "}":   "not valid UTF-8",
		"\ufeff{" + goodChoices + "}": "not JSON",
		`"hi"`:                        "the body is a string, want an object",
		`[]`:                          "the body is an array, want an object",
		`null`:                        "the body is null, want an object",
		`{}`:                          "choices is missing or empty",
		`{"choices":null}`:            "choices is missing or empty",
		`{"choices":[]}`:              "choices is missing or empty",
		`{"Choices":[{"message":{"role":"assistant","content":"hi"}}]}`: "choices is missing",
		`{"choices":{}}`:                                  "choices is an object, want an array",
		`{"choices":["hi"]}`:                              "choices[0] is a string, want an object",
		`{"choices":[null]}`:                              "choices[0] is null, want an object",
		`{"choices":[{}]}`:                                "choices[0].message is missing",
		message(`null`):                                   "choices[0].message is missing",
		message(`"hi"`):                                   "choices[0].message is a string, want an object",
		message(`{"role":"assistant"}`):                   "choices[0].message.content is missing or empty",
		message(`{"role":"assistant","content":""}`):      "choices[0].message.content is missing or empty",
		message(`{"role":"assistant","content":" \n\t"}`): "choices[0].message.content is missing or empty",
		message(`{"role":"assistant","Content":"hi"}`):    "choices[0].message.content is missing or empty",
		message(`{"role":"assistant","content":5}`):       "choices[0].message.content is a number, want a string",
		message(`{"role":"assistant","content":["hi"]}`):  "choices[0].message.content is an array, want a string",
		message(`{"role":"user","content":"hi"}`):         `choices[0].message.role is "user", want "assistant"`,
		message(`{"content":"hi"}`):                       `choices[0].message.role is "", want "assistant"`,
		message(`{"role":true,"content":"hi"}`):           "choices[0].message.role is a boolean, want a string",
		`{"choices":[{"index":"0","message":{"role":"assistant","content":"hi"}}]}`:       "choices[0].index is a string, want a number",
		`{"choices":[{"index":0.5,"message":{"role":"assistant","content":"hi"}}]}`:       "choices[0].index is 0.5, want an integer",
		`{"choices":[{"finish_reason":1,"message":{"role":"assistant","content":"hi"}}]}`: "choices[0].finish_reason is a number",
		`{"id":5,` + goodChoices + `}`:                                   "id is a number, want a string",
		`{"conversation_id":[],` + goodChoices + `}`:                     "conversation_id is an array",
		`{"object":false,` + goodChoices + `}`:                           "object is a boolean",
		`{"model":{},` + goodChoices + `}`:                               "model is an object",
		`{"created":"1",` + goodChoices + `}`:                            "created is a string, want a number",
		`{"usage":[],` + goodChoices + `}`:                               "usage is an array, want an object",
		`{"usage":{"total_tokens":"3"},` + goodChoices + `}`:             "usage.total_tokens is a string, want a number",
		`{"usage":{"prompt_tokens":1e3},` + goodChoices + `}`:            "usage.prompt_tokens is 1e3, want an integer",
		`{` + goodChoices + `,` + goodChoices + `}`:                      `duplicate key "choices" at byte`,
		`{"x":[{"k":{"a":1,"b":2,"a":1}}],` + goodChoices + `}`:          `duplicate key "a" at byte`,
		message(`{"role":"assistant","content":"a","\u0063ontent":"b"}`): `duplicate key "content" at byte`,
		content(`\ud800`):                        "choices[0].message.content contains an unpaired surrogate",
		content(`a\uDC00b`):                      "choices[0].message.content contains an unpaired",
		content(`\ud83d\u0041`):                  "choices[0].message.content contains an unpaired",
		content(`\ud83d \ude00`):                 "choices[0].message.content contains an unpaired",
		content(`\ud83dude00`):                   "choices[0].message.content contains an unpaired",
		content(`\ud83d\ud83d\ude00`):            "choices[0].message.content contains an unpaired",
		content(`\\\ud800`):                      "choices[0].message.content contains an unpaired",
		`{"model":"\udfff",` + goodChoices + `}`: "model contains an unpaired",
		"<html><title>Sign in</title>":           `a web page, not JSON: "Sign in"`,
		`{"x":` + strings.Repeat(`[`, 1<<20):     "not JSON",
		strings.Repeat(`{"a":`, 1<<18):           "not JSON",
	} {
		reply, err := readReply([]byte(body))
		if err == nil {
			t.Errorf("%.80q was accepted as %q", body, reply.Text)
			continue
		}
		wantText(t, err.Error(), want)
	}
}

func FuzzReadReply(f *testing.F) {
	for _, s := range []string{
		validReply, `{` + goodChoices + `}`, `{"choices":[{"message":{"role":"assistant","content":"\ud800"}}]}`,
		`{"choices":[{"index":1},{"message":{"role":"assistant","content":"a"},"index":0}]}`, `[[{"a":1,"a":2}]]`, `null`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		reply, err := readReply(body)
		if err != nil {
			return
		}
		if strings.TrimSpace(reply.Text) == "" || !utf8.ValidString(reply.Text) {
			t.Errorf("%q was accepted with the text %q", body, reply.Text)
		}
		if !json.Valid(body) {
			t.Errorf("%q is not JSON and was accepted", body)
		}
		out, err := json.Marshal(reply.Completion)
		if err != nil {
			t.Fatalf("%q was accepted but cannot be encoded: %v", body, err)
		}
		if again, err := readReply(out); err != nil || again.Text != reply.Text || again.Created != reply.Created && reply.Created != "" {
			t.Errorf("%q became %s, read as %+v, %v", body, out, again, err)
		}
	})
}
