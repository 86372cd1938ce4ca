package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// llmLog is output of llm 0.26 with only some of its keys, and a response of a version
// without conversations.
const llmLog = `[
  {
    "id": "01jm8ec74wxsdatyn5pq1fp0s5", "model": "claude-3-haiku", "resolved_model": null, "prompt": "hi", "system": "be brief",
    "prompt_json": null, "options_json": {"temperature": 0}, "response": "Hello!", "response_json": null,
    "conversation_id": "01jm8ec74taftdgj2t4zra9z0j", "duration_ms": 560, "datetime_utc": "2025-02-16T22:34:30.374882+00:00",
    "input_tokens": 8, "output_tokens": 12, "token_details": null, "conversation_name": "hi there", "conversation_model": "claude-3-haiku",
    "schema_json": null, "prompt_fragments": [], "system_fragments": [{"hash": "1f", "content": "Use metres."}], "tools": [], "tool_calls": [], "tool_results": [], "attachments": []
  },
  {
    "id": "01jm8ec9", "model": "claude-3-haiku", "prompt": "", "system": "be brief", "response": "It is sunny.",
    "conversation_id": "01jm8ec74taftdgj2t4zra9z0j", "duration_ms": 40, "datetime_utc": "2025-02-16T22:35:31+00:00", "input_tokens": 3, "output_tokens": 4
  },
  {
    "id": "01jm8ec8", "model": "claude-3-haiku", "prompt": "the weather?", "system": "be brief", "response": "",
    "conversation_id": "01jm8ec74taftdgj2t4zra9z0j", "duration_ms": 40, "datetime_utc": "2025-02-16T22:35:30+00:00", "input_tokens": 1, "output_tokens": 2
  },
  {"id": "01h8", "model": "gpt-4", "prompt": "single", "response": "", "conversation_id": null, "duration_ms": null, "datetime_utc": "2023-08-17T20:53:58.653291"}
]`

const aichatFile = `model: openai:gpt-4o
temperature: 0.5
compressed_messages:
- role: system
  content: Answer as a pirate.
- role: user
  content: hello
- role: assistant
  content: Ahoy!
messages:
- role: system
  content: A greeting.
- role: user
  content:
  - type: text
    text: what is this?
  - type: image_url
    image_url:
      url: data:image/png;base64,iVBORw0KGgo=
- role: tool
  content:
    text: Let me look.
    sequence: false
    tool_results: [{call: {name: look, arguments: {}}, output: null}]
- role: assistant
  content: |-
    A ship.
- role: user
  content: and now?
`

func readAll(t *testing.T, format Format, text string, origin Origin) []history.Tree {
	t.Helper()
	seq, err := format.Import(strings.NewReader(text), origin)
	if err != nil {
		t.Fatal(err)
	}
	var trees []history.Tree
	for tree, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	return trees
}

func formatted(trees []history.Tree) string {
	var b strings.Builder
	for _, tree := range trees {
		fmt.Fprintf(&b, "%s %q\n", tree.Conversation.Title, tree.Instructions.Text)
		for _, turn := range tree.Turns {
			fmt.Fprintf(&b, "%s %s %q %q\n", turn.Asked.Format("2006-01-02T15:04:05.000"), turn.State, turn.Question, turn.Reply)
		}
	}
	return b.String()
}

