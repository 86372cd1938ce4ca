package batch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// readAll returns the ids of the valid rows and the errors of the others.
func readAll(t testing.TB, in io.Reader, lines bool) (rows []Row, malformed []string) {
	t.Helper()
	r := NewReader(in, lines)
	for {
		row, err := r.Next()
		var bad *RowError
		switch {
		case errors.Is(err, io.EOF):
			return rows, malformed
		case errors.As(err, &bad):
			malformed = append(malformed, err.Error())
		case err != nil:
			t.Fatal(err)
		default:
			rows = append(rows, row)
		}
	}
}

func TestReaderRules(t *testing.T) {
	deep := strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)
	for _, tt := range []struct{ name, row, want string }{
		{"string id", `{"id":"a","prompt":"x"}`, ""},
		{"number id", `{"id":7,"prompt":"x"}`, ""},
		{"large number id", `{"id":123456789012345678901234567890,"prompt":"x"}`, ""},
		{"messages", `{"id":"a","messages":[{"role":"user","content":"x"},{"content":"","role":"assistant"},{"role":"user","content":"y"}]}`, ""},
		{"every field", `{"id":"a","prompt":"x","agent":"r","template":"t","vars":{"k":"v"}}`, ""},
		{"template without prompt", `{"id":"a","template":"t"}`, ""},
		{"null fields", `{"id":"a","prompt":"x","agent":null,"messages":null,"vars":null}`, ""},
		{"escaped key", `{"\u0069d":"a","prompt":"x"}`, ""},
		{"surrogate pair", `{"id":"a","prompt":"\ud83d\ude00"}`, ""},
		{"spaces", " \t{ \"id\" : \"a\" , \"prompt\" : \"x\" } \t", ""},
		{"CRLF", "{\"id\":\"a\",\"prompt\":\"x\"}\r", ""},

		{"no id", `{"prompt":"x"}`, `"id" is missing`},
		{"null id", `{"id":null,"prompt":"x"}`, `"id" must be a string or a number, not null`},
		{"boolean id", `{"id":true,"prompt":"x"}`, `"id" must be a string or a number, not a boolean`},
		{"object id", `{"id":{},"prompt":"x"}`, `"id" must be a string or a number, not an object`},
		{"empty id", `{"id":"","prompt":"x"}`, `"id" is empty`},
		{"long id", `{"id":"` + strings.Repeat("x", 513) + `","prompt":"x"}`, `"id" has 513 bytes, more than the limit of 512`},
		{"no prompt", `{"id":"a"}`, `"prompt" is missing`},
		{"null prompt", `{"id":"a","prompt":null}`, `"prompt" is missing`},
		{"empty prompt", `{"id":"a","prompt":" \n"}`, "the prompt is empty"},
		{"number prompt", `{"id":"a","prompt":7}`, `"prompt" must be a string, not a number`},
		{"long prompt", `{"id":"a","prompt":"` + strings.Repeat("x", 10<<20+1) + `"}`, "the prompt has 10485761 bytes, more than the limit of 10 MiB"},
		{"prompt and messages", `{"id":"a","prompt":"x","messages":[{"role":"user","content":"x"}]}`, `"prompt" and "messages" cannot be used together`},
		{"messages and template", `{"id":"a","messages":[{"role":"user","content":"x"}],"template":"t"}`, `"messages" cannot be used together with "template" and "vars"`},
		{"no messages", `{"id":"a","messages":[]}`, `"messages" is empty`},
		{"object messages", `{"id":"a","messages":{}}`, `"messages" must be an array, not an object`},
		{"number message", `{"id":"a","messages":[7]}`, `"messages[0]" must be an object, not a number`},
		{"system message", `{"id":"a","messages":[{"role":"system","content":"x"}]}`, `"messages[0].role" must be user or assistant, not "system"`},
		{"no content", `{"id":"a","messages":[{"role":"user"}]}`, `"messages[0].content" is missing`},
		{"null content", `{"id":"a","messages":[{"role":"user","content":null}]}`, `"messages[0].content" must be a string, not null`},
		{"unknown field of a message", `{"id":"a","messages":[{"role":"user","name":"x"}]}`, `unknown field "messages[0].name"`},
		{"empty agent", `{"id":"a","prompt":"x","agent":""}`, `"agent" is empty`},
		{"empty template", `{"id":"a","prompt":"x","template":""}`, `"template" is empty`},
		{"number variable", `{"id":"a","prompt":"x","vars":{"n":7}}`, `"vars.n" must be a string, not a number`},
		{"array vars", `{"id":"a","prompt":"x","vars":[]}`, `"vars" must be an object, not an array`},
		{"mistyped field", `{"id":"a","promt":"x"}`, `unknown field "promt" (did you mean "prompt"?)`},
		{"unknown field", `{"id":"a","prompt":"x","temperature":1}`, `unknown field "temperature"`},
		{"upper case field", `{"ID":"a","prompt":"x"}`, `unknown field "ID" (did you mean "id"?)`},

		{"duplicate id", `{"id":"a","id":"b","prompt":"x"}`, `duplicate key "id"`},
		{"duplicate escaped key", `{"id":"a","\u0069d":"b","prompt":"x"}`, `duplicate key "id"`},
		{"duplicate null", `{"id":"a","prompt":"x","agent":null,"agent":null}`, `duplicate key "agent"`},
		{"duplicate variable", `{"id":"a","prompt":"x","vars":{"k":"1","k":"2"}}`, `duplicate key "k"`},
		{"array", `["a"]`, "the row must be an object, not an array"},
		{"string", `"a"`, "the row must be an object, not a string"},
		{"null", `null`, "the row must be an object, not null"},
		{"words", `not JSON`, "invalid JSON at byte 2: invalid character 'o' in literal null (expecting 'u')"},
		{"word as prompt", `{"id":"a","prompt":tale}`, "invalid JSON at byte 21: invalid character 'a' in literal true (expecting 'r')"},
		{"unfinished string", `"a`, "invalid JSON: unexpected end of the row"},
		{"plain text", `hello`, "invalid JSON at byte 1: invalid character 'h' at start of value"},
		{"single quotes", `{'id':'a'}`, `invalid JSON at byte 2: invalid character '\'' at start of value`},
		{"cut", `{"id":"a","prompt":"x`, "invalid JSON: unexpected end of the row"},
		{"cut before the end", `{"id":"a","prompt":"x"`, "invalid JSON: unexpected end of the row"},
		{"trailing comma", `{"id":"a","prompt":"x",}`, `invalid JSON at byte 23: invalid character ',' at start of value`},
		{"no value", `{"id":}`, `invalid JSON at byte 7: missing value after object name`},
		{"closing brace", `}`, `invalid JSON at byte 1: invalid character '}' at start of value`},
		{"cut array", `{"id":"a","messages":[}`, `invalid JSON at byte 23: invalid character '}' at start of value`},
		{"two objects", `{"id":"a","prompt":"x"}{"id":"b","prompt":"x"}`, "unexpected data after the object at byte 24"},
		{"text after the object", `{"id":"a","prompt":"x"} # one`, "unexpected data after the object at byte 24"},
		{"CR as line end", "{\"id\":\"a\",\"prompt\":\"x\"}\r{\"id\":\"b\",\"prompt\":\"x\"}", "unexpected data after the object at byte 24"},
		{"leading zero", `{"id":07,"prompt":"x"}`, `invalid JSON at byte 8: invalid character '7' after object value (expecting ',' or '}')`},
		{"NaN", `{"id":NaN,"prompt":"x"}`, `invalid JSON at byte 7: invalid character 'N' at start of value`},
		{"tab in a string", "{\"id\":\"a\",\"prompt\":\"\t\"}", `invalid JSON at byte 21: invalid character '\t' in string (expecting non-control character)`},
		{"NUL", "{\"id\":\"a\",\"prompt\":\"\x00\"}", `invalid JSON at byte 21: invalid character '\x00' in string (expecting non-control character)`},
		{"escaped NUL", `{"id":"a","prompt":"\u0000"}`, `"prompt" contains a NUL character`},
		{"NUL in the id", `{"id":"a\u0000","prompt":"x"}`, `"id" contains a NUL character`},
		{"invalid UTF-8", "{\"id\":\"a\",\"prompt\":\"\xff\"}", "invalid JSON at byte 21: invalid UTF-8"},
		{"unpaired surrogate", `{"id":"a","prompt":"\ud83d"}`, "invalid JSON at byte 21: invalid surrogate pair `\\ud83d\"}` in string"},
		{"byte order mark later", "\xef\xbb\xbf{\"id\":\"a\",\"prompt\":\"x\"}", `invalid JSON at byte 1: invalid character '\ufeff' at start of value`},
		{"deep prompt", `{"id":"a","prompt":` + deep + `}`, `"prompt" must be a string, not an array`},
		{"deep unknown field", `{"id":"a","x":` + deep + `}`, `unknown field "x"`},
		{"deep row", deep, "the row must be an object, not an array"},
		{"long row", strings.Repeat("x", 20<<20), "the row has 20971520 bytes, more than the limit of 16 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const good = `{"id":"good","prompt":"x"}`
			rows, malformed := readAll(t, strings.NewReader(good+"\n"+tt.row+"\n\n"+good), false)
			if tt.want == "" {
				if len(malformed) > 0 || len(rows) != 3 || rows[1].Line != 2 || rows[2].Line != 4 {
					t.Errorf("rows %.200v, malformed %.200q", rows, malformed)
				}
				return
			}
			if len(malformed) != 1 || malformed[0] != "line 2: "+tt.want || len(rows) != 2 || rows[1].Line != 4 {
				t.Errorf("malformed:\n %.200q, want\n [%q]; rows %.200v", malformed, "line 2: "+tt.want, rows)
			}
		})
	}
}

