//go:build unix

package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostileInputs are inputs of batch. The service must receive exactly the prompts in sent,
// each once, and the reports must be exactly those of the malformed rows, in order.
var hostileInputs = []struct {
	name, in string
	flags    []string
	sent     []string
	reports  []string
}{
	{"empty", "", nil, nil, nil},
	{"blank lines", strings.Repeat("\n \r\n\t\n", 30_000), nil, nil, nil},
	{"byte order mark alone", bom, nil, nil, nil},
	{"byte order mark", bom + row("a"), nil, []string{"a"}, nil},
	{"byte order mark twice", bom + bom + row("a") + row("b"), nil, []string{"b"}, []string{"line 1: invalid JSON at byte 1: invalid character"}},
	{"byte order mark later", row("a") + bom + row("b"), nil, []string{"a"}, []string{"line 2: invalid JSON at byte 1: invalid character"}},
	{"UTF-16", "\xff\xfe{\x00\"\x00i\x00", nil, nil, []string{"line 1: invalid JSON at byte 1: invalid"}},
	{"UTF-16 without mark", "\x00{\x00}\x00\n" + row("a"), nil, []string{"a"}, []string{`line 1: invalid JSON at byte 1: invalid character '\x00'`}},
	{"CRLF", strings.ReplaceAll(row("a")+row("b"), "\n", "\r\n"), nil, []string{"a", "b"}, nil},
	{"CR", strings.ReplaceAll(row("a")+row("b"), "\n", "\r"), nil, nil, []string{"line 1: unexpected data after the object at byte 24"}},
	{"line separator", strings.ReplaceAll(row("a"), "\n", "\u2028") + row("b"), nil, nil, []string{"line 1: unexpected data after the object at byte 24"}},
	{"no newline at the end", row("a") + strings.TrimSpace(row("b")), nil, []string{"a", "b"}, nil},
	{"cut last row", row("a") + `{"id":"b","prompt":"b`, nil, []string{"a"}, []string{"line 2: invalid JSON: unexpected end of the row"}},
	{"row of 20 MiB", row(strings.Repeat("x", 20<<20)) + row("a"), nil, []string{"a"}, []string{"line 1: the row has 41943061 bytes, more than the limit of 16 MiB"}},
	{"line of 20 MiB without an end", strings.Repeat("x", 20<<20), []string{"--lines"}, nil, []string{"line 1: the row has 20971520 bytes"}},
	{"prompt of 11 MiB", `{"id":"a","prompt":"` + strings.Repeat("x", 11<<20) + "\"}\n" + row("b"), nil, []string{"b"}, []string{"line 1: the prompt has 11534336 bytes, more than the limit of 10 MiB"}},
	{"16 MiB of spaces", row("a") + strings.Repeat(" ", 16<<20) + "\n" + row("b"), nil, []string{"a", "b"}, nil},
	{"invalid UTF-8", row("a\xff") + row("b\xc3") + row("c"), nil, []string{"c"}, []string{"line 1: invalid JSON at byte 9: invalid UTF-8", "line 2: invalid JSON at byte 9: invalid UTF-8"}},
	{"overlong UTF-8", row("\xc0\x80") + row("b"), nil, []string{"b"}, []string{"line 1: invalid JSON at byte 8: invalid UTF-8"}},
	{"surrogate in UTF-8", row("\xed\xa0\x80") + row("b"), nil, []string{"b"}, []string{"line 1: invalid JSON at byte 8: invalid UTF-8"}},
	{"invalid UTF-8 in a line", "a\xff\nb\n", []string{"--lines"}, []string{"b"}, []string{"line 1: the line is not valid UTF-8"}},
	{"unpaired surrogate", `{"id":"a","prompt":"\ud800"}` + "\n" + row("b"), nil, []string{"b"}, []string{"line 1: invalid JSON at byte 21: invalid surrogate pair"}},
	{"NUL", row("a\x00") + row("b"), nil, []string{"b"}, []string{`line 1: invalid JSON at byte 9: invalid character '\x00'`}},
	{"escaped NUL", row(`a\u0000`) + row("b"), nil, []string{"b"}, []string{`line 1: "id" contains a NUL character`}},
	{"NUL in a line", "a\x00b\nc\n", []string{"--lines"}, []string{"c"}, []string{"line 1: the line contains a NUL character"}},
	{"escape sequence", row(`\u001b[2J`) + row("\x1b[2J"), nil, []string{"\x1b[2J"}, []string{`line 2: invalid JSON at byte 8: invalid character '\x1b'`}},
	{"right-to-left override in the id", row("\u202eid") + row("\u202eid"), nil, []string{"\u202eid"}, []string{`line 2: duplicate id "\u202eid", first used in line 1`}},
	{"newline in the id", row(`a\nb`), nil, []string{"a\nb"}, nil},
	{"row nested 10,000 deep", deep("[", "]") + "\n" + row("a"), nil, []string{"a"}, []string{"line 1: the row must be an object, not an array"}},
	{"field nested 10,000 deep", `{"id":"a","prompt":"a","x":` + deep(`{"y":`, "}") + "}\n" + row("b"), nil, []string{"b"}, []string{`line 1: unknown field "x"`}},
	{"prompt nested 10,000 deep", `{"id":"a","prompt":` + deep("[", "]") + "}\n" + row("b"), nil, []string{"b"}, []string{`line 1: "prompt" must be a string, not an array`}},
	{"vars nested 10,000 deep", `{"id":"a","prompt":"a","vars":{"k":` + deep("[", "]") + "}}\n" + row("b"), nil, []string{"b"}, []string{`line 1: "vars.k" must be a string, not an array`}},
	{"unclosed 1,000,000 deep", strings.Repeat("[", 1_000_000) + "\n" + row("a"), nil, []string{"a"}, []string{"line 1: the row must be an object, not an array"}},
	{"no id", `{"prompt":"a"}` + "\n" + row("b"), nil, []string{"b"}, []string{`line 1: "id" is missing`}},
	{"null id", `{"id":null,"prompt":"a"}` + "\n" + row("b"), nil, []string{"b"}, []string{`line 1: "id" must be a string or a number, not null`}},
	{"empty id", row("") + row("b"), nil, []string{"b"}, []string{`line 1: "id" is empty`}},
	{"id of 513 bytes", row(strings.Repeat("x", 513)) + row("b"), nil, []string{"b"}, []string{`line 1: "id" has 513 bytes, more than the limit of 512`}},
	{"id of 512 escaped bytes", row(strings.Repeat(`\u0001`, 512)), nil, []string{strings.Repeat("\x01", 512)}, nil},
	{"number out of range as id", `{"id":1e999,"prompt":"a"}`, nil, []string{"a"}, nil},
	{"duplicate ids", row("a") + row("a") + row("b") + row("a"), nil, []string{"a", "b"}, []string{`line 2: duplicate id "a", first used in line 1`, `line 4: duplicate id "a", first used in line 1`}},
	{"number and text as id", `{"id":7,"prompt":"a"}` + "\n" + `{"id":"7","prompt":"b"}`, nil, []string{"a"}, []string{`line 2: duplicate id "7", first used in line 1`}},
	{"duplicate keys", `{"id":"a","id":"b","prompt":"x"}` + "\n" + row("c"), nil, []string{"c"}, []string{`line 1: duplicate key "id"`}},
	{"duplicate escaped keys", `{"id":"a","prompt":"x","\u0070rompt":"y"}`, nil, nil, []string{`line 1: duplicate key "prompt"`}},
	{"keys in upper case", `{"Id":"a","Prompt":"x"}`, nil, nil, []string{`line 1: unknown field "Id" (did you mean "id"?)`}},
	{"unknown field", `{"id":"a","prompt":"x","__proto__":{}}`, nil, nil, []string{`line 1: unknown field "__proto__"`}},
	{"long unknown field", `{"` + strings.Repeat("x", 1<<20) + `":1}`, nil, nil, []string{`line 1: unknown field "xxxxxxxxxx`}},
	{"CSV", "id,prompt\n1,hello\n", nil, nil, []string{"line 1: invalid JSON at byte 1: invalid character 'i'", "line 2: the row must be an object, not a number"}},
	{"JSON array of rows", "[\n" + strings.TrimSpace(row("a")) + ",\n" + row("b") + "]\n", nil, []string{"b"}, []string{"line 1: the row must be an object, not an array", "line 2: unexpected data after the object at byte 24", "line 4: invalid JSON at byte 1: invalid character ']' at start of value"}},
	{"indented JSON", "{\n  \"id\": \"a\"\n}\n", nil, nil, []string{"line 1: invalid JSON: unexpected end of the row", "line 2: the row must be an object, not a string", "line 3: invalid JSON at byte 1: invalid character '}' at start of value"}},
	{"comment", "# rows\n" + row("a"), nil, []string{"a"}, []string{"line 1: invalid JSON at byte 1: invalid character '#'"}},
	{"escaped duplicate id", row("twice") + row(`\u0074wice`), nil, []string{"twice"}, []string{`line 2: duplicate id "twice", first used in line 1`}},
	{"raw newline in the id", "{\"id\":\"a\nb\",\"prompt\":\"x\"}\n" + row("b"), nil, []string{"b"}, []string{"line 1: invalid JSON: unexpected end of the row", "line 2: invalid JSON at byte 1"}},
	{"output of a batch", `{"id":"a","reply":"x","agent_id":null}`, nil, nil, []string{`line 1: unknown field "reply"`}},
	{"path as template", `{"id":"a","prompt":"x","template":"../../etc/passwd"}` + "\n" + row("b"), nil, []string{"b"}, []string{`invalid name "../../etc/passwd"`}},
	{"unknown agent", `{"id":"a","prompt":"x","agent":"no-such"}` + "\n" + row("b"), nil, []string{"b"}, []string{`unknown agent "no-such"`}},
	{"vars without a template", `{"id":"a","prompt":"x","vars":{"a":"b"}}` + "\n" + row("b"), nil, []string{"b"}, []string{"vars need a template"}},
	{"words", "not JSON\n" + row("b"), nil, []string{"b"}, []string{"line 1: invalid JSON at byte 2"}},
	{"typographic quotes", "{“id”:“a”,“prompt”:“x”}\n" + row("b"), nil, []string{"b"}, []string{"line 1: invalid JSON at byte 2: invalid character '“'"}},
	{"system message", `{"id":"a","messages":[{"role":"system","content":"x"}]}`, nil, nil, []string{`line 1: "messages[0].role" must be user or assistant, not "system"`}},
	{"blank prompt", row(" ") + row("b"), nil, []string{"b"}, []string{"line 1: the prompt is empty"}},
	{"binary", "\x7fELF\x02\x01\x01\x00\x00\n\x00\x00\n" + row("a"), nil, []string{"a"}, []string{"line 1: invalid JSON", "line 2: invalid JSON"}},
}