func TestReadLLM(t *testing.T) {
	trees := readAll(t, llmFormat, "\xef\xbb\xbf"+llmLog, Origin{})
	want := `single ""
2023-08-17T20:53:58.653 unknown "single" ""
hi there "Use metres.\n\nbe brief"
2025-02-16T22:34:30.374 answered "hi" "Hello!"
2025-02-16T22:35:30.000 answered "be brief\n\nthe weather?" "It is sunny."
`
	if got := formatted(trees); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	c, first, second := trees[1].Conversation, trees[1].Turns[0], trees[1].Turns[1]
	if c.Head != second.ID || second.Parent != first.ID || first.Parent != "" {
		t.Error("the turns are not chained")
	}
	if *second.Service.Usage != (history.Usage{PromptTokens: 4, CompletionTokens: 6, TotalTokens: 10}) || first.Service.Model != "claude-3-haiku" {
		t.Errorf("usage %+v, model %s", second.Service.Usage, first.Service.Model)
	}
	if !first.Ended.Equal(first.Asked.Add(560*time.Millisecond)) || !strings.Contains(string(first.Service.Response), `"options_json":{"temperature":0}`) {
		t.Errorf("ended %s, response %s", first.Ended, first.Service.Response)
	}
}

func TestReadAichat(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	trees := readAll(t, aichatFormat, aichatFile, Origin{Name: "ship.yaml", Time: at})
	want := `ship "Answer as a pirate."
2026-01-01T00:00:00.000 answered "hello" "Ahoy!"
2026-01-01T00:00:00.001 answered "what is this?\n\n[image: data:image/png;base64]" "Let me look.\n\nA ship."
2026-01-01T00:00:00.002 unknown "and now?" ""
`
	if got := formatted(trees); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if head := trees[0].Turns[1]; trees[0].Conversation.Head != head.ID || head.Service.Model != "openai:gpt-4o" {
		t.Errorf("%+v", trees[0].Conversation)
	}
	// The ids are those of an older hobnob, so that an import adds nothing a second time.
	if id := stableID("aichat", "ship", "Answer as a pirate.\n\nhello"); trees[0].Conversation.ID != id || trees[0].Turns[0].ID != stableID("aichat", id, "Answer as a pirate.\n\nhello", "Ahoy!") {
		t.Errorf("the ids changed: %s, %s", trees[0].Conversation.ID, trees[0].Turns[0].ID)
	}
	named := readAll(t, aichatFormat, aichatFile, Origin{Name: "20240131T101112-pirate-talk.yaml", Time: at})
	if got := formatted(named); !strings.HasPrefix(got, "pirate-talk \"Answer as a pirate.\"\n2024-01-31T10:11:12.000 ") {
		t.Errorf("got %s", got)
	}
	if unnamed := readAll(t, aichatFormat, aichatFile, Origin{Name: "-", Time: at}); unnamed[0].Conversation.Title != "hello" {
		t.Errorf("got %s", formatted(unnamed))
	}
}