func TestReaderIDs(t *testing.T) {
	for row, want := range map[string]string{
		`{"id":7,"prompt":"x"}`:                       "7",
		`{"id":"7","prompt":"x"}`:                     "7",
		`{"id":7.0,"prompt":"x"}`:                     "7.0",
		`{"id":-1E+2,"prompt":"x"}`:                   "-1E+2",
		`{"id":"\u00e9","prompt":"x"}`:                "é",
		`{"id":" a ","prompt":"x"}`:                   " a ",
		`{"id":12345678901234567890123,"prompt":"x"}`: "12345678901234567890123",
	} {
		rows, malformed := readAll(t, strings.NewReader(row), false)
		if len(rows) != 1 || rows[0].ID != want || rows[0].Size != len(row) {
			t.Errorf("%s: %+v, %q; want %q", row, rows, malformed, want)
		}
	}
}

func TestReaderLineEnds(t *testing.T) {
	for in, want := range map[string]int{
		"":                            0,
		"\n\r\n \t\n":                 0,
		"\xef\xbb\xbf":                0,
		"\xef\xbb\xbfone\r\ntwo\r\n":  2,
		"one\ntwo":                    2,
		"one\n\n\xef\xbb\xbf two\n\r": 2,
	} {
		rows, malformed := readAll(t, iotest.OneByteReader(strings.NewReader(in)), true)
		if len(rows) != want || len(malformed) > 0 {
			t.Errorf("%q: %+v, %q; want %d rows", in, rows, malformed, want)
		}
	}
	rows, malformed := readAll(t, strings.NewReader(" a \r\n\nb\x00\nc\xff\nd"), true)
	if want := `[{1 1  a  []   map[] 3} {5 5 d []   map[] 1}]`; fmt.Sprint(rows) != want {
		t.Errorf("%v, want %s", rows, want)
	}
	if want := `["line 3: the line contains a NUL character" "line 4: the line is not valid UTF-8"]`; fmt.Sprintf("%q", malformed) != want {
		t.Errorf("%q, want %s", malformed, want)
	}
}

