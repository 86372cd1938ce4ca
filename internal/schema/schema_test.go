package schema

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

func compiled(t *testing.T, text string) *Schema {
	t.Helper()
	s, err := parse(t.Context(), []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func TestCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		schema, reply string
		problems      []string // none if the reply fits
	}{
		"fits":                     {`{"type":"object"}`, `{"a":1}`, nil},
		"a schema of true":         {`true`, `null`, nil},
		"a schema of false":        {`false`, `null`, []string{"at the top level: false schema"}},
		"place in an array":        {`{"items":{"properties":{"a/b":{"type":"string"}}}}`, `[{},{"a/b":1}]`, []string{"at /1/a~1b: got number, want string"}},
		"missing property":         {`{"required":["a"]}`, `{}`, []string{"at the top level: missing property 'a'"}},
		"other properties":         {`{"additionalProperties":false}`, `{"b":1,"c":2,"a":3}`, []string{"at the top level: additional properties 'a', 'b', 'c' not allowed"}},
		"property name":            {`{"properties":{"a":{"propertyNames":{"pattern":"^a"}},"b":{}}}`, `{"a":{"b":1},"b":{}}`, []string{`property name "b": 'b' does not match pattern '^a'`}},
		"alternatives":             {`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, []string{"at the top level: got number, want null", "at the top level: got number, want string"}},
		"draft 4":                  {`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, `1`, []string{"at the top level: exclusiveMinimum: got 1, want 1"}},
		"draft 2019-09":            {`{"$schema":"https://json-schema.org/draft/2019-09/schema","items":[{"type":"string"}]}`, `[1]`, []string{"at /0: got number, want string"}},
		"draft 2020-12 by default": {`{"prefixItems":[{"type":"string"}]}`, `[1]`, []string{"at /0: got number, want string"}},
		"format":                   {`{"format":"date"}`, `"2026-02-30"`, []string{"at the top level: '2026-02-30' is not valid date: "}},
		"reference":                {`{"$ref":"#/$defs/n","$defs":{"n":{"type":"integer"}}}`, `1.5`, []string{"at the top level: got number, want integer"}},
		"reference to the file":    {`{"$id":"https://example.com/a.json","items":{"$ref":"a.json#/$defs/n"},"$defs":{"n":{"type":"integer"}}}`, `[1.5]`, []string{"at /0: got number, want integer"}},
		"recursion":                {`{"items":{"$ref":"#"},"type":"array"}`, `[[],[[1]]]`, []string{"at /1/0/0: got number, want array"}},
		"exact numbers":            {`{"const":9007199254740993}`, `9007199254740992`, []string{"at the top level: value must be "}},
		"not JSON":                 {`{}`, `Sure!`, []string{"not JSON: invalid character 'S' looking for beginning of value at byte 1"}},
		"number out of range":      {`{"minimum":1}`, `{"a":[1e2000000]}`, []string{"at /a/0: the number 1e2000000 is out of range"}},
		"long number":              {`{"multipleOf":3}`, strings.Repeat("9", 1001), []string{"at the top level: the number 999"}},
		"deep nesting":             {`{"items":{"$ref":"#"}}`, strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), []string{"nested more than 1000 levels deep"}},
		"deeper nesting":           {`{}`, strings.Repeat("[", 100_000), []string{"not JSON: invalid character '[' exceeded max depth at byte 10001"}},
		"many values":              {`{}`, "[" + strings.Repeat("0,", maxValues) + "0]", []string{"more than 100000 values"}},
		"large reply":              {`{}`, `"` + strings.Repeat("x", maxReply) + `"`, []string{"the reply is larger than 16 MiB"}},
		"duplicate key":            {`{}`, `{"a":{"b":1,"b":2}}`, []string{`at /a: duplicate key "b"`}},
		"long key":                 {`{"additionalProperties":{"type":"null"}}`, `{"` + strings.Repeat("é", 300) + `":1}`, []string{"at /" + strings.Repeat("é", 199) + "…: got number, want null"}},
	} {
		document, err := compiled(t, tc.schema).Check(t.Context(), tc.reply)
		var wrong *MismatchError
		switch {
		case tc.problems == nil && (err != nil || document != tc.reply):
			t.Errorf("%s: %q, %v", name, document, err)
		case tc.problems != nil && (!errors.As(err, &wrong) || document != "" || !slices.EqualFunc(wrong.Problems, tc.problems, strings.HasPrefix)):
			t.Errorf("%s: %.200v, want %q", name, err, tc.problems)
		}
	}
}