func importTrees(t *testing.T, s *history.Store, format Format, text string) history.Imported {
	t.Helper()
	seq, err := format.Import(strings.NewReader(text), Origin{Name: "x.yaml", Time: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	did, err := s.Import(t.Context(), seq, "work")
	if err != nil {
		t.Fatal(err)
	}
	return did
}

func TestRepeatedForeignImport(t *testing.T) {
	s := openStore(t)
	for _, test := range []struct {
		format Format
		text   string
	}{{llmFormat, llmLog}, {aichatFormat, aichatFile}} {
		turns := importTrees(t, s, test.format, test.text).Added
		if did := importTrees(t, s, test.format, test.text); turns != 3 || did != (history.Imported{Skipped: turns}) {
			t.Errorf("%s again: %+v after %d turns", test.format.Name, did, turns)
		}
	}
	if did := importTrees(t, s, aichatFormat, strings.Replace(aichatFile, "A ship.", "A boat.", 1)); did != (history.Imported{Added: 2, Skipped: 1}) {
		t.Errorf("changed answer: %+v", did)
	}
}

func TestInvalidForeignFiles(t *testing.T) {
	for _, test := range []struct {
		format     Format
		text, want string
	}{
		{llmFormat, `{}`, "not a list of llm responses"},
		{llmFormat, `[`, "invalid JSON: unexpected EOF"},
		{llmFormat, `[] []`, "unexpected data after the end"},
		{llmFormat, `[{"id":"x","datetime_utc":"2025-02-16T22:34:30Z"},{"id":7}]`, "[1].id: cannot be a number"},
		{llmFormat, `[{"id":"x","datetime_utc":"soon"}]`, `[0].datetime_utc: invalid time "soon"`},
		{llmFormat, `[{"prompt":"x"}]`, "[0].id: is missing"},
		{llmFormat, `[7]`, "[0]: cannot be a number"},
		{aichatFormat, ``, "empty file"},
		{aichatFormat, `just words`, "not an aichat session: invalid YAML: "},
		{aichatFormat, `model: x`, "not an aichat session: no messages"},
		{aichatFormat, "messages:\n- role: critic\n  content: x", `message 1: invalid role "critic": want `},
		{aichatFormat, "messages:\n- role: user\n  content: [[x]]", "message 1: content is not text"},
		{aichatFormat, "a: &a [x,x]\nb: &b [*a,*a,*a,*a]\nmessages: *b", "not an aichat session: "},
	} {
		_, err := test.format.Import(strings.NewReader(test.text), Origin{})
		var refused *history.ImportError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %q: %v, want %s", test.format.Name, test.text, err, test.want)
		}
	}
}

func TestFromUTF16(t *testing.T) {
	for text, want := range map[string]string{
		"\xff\xfeh\x00\xfc\x00":         "hü",
		"\xfe\xff\x00h\xd8\x3d\xde\x42": "h🙂",
		"\xff\xfe\x00\xd8h\x00":         "\ufffdh", // half of a surrogate pair
		"\xff\xfe":                      "",
		"\xff\xfeh":                     "\ufffd",
		"":                              "",
		"\xff":                          "\xff",
		"\xef\xbb\xbfh":                 "\xef\xbb\xbfh",
		"h\xff\xfe":                     "h\xff\xfe",
	} {
		r, was16 := fromUTF16(bufio.NewReader(strings.NewReader(text)))
		got, err := io.ReadAll(r)
		if err != nil || string(got) != want || was16 != (strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff")) {
			t.Errorf("%q: got %q, %t, %v, want %q", text, got, was16, err, want)
		}
	}
}

// fuzzForeign checks that accepted input can be exported, and that a second import adds nothing.
func fuzzForeign(f *testing.F, format Format) {
	s, empty := openStore(f), openStore(f)
	origin := Origin{Name: "x.yaml", Time: time.Unix(1_700_000_000, 0)}
	f.Fuzz(func(t *testing.T, data []byte) {
		trees, err := format.Import(bytes.NewReader(data), origin)
		if err != nil {
			return
		}
		if _, err := empty.CheckImport(t.Context(), trees); err != nil {
			return
		}
		did, err := s.Import(t.Context(), trees, "p")
		if err != nil {
			t.Fatalf("import after a successful check: %v", err)
		}
		if again, err := s.Import(t.Context(), trees, "p"); err != nil || again != (history.Imported{Skipped: did.Added}) {
			t.Fatalf("second import: %+v, %v, after %+v", again, err, did)
		}
		all, err := s.All(t.Context(), "p", true)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, c := range all {
			ids = append(ids, c.ID)
		}
		out := exported(t, s, ids...)
		if would, err := s.CheckImport(t.Context(), readHobnob(bytes.NewReader(out))); err != nil || would.Added > 0 {
			t.Fatalf("import of the export: %+v, %v\n%s", would, err, out)
		}
		if _, err := s.Prune(t.Context(), history.Pruning{Before: time.Now().AddDate(1000, 0, 0)}, ids...); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzReadLLM(f *testing.F) {
	f.Add([]byte(llmLog))
	fuzzForeign(f, llmFormat)
}

func FuzzReadAichat(f *testing.F) {
	f.Add([]byte(aichatFile))
	f.Add([]byte("messages:\n- {role: user, content: &a x}\n- {role: assistant, content: *a}\n"))
	fuzzForeign(f, aichatFormat)
}