const bom = "\xef\xbb\xbf"

// row returns a row with the text, which is part of JSON, as its id and prompt.
func row(text string) string { return `{"id":"` + text + `","prompt":"` + text + `"}` + "\n" }

func deep(open, end string) string {
	return strings.Repeat(open, 10_000) + "1" + strings.Repeat(end, 10_000)
}

// hostile runs batch in an empty directory against a service.
type hostile struct {
	t       *testing.T
	binary  string
	service *countingService
	env     []string
	dir     string
}

func newHostile(t *testing.T, binary string) *hostile {
	h := &hostile{t: t, binary: binary, service: &countingService{seen: map[string]int{}}, dir: t.TempDir()}
	server := httptest.NewServer(h.service)
	t.Cleanup(server.Close)
	h.env = append(os.Environ(), "HOME="+h.dir, "HOBNOB_BASE_URL="+server.URL, "HOBNOB_TOKEN=t", "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_STATE_HOME=")
	return h
}

func (h *hostile) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	command := exec.CommandContext(h.t.Context(), h.binary, append([]string{"batch"}, args...)...)
	stderr := &bytes.Buffer{}
	command.Dir, command.Env, command.Stderr = h.dir, h.env, stderr
	return command, stderr
}

// exit returns the exit code of a command that was waited for.
func (h *hostile) exit(err error) int {
	h.t.Helper()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		h.t.Fatal(err)
	}
	if exit == nil {
		return 0
	}
	return exit.ExitCode()
}

