package batch

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// hostile are inputs that break careless readers. Each has one valid row with the id
// "good", and "twice" where a row repeats an id.
var hostile = map[string]string{
	"no id":                      `{"prompt":"x"}`,
	"null id":                    `{"id":null,"prompt":"x"}`,
	"empty id":                   `{"id":"","prompt":"x"}`,
	"id is an object":            `{"id":{},"prompt":"x"}`,
	"id is true":                 `{"id":true,"prompt":"x"}`,
	"long id":                    `{"id":"` + strings.Repeat("i", 513) + `","prompt":"x"}`,
	"NUL in the id":              `{"id":"a\u0000b","prompt":"x"}`,
	"raw NUL":                    "{\"id\":\"a\x00b\",\"prompt\":\"x\"}",
	"newline in the id":          "{\"id\":\"a\nb\",\"prompt\":\"x\"}",
	"duplicate ids":              `{"id":"twice","prompt":"x"}` + "\n" + `{"id":"twice","prompt":"x"}`,
	"number and string":          `{"id":7,"prompt":"x"}` + "\n" + `{"id":"7","prompt":"x"}`,
	"escaped duplicate":          `{"id":"twice","prompt":"x"}` + "\n" + `{"id":"\u0074wice","prompt":"x"}`,
	"duplicate keys":             `{"id":"a","id":"b","prompt":"x"}`,
	"keys in capitals":           `{"ID":"a","Prompt":"x"}`,
	"prompt is a number":         `{"id":"a","prompt":1}`,
	"prompt is null":             `{"id":"a","prompt":null}`,
	"blank prompt":               `{"id":"a","prompt":" \t "}`,
	"no prompt":                  `{"id":"a"}`,
	"both":                       `{"id":"a","prompt":"x","messages":[{"role":"user","content":"x"}]}`,
	"no messages":                `{"id":"a","messages":[]}`,
	"unknown role":               `{"id":"a","messages":[{"role":"system","content":"x"}]}`,
	"message is a string":        `{"id":"a","messages":["x"]}`,
	"unknown field":              `{"id":"a","promt":"x"}`,
	"vars are not an object":     `{"id":"a","prompt":"x","template":"t","vars":["x"]}`,
	"vars without a template":    `{"id":"a","prompt":"x","vars":{"a":"b"}}`,
	"unknown template":           `{"id":"a","prompt":"x","template":"no-such"}`,
	"template is a path":         `{"id":"a","prompt":"x","template":"../../etc/passwd"}`,
	"unknown agent":              `{"id":"a","prompt":"x","agent":"no-such"}`,
	"invalid UTF-8":              "{\"id\":\"a\",\"prompt\":\"\xff\xfe\"}",
	"lone surrogate":             `{"id":"a","prompt":"\ud800"}`,
	"two values":                 `{"id":"a","prompt":"x"} {"id":"b","prompt":"x"}`,
	"an array":                   `[{"id":"a","prompt":"x"}]`,
	"a string":                   `"x"`,
	"a number":                   `42`,
	"not JSON":                   `id,prompt`,
	"cut":                        `{"id":"a","prompt":"x`,
	"comment":                    `// {"id":"a","prompt":"x"}`,
	"deeply nested":              strings.Repeat(`{"id":`, 10_000) + `1` + strings.Repeat("}", 10_000),
	"deep array":                 `{"id":"a","messages":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + `}`,
	"20 MiB":                     `{"id":"a","prompt":"` + strings.Repeat("x", 20<<20) + `"}`,
	"20 MiB without a line end":  strings.Repeat("y", 20<<20),
	"UTF-16":                     "\xff\xfe{\x00\"\x00i\x00d\x00",
	"byte order mark":            "\ufeff" + `{"id":"a","prompt":"x"}`,
	"mark in the middle":         `{"id":"a","prompt":"x"}` + "\n\ufeff" + `{"id":"b","prompt":"x"}`,
	"CRLF":                       `{"id":"a","prompt":"x"}` + "\r",
	"CR only":                    `{"id":"a","prompt":"x"}` + "\r" + `{"id":"b","prompt":"x"}`,
	"blank lines":                "\n\n \t\n\r\n",
	"control characters":         "\x1b[2J\x07",
	"escape sequence in the id":  `{"id":"\u001b[2J","prompt":"x"}`,
	"result of a batch":          `{"id":"a","reply":"x","agent_id":null}`,
	"right-to-left override":     `{"id":"a\u202e","prompt":"x"}`,
	"number too large":           `{"id":1e999,"prompt":"x"}`,
	"messages end with a reply":  `{"id":"a","messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`,
	"spaces around":              "  \t" + `{"id":"a","prompt":"x"}` + " \t",
	"quotes of a word processor": `{“id”:“a”,“prompt”:“x”}`,
}

// Whatever a row is, it does not stop the rows around it, each row is in the output once,
// and no id is sent twice, also not by a second run.
func TestHostileRowsAreNotSentTwice(t *testing.T) {
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			sent := map[string]int{}
			service := func(_ context.Context, prompt string) error {
				mu.Lock()
				defer mu.Unlock()
				sent[prompt]++
				return nil
			}
			input := text + "\n" + `{"id":"good","prompt":"good"}` + "\n"
			b, out := newBatch(t, input, service)
			b.Input.lines = false
			first := b.Run(t.Context())
			if kind := failure.Of(first).Kind; first != nil && kind != failure.Rows {
				t.Fatalf("%v: %v", first, kind)
			}
			results := ids(t, out)
			seen := map[string]bool{}
			for _, id := range results {
				if seen[id] && !strings.HasPrefix(id, "null") {
					t.Errorf("%q is in the output twice", id)
				}
				seen[id] = true
			}
			if !seen["good"] || sent["good"] != 1 {
				t.Errorf("the row after it: results %q, sent %d times", results, sent["good"])
			}
			before := fmt.Sprint(sent)
			again, _ := newBatch(t, input, service)
			again.Input.lines, again.Output, again.Resume = false, out, Resume{On: true}
			second := again.Run(t.Context())
			if (first == nil) != (second == nil) || fmt.Sprint(sent) != before {
				t.Errorf("the second run: %v after %v; sent %v after %s", second, first, sent, before)
			}
		})
	}
	if len(hostile) < 50 {
		t.Errorf("%d inputs, want 50", len(hostile))
	}
}