func TestInvalidSchemas(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(secret, []byte(`{"type":"string"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for schema, want := range map[string]string{
		``:                                "not JSON: there is no text",
		`{`:                               "not JSON: unexpected end of JSON input at byte 1",
		`[]`:                              "must be an object",
		`{}{`:                             "not JSON: invalid character '{' after top-level value at byte 3",
		`{"a":1,"a":2}`:                   `at the top level: duplicate key "a"`,
		`{"items":{"type":"text"}}`:       "at /items/type: ",
		`{"minimum":"1"}`:                 "at /minimum: got string, want number",
		`{"minimum":1e999999}`:            "at /minimum: the number 1e999999 is out of range",
		`{"items":{"pattern":"(a"}}`:      "at /items/pattern: '(a' is not valid regex",
		`{"patternProperties":{"(a":{}}}`: "property name \"(a\": '(a' is not valid regex",
		`{"$schema":"http://json-schema.org/draft-04/schema","patternProperties":{"(a":{}}}`: "at /patternProperties: invalid pattern \"(a\"",
		`{"$ref":"#/$defs/a"}`:                              `reference "#/$defs/a" not found`,
		`{"$ref":"#a"}`:                                     `reference "#a" not found`,
		`{"$ref":"other.json"}`:                             `refers to "other.json"`,
		`{"$ref":"/etc/passwd"}`:                            `refers to "etc/passwd"`,
		`{"$ref":"file://` + secret + `"}`:                  `refers to "file://` + secret + `"`,
		`{"$ref":"//127.0.0.1/a"}`:                          "127.0.0.1/a",
		`{"$schema":"http://127.0.0.1/a"}`:                  `refers to "http://127.0.0.1/a"`,
		`{"$id":"file:///tmp/a.json","items":{"$ref":"b"}}`: `refers to "file:///tmp/b"`,
		strings.Repeat(`{"items":`, 1002) + "{}" + strings.Repeat("}", 1002): "nested more than 1000 levels deep",
		`"` + strings.Repeat("x", maxSchema) + `"`:                           "larger than the limit of 1 MiB",
	} {
		if _, err := parse(t.Context(), []byte(schema)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %q", schema, err, want)
		}
	}
}

func TestSchemaThatNeverEnds(t *testing.T) {
	exponential := compiled(t, `{"oneOf":[{"type":"integer"},{"type":"array","items":{"$ref":"#"}},{"type":"array","items":{"$ref":"#"}}]}`)
	if _, err := exponential.Check(t.Context(), strings.Repeat("[", 20)+strings.Repeat("]", 20)); failure.Of(err).Kind != failure.Schema || errors.As(err, new(*MismatchError)) {
		t.Errorf("exponential time: %v", err)
	}
	if _, err := exponential.Check(t.Context(), "1"); err != nil {
		t.Errorf("the next reply: %v", err)
	}
	if _, err := compiled(t, `{"$ref":"#"}`).Check(t.Context(), "1"); failure.Of(err).Kind != failure.Schema || errors.As(err, new(*MismatchError)) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := compiled(t, `{}`).Check(ctx, "1"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestInstruct(t *testing.T) {
	c := &Contract{Schema: compiled(t, "\xef\xbb\xbf{ \"type\":\n\"null\" }")}
	first := c.Instruct("why?")
	if !strings.HasPrefix(first, "why?\n\n") || !strings.HasSuffix(first, "```json\n{\"type\":\"null\"}\n```") {
		t.Errorf("%q", first)
	}
	if second := (&Contract{Schema: compiled(t, `{}`)}).Instruct(first); strings.Contains(second, "null") || !strings.HasSuffix(second, "```json\n{}\n```") {
		t.Errorf("an earlier instruction stays: %q", second)
	}
	if quoted := c.Instruct(first + "\n\na\n```\nb\n```"); strings.Count(quoted, instruction) != 2 {
		t.Errorf("a part of the question was removed: %q", quoted)
	}
}

func TestAsk(t *testing.T) {
	c := &Contract{Schema: compiled(t, `{"type":"integer"}`), Retries: 2}
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		replies  []string
		document string
		attempts int
		err      string
	}{
		"first reply fits":  {[]string{" 1\n"}, "1", 1, ""},
		"last reply fits":   {[]string{"x", "1.5", "2"}, "2", 3, ""},
		"no reply fits":     {[]string{"x", "1.5", "null", "2"}, "", 3, "the reply does not fit the schema after 3 attempts: at the top level: got null, want integer"},
		"the service fails": {[]string{"x"}, "", 1, "broken"},
	} {
		var asked []string
		document, attempts, err := c.Ask(t.Context(), "how many?", func(question string, attempt int, wrong *MismatchError) (string, error) {
			if asked = append(asked, question); attempt != len(asked) || (wrong == nil) != (attempt == 1) {
				t.Errorf("%s: attempt %d, %v", name, attempt, wrong)
			}
			if attempt > len(tc.replies) {
				return "", broken
			}
			return tc.replies[attempt-1], nil
		})
		if document != tc.document || attempts != tc.attempts || (err == nil) != (tc.err == "") || err != nil && err.Error() != tc.err {
			t.Errorf("%s: %q, %d, %v", name, document, attempts, err)
		}
		if asked[0] != "how many?" || len(asked) > 1 && !strings.Contains(asked[1], "- not JSON: ") {
			t.Errorf("%s: asked %q", name, asked)
		}
	}
}

// FuzzExtract checks that a document is a part of the reply, that it is JSON, and that no
// text around it is dropped unless it is in a code block.
func FuzzExtract(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, " [1]\n", "```json\n{}\n```", "x\n```\n1\n```\ny", "```json\n{}\n```\n```json\n[]\n```", "{} x", "> ```json\n> {\"a\":\n> 1}\n> ```", "1e999999999", "\"\\ud800\""} {
		f.Add(seed)
	}
	anything, err := parse(context.Background(), []byte(`{}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		document, err := Extract(reply)
		if err != nil {
			if document != "" || json.Valid([]byte(reply)) {
				t.Fatalf("%q: %v", document, err)
			}
			return
		}
		if !json.Valid([]byte(document)) || trim(document) != document {
			t.Fatalf("%q is not a JSON document", document)
		}
		for line := range strings.Lines(document) {
			if !strings.Contains(reply, strings.TrimSpace(line)) {
				t.Fatalf("%q is not in the reply", line)
			}
		}
		if trim(reply) != document && !strings.Contains(reply, "```") && !strings.Contains(reply, "~~~") {
			t.Fatalf("%q is only a part of a reply without code blocks", document)
		}
		checked, err := anything.Check(t.Context(), reply)
		if err == nil && checked != document || err != nil && !errors.As(err, new(*MismatchError)) {
			t.Fatalf("%q, %v", checked, err)
		}
	})
}