// answers returns the ids with a reply in out.jsonl and the errors of the other rows. Each
// id must be in it once, and no control character other than newlines.
func (h *hostile) answers() (ids []string, reports []string) {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join(h.dir, "out.jsonl"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		h.t.Fatal(err)
	}
	if bytes.ContainsFunc(data, func(r rune) bool { return r < ' ' && r != '\n' }) {
		h.t.Errorf("the output has control characters: %q", data)
	}
	for line := range bytes.Lines(data) {
		var result struct {
			ID    *string
			Reply *string
			Error *struct{ Message string }
		}
		if err := json.Unmarshal(line, &result); err != nil {
			h.t.Fatalf("%v: %.200s", err, line)
		}
		switch {
		case result.ID != nil && slices.Contains(ids, *result.ID):
			h.t.Errorf("%.80q is in the output twice", *result.ID)
		case result.ID != nil && result.Reply != nil:
			ids = append(ids, *result.ID)
		default:
			reports = append(reports, result.Error.Message)
		}
	}
	return ids, reports
}

// sent checks that the service received exactly these prompts, each once.
func (h *hostile) sent(want ...string) {
	h.t.Helper()
	requests := h.service.requests()
	for _, prompt := range want {
		if requests[prompt] != 1 {
			h.t.Errorf("the service received %.80q %d times", prompt, requests[prompt])
		}
	}
	if len(requests) != len(want) {
		h.t.Errorf("the service received %d prompts, want %.200q", len(requests), want)
	}
}