func TestReaderErrorOfInputIsFinal(t *testing.T) {
	broken := errors.New("broken")
	r := NewReader(io.MultiReader(strings.NewReader("one\ntw"), iotest.ErrReader(broken)), true)
	if row, err := r.Next(); err != nil || row.Prompt != "one" {
		t.Fatal(row, err)
	}
	for range 2 {
		if _, err := r.Next(); !errors.Is(err, broken) {
			t.Errorf("error %v, want %v", err, broken)
		}
	}
}

func TestRowErrorIsUsage(t *testing.T) {
	if f := failure.Of(&RowError{Line: 3, What: "x"}); f.Kind != failure.Usage || f.Hint.IsZero() {
		t.Errorf("failure %+v", f)
	}
}

// endless repeats a pattern up to a length.
type endless struct {
	pattern string
	at, n   int
}

func (e *endless) Read(b []byte) (int, error) {
	n := min(len(b), e.n-e.at)
	for i := range n {
		b[i] = e.pattern[(e.at+i)%len(e.pattern)]
	}
	if e.at += n; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func TestReaderSkipsLongRowWithoutHoldingIt(t *testing.T) {
	rows, malformed := readAll(t, io.MultiReader(&endless{pattern: "x", n: 64 << 20}, strings.NewReader("\nnext")), true)
	if len(rows) != 1 || rows[0].Prompt != "next" || len(malformed) != 1 || malformed[0] != "line 1: the row has 67108864 bytes, more than the limit of 16 MiB" {
		t.Errorf("%+v, %q", rows, malformed)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	readAll(t, &endless{pattern: "x", n: 256 << 20}, true)
	runtime.ReadMemStats(&after)
	if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 8*maxRow>>20 {
		t.Errorf("a row of 256 MiB allocated %d MiB in total", grown)
	}
}

// FuzzReader checks that each line with text is either a row or a malformed row with its
// number, that encoding/json reads the same values, and that no row has text that must
// not be sent.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"{\"id\":1,\"prompt\":\"x\"}\n\n{\"id\":\"\\ud83d\\ude00\",\"messages\":[{\"role\":\"user\",\"content\":\"y\"}]}\r\n",
		"\xef\xbb\xbf{\"id\":\"a\",\"prompt\":\"x\",\"vars\":{\"k\":\"v\"},\"agent\":null}", "{\"id\":\"a\",\"id\":\"b\"}\nx\n[",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		lines := strings.Split(strings.TrimPrefix(in, "\xef\xbb\xbf"), "\n")
		rows, malformed := readAll(t, strings.NewReader(in), false)
		withText := 0
		for _, line := range lines {
			if strings.TrimSpace(line) != "" {
				withText++
			}
		}
		if len(rows)+len(malformed) != withText {
			t.Fatalf("%d rows and %q of %d lines with text", len(rows), malformed, withText)
		}
		for _, row := range rows {
			var want struct {
				ID     any
				Prompt string
				Vars   map[string]string
			}
			dec := json.NewDecoder(strings.NewReader(lines[row.Line-1]))
			dec.UseNumber()
			if err := dec.Decode(&want); err != nil {
				t.Fatalf("line %d: %v", row.Line, err)
			}
			if fmt.Sprint(want.ID) != row.ID || want.Prompt != row.Prompt || len(want.Vars) != len(row.Vars) {
				t.Fatalf("%+v, want %+v", row, want)
			}
			if row.ID == "" || len(row.ID) > maxID || strings.ContainsRune(row.ID+row.Prompt, 0) {
				t.Fatalf("row %+v", row)
			}
		}
	})
}

func BenchmarkReader(b *testing.B) {
	const row = `{"id":"row-0000123","prompt":"Summarise this: the quick brown fox jumps over the lazy dog \"quoted\"."}` + "\n"
	b.SetBytes(int64(len(row)))
	b.ReportAllocs()
	r := NewReader(&endless{pattern: row, n: math.MaxInt}, false)
	for b.Loop() {
		if _, err := r.Next(); err != nil {
			b.Fatal(err)
		}
	}
}
