package cassette_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/cassette"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

const first = `{"format":"hobnob-recording","version":1}` + "\n"

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInvalidRecordings(t *testing.T) {
	const valid = `{"request":{"method":"GET","path":"/"},"response":{"status":200}}` + "\n"
	for name, c := range map[string]struct{ content, want string }{
		"empty":            {"", "the file is empty"},
		"no first line":    {valid, `line 1: must be {"format":"hobnob-recording","version":1}`},
		"another file":     {"# notes\n", "line 1: invalid JSON: invalid character '#'"},
		"another format":   {`{"format":"hobnob-conversations","version":1}` + "\n", `line 1: unknown format "hobnob-conversations"`},
		"newer":            {`{"format":"hobnob-recording","version":2}` + "\n", "line 1: version 2 was recorded by a newer hobnob"},
		"invalid JSON":     {first + valid + "{\n" + valid, "line 3: invalid JSON: unexpected end of JSON input"},
		"array":            {first + "[]\n", `line 2: invalid value of "the line"`},
		"number as text":   {first + `{"request":{"method":1}}` + "\n", `line 2: invalid value of "request.method"`},
		"no request":       {first + "{}\n", "line 2: request is missing"},
		"no outcome":       {first + `{"request":{"method":"GET","path":"/"}}` + "\n", "line 2: must have either response or failure"},
		"invalid status":   {first + strings.Replace(valid, "200", "-1", 1), "line 2: invalid status -1"},
		"invalid failure":  {first + `{"request":{"method":"GET","path":"/"},"failure":{"code":"auth"}}` + "\n", `line 2: invalid code "auth"`},
		"NUL":              {first + "\x00\n", "line 2: invalid JSON"},
		"BOM":              {"\ufeff" + first, "line 1: invalid JSON"},
		"nested":           {first + strings.Repeat("[", 20_000) + "\n", "line 2: invalid JSON: invalid character '[' exceeded max depth"},
		"invalid UTF-8":    {first + "{\"request\":{\"method\":\"GET\",\"path\":\"/\"},\"response\":{\"status\":200,\"body\":\"\xff\"}}\n", ""},
		"CRLF":             {strings.ReplaceAll(first+valid, "\n", "\r\n"), ""},
		"control in a key": {first + strings.Replace(valid, "GET", "\\u001b[31m", 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := cassette.Replay(write(t, c.content))
			switch {
			case c.want == "" && err == nil:
				_ = p.Close()
			case err == nil || c.want == "" || !strings.Contains(err.Error(), c.want):
				t.Errorf("got %v, want %q", err, c.want)
			case failure.Of(err).Kind != failure.Usage || failure.Of(err).Hint.IsZero():
				t.Errorf("%+v", failure.Of(err))
			}
		})
	}
}

func TestLongLine(t *testing.T) {
	path := write(t, first)
	if err := os.Truncate(path, 1<<30); err != nil {
		t.Skip(err) // a disk without sparse files
	}
	if _, err := cassette.Replay(path); err == nil || !strings.Contains(err.Error(), "line 2: larger than 64 MiB") {
		t.Error(err)
	}
}

func TestForeignFileIsNotChanged(t *testing.T) {
	for _, content := range []string{"# my notes\n", "no newline", `{"format":"other"}` + "\n", strings.Repeat("x", 10_000) + "\n", "{}\n"} {
		path := write(t, content)
		if _, err := cassette.Record(path); err == nil || !strings.Contains(err.Error(), "the file exists and is not a recording") {
			t.Errorf("%.20q: %v", content, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != content {
			t.Errorf("%.20q was changed to %.20q, %v", content, after, err)
		}
	}
}

// TestKilledRecorder cuts the last line at every byte, as a killed process could.
func TestKilledRecorder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	_, add := record(t, path)
	add(exchange("one", "1"))
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	add(exchange("two", "2"))
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for end := len(before) + 1; end < len(whole)-1; end++ {
		if err := os.WriteFile(path, whole[:end], 0o600); err != nil {
			t.Fatal(err)
		}
		p := replay(t, path)
		if _, err := p.Answer(exchange("one", "")); err != nil || p.Incomplete != 3 {
			t.Fatalf("%d: %v, line %d", end, err, p.Incomplete)
		}
		if _, err := p.Answer(exchange("two", "")); failure.Of(err).Kind != failure.NoRecording {
			t.Fatalf("%d: %v", end, err)
		}
		_, add := record(t, path)
		add(exchange("two", "2"))
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, whole) {
			t.Fatalf("%d: repaired to\n%s", end, after)
		}
	}
}

func TestFailedWriteIsReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	r, add := record(t, path)
	if err := os.WriteFile(path, []byte("something else\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	add(exchange("one", "1"))
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "cannot record in "+path) {
		t.Error(err)
	}
}

func TestMissingRequestNamesNearestQuestion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.jsonl")
	_, add := record(t, path)
	add(exchange("how do I undo the last commit?", ""))
	add(exchange("what is a race condition in Go, "+strings.Repeat("really ", 20)+"?", ""))
	p := replay(t, path)
	for question, hint := range map[string]string{
		"how do I undo my last commit?": `the nearest recorded question is "how do I undo the last commit?"`,
		"what is a race condition?":     `the nearest recorded question is "what is a race condition in Go, really really really really…"`,
		"how to undoo the last comit":   `the nearest recorded question is "how do I undo the last commit?"`,
		"":                              "to record it",
		"xyz":                           "to record it, run the command with --record instead of --replay",
	} {
		_, err := p.Answer(exchange(question, ""))
		if f := failure.Of(err); f.Kind != failure.NoRecording || !strings.HasPrefix(f.Hint.String(), hint) {
			t.Errorf("%s: %v, %s", question, err, f.Hint)
		}
	}
	other := exchange("how do I undo the last commit?", "")
	other.Request = bytes.Replace(other.Request, []byte(`"messages"`), []byte(`"agentId":"x","messages"`), 1)
	if _, err := p.Answer(other); !strings.HasPrefix(failure.Of(err).Hint.String(), "the question is recorded with no agent") {
		t.Error(failure.Of(err).Hint)
	}
}

// FuzzReplay checks that a recording is either refused or answers each request in it,
// and that it has the same requests after its lines are recorded again.
func FuzzReplay(f *testing.F) {
	f.Add([]byte(first))
	f.Add([]byte(first + `{"request":{"method":"GET","path":"/x?limit=1"},"response":{"status":200,"headers":{"a":"b"},"text":"x"}}` + "\n"))
	f.Add([]byte(first + `{"request":{"method":"POST","path":"/","body":{"messages":[{"role":"user","content":"a"}],"agentId":"x"}},"failure":{"code":"unknown","message":"m","base64":"AA=="}}` + "\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "r.jsonl")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := cassette.Replay(path)
		if err != nil {
			return
		}
		defer func() { _ = p.Close() }()
		_, _ = p.Answer(api.Exchange{Method: "GET", Target: "/"})
		again := filepath.Join(t.TempDir(), "again.jsonl")
		r, err := cassette.Record(again)
		if err != nil {
			t.Fatal(err)
		}
		recorded := p.Exchanges(t)
		for _, e := range recorded {
			answer, err := p.Answer(e)
			if err != nil {
				t.Fatalf("%+v: %v", e, err)
			}
			e.Outcome = answer
			r.Add(e, cassette.Origin{})
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		second, err := cassette.Replay(again)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = second.Close() }()
		for _, e := range recorded {
			if _, err := second.Answer(e); err != nil {
				t.Fatalf("%+v: %v", e, err)
			}
		}
	})
}