func TestBatchReportsHostileRows(t *testing.T) {
	t.Parallel()
	binary := buildHobnob(t)
	for _, tt := range hostileInputs {
		t.Run(tt.name, func(t *testing.T) {
			h := newHostile(t, binary)
			if err := os.WriteFile(filepath.Join(h.dir, "in"), []byte(tt.in), 0o600); err != nil {
				t.Fatal(err)
			}
			args := append([]string{"in", "-o", "out.jsonl", "--ordered"}, tt.flags...)
			want := 0
			if len(tt.reports) > 0 {
				want = 10
			}
			// The second run must send nothing again.
			for _, flag := range []string{"--ordered", "--resume"} {
				command, stderr := h.command(append(args, flag)...)
				if got := h.exit(command.Run()); got != want {
					t.Fatalf("%s: exit code %d, want %d; stderr %.500s", flag, got, want, stderr)
				}
				if text := stderr.String(); strings.Contains(text, "goroutine") || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' }) {
					t.Errorf("stderr %.500q", text)
				}
				ids, reports := h.answers()
				if len(ids) != len(tt.sent) {
					t.Errorf("answered %.200q, want %.200q", ids, tt.sent)
				}
				if !slices.EqualFunc(reports, tt.reports, strings.HasPrefix) {
					t.Errorf("reports\n%.500q, want\n%.500q", reports, tt.reports)
				}
				h.sent(tt.sent...)
			}
		})
	}
	if len(hostileInputs) < 50 {
		t.Errorf("%d inputs", len(hostileInputs))
	}
}

func TestBatchRefusesFiles(t *testing.T) {
	t.Parallel()
	binary := buildHobnob(t)
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, h *hostile)
		args    []string
		code    int
		report  string
	}{
		{"directory", nil, []string{"."}, 2, "hobnob: error: . is a directory\n"},
		{"missing file", nil, []string{"missing.jsonl"}, 2, "hobnob: error: cannot read missing.jsonl: no such file or directory\n"},
		{"symbolic link to itself", func(t *testing.T, h *hostile) {
			if err := os.Symlink("loop", filepath.Join(h.dir, "loop")); err != nil {
				t.Fatal(err)
			}
		}, []string{"loop"}, 2, "hobnob: error: cannot read loop: too many levels of symbolic links\n"},
		{"socket", func(t *testing.T, h *hostile) {
			dir, err := os.MkdirTemp("", "s") //nolint:usetesting // t.TempDir is too long for a socket
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			listener, err := net.Listen("unix", filepath.Join(dir, "s"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = listener.Close() })
			if err := os.Rename(filepath.Join(dir, "s"), filepath.Join(h.dir, "socket")); err != nil {
				t.Fatal(err)
			}
		}, []string{"socket"}, 2, "hobnob: error: cannot read socket: "},
		{"empty name", nil, []string{""}, 2, "hobnob: error: "},
		{"two files", nil, []string{"in", "in"}, 2, "hobnob: error: "},
		{"output is the input", nil, []string{"in", "-o", "in"}, 2, "hobnob: error: in is the input and the output\n"},
		{"output is a directory", nil, []string{"in", "-o", "."}, 2, "hobnob: error: . is a directory\n"},
		{"output in a missing directory", nil, []string{"in", "-o", "missing/out"}, 1, "hobnob: error: cannot write missing/out: no such file or directory\nhobnob: hint: create its directory: mkdir -p missing\n"},
		{"output is another file", func(t *testing.T, h *hostile) { h.write("out", "precious\n") }, []string{"in", "-o", "out"}, 2, "hobnob: error: out has the rows of an earlier run\n"},
		{"output to resume is another file", func(t *testing.T, h *hostile) { h.write("out", "precious\n") }, []string{"in", "-o", "out", "--resume"}, 2,
			"hobnob: error: cannot resume out: line 1 is not a row of hobnob batch\n"},
		{"journal is a directory", func(t *testing.T, h *hostile) {
			if err := os.Mkdir(filepath.Join(h.dir, "out.sending"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, []string{"in", "-o", "out"}, 1, "hobnob: error: cannot create out.sending: is a directory\n"},
		{"journal is another file", func(t *testing.T, h *hostile) { h.write("out.sending", strings.Repeat("precious ", 1000)) }, []string{"in", "-o", "out"}, 2,
			"hobnob: error: out.sending is not a file of hobnob batch\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHostile(t, binary)
			h.write("in", row("a"))
			if tt.prepare != nil {
				tt.prepare(t, h)
			}
			command, stderr := h.command(tt.args...)
			if got := h.exit(command.Run()); got != tt.code || !strings.HasPrefix(stderr.String(), tt.report) || strings.Contains(stderr.String(), "goroutine") {
				t.Errorf("exit code %d, want %d; stderr:\n%s, want\n%s", got, tt.code, stderr, tt.report)
			}
			h.sent()
			if data, _ := os.ReadFile(filepath.Join(h.dir, "in")); string(data) != row("a") {
				t.Errorf("the input is now %q", data)
			}
			if data, err := os.ReadFile(filepath.Join(h.dir, "out")); err == nil && len(data) > 0 && string(data) != "precious\n" {
				t.Errorf("the output is now %q", data)
			}
		})
	}
}

func (h *hostile) write(name, text string) {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func TestBatchReadsNamedPipe(t *testing.T) {
	t.Parallel()
	h := newHostile(t, buildHobnob(t))
	pipe := filepath.Join(h.dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	command, stderr := h.command("pipe", "-o", "out.jsonl")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for the reader
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer.WriteString(row("a") + "broken\n" + row("b")); err != nil {
		t.Fatal(err)
	}
	_ = writer.Close()
	if code := h.exit(command.Wait()); code != 10 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	h.sent("a", "b")

	// A pipe to which nothing is written blocks until Ctrl-C.
	command, stderr = h.command("pipe", "-o", "out.jsonl", "--resume")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() }).Stop()
	if writer, err = os.OpenFile(pipe, os.O_WRONLY, 0); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = writer.Close() }()
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := h.exit(command.Wait()); code != 130 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	h.sent("a", "b")
}

func TestBatchReadsChangingFile(t *testing.T) {
	t.Parallel()
	binary := buildHobnob(t)
	for _, tt := range []struct {
		name   string
		change func(file string) error
		sent   []string
	}{
		{"growing", func(name string) error {
			file, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			_, err = file.WriteString(row("d"))
			return errors.Join(err, file.Close())
		}, []string{"a", "b", "c", "d"}},
		{"shrinking", func(name string) error { return os.Truncate(name, 0) }, []string{"a", "b", "c"}},
		{"removed", os.Remove, []string{"a", "b", "c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHostile(t, binary)
			h.write("in", row("a")+row("b")+row("c"))
			changed := make(chan error, 1)
			h.service.after(1, func() { changed <- tt.change(filepath.Join(h.dir, "in")) }, 0)
			command, stderr := h.command("in", "-o", "out.jsonl", "--concurrency", "1")
			if code := h.exit(command.Run()); code != 0 {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			if err := <-changed; err != nil {
				t.Fatal(err)
			}
			h.sent(tt.sent...)
		})
	}
}
