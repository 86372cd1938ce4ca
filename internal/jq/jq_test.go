package jq_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/jq"
)

// results returns the results of an expression as lines, the error last.
func results(t *testing.T, expression, document string) []string {
	t.Helper()
	query, err := jq.Compile(expression)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	var out []string
	for result, err := range query.Results(t.Context(), []byte(document)) {
		switch r := result.(type) {
		case string:
			out = append(out, r)
		case json.RawMessage:
			out = append(out, "json "+string(r))
		}
		if err != nil {
			out = append(out, "error: "+err.Error())
		}
	}
	return out
}

func TestResults(t *testing.T) {
	const document = `{"reply":"hi","usage":null,"list":[1,2.50,12345678901234567890],"id":"3f2a"}`
	for expression, want := range map[string][]string{
		".reply":                    {"hi"},
		".reply, .id":               {"hi", "3f2a"},
		".usage":                    {"json null"},
		".usage.total_tokens":       {"json null"},
		".list":                     {"json [1,2.50,12345678901234567890]"},
		".list[]":                   {"json 1", "json 2.50", "json 12345678901234567890"},
		"{id, n: (.list|length)}":   {`json {"id":"3f2a","n":3}`},
		"empty":                     nil,
		`"a\nb"`:                    {"a\nb"},
		"[env, $ENV]":               {"json [{},{}]"},
		"1, halt, 2":                {"json 1"},
		`1, error("no reply")`:      {"json 1", "error: cannot apply --jq to the result: error: no reply"},
		".missing | keys?":          nil,
		"nan":                       {"json null"},
		".list | map(. + 1) | .[0]": {"json 2"},
	} {
		if got := results(t, expression, document); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", expression, got, want)
		}
	}
}

// Errors name what failed, but not the values, which are contents of conversations.
func TestErrorsOmitValues(t *testing.T) {
	for expression, want := range map[string]string{
		".reply[]":                    "cannot iterate over: string",
		".reply.a":                    "expected an object but got: string",
		".reply | keys":               "keys cannot be applied to: string",
		".reply | fromjson":           "fromjson cannot be applied",
		".reply + 1":                  "cannot add: string",
		"1 - .reply":                  "cannot subtract: number",
		`.list | test("secret")`:      "test cannot be applied to: array",
		`.list | ltrimstr(.reply)`:    "",
		".list | implode":             "implode cannot be applied to: array",
		".list[0] * 1e9":              "repeat string result too large",
		"{(.list): 1}":                "expected a string for object key but got: array",
		".list | @csv":                "",
		"[.list] | @tsv":              "@tsv cannot format an array including: array",
		`[] | .[.reply?]?, .[{}]`:     `expected "start" and "end" for slicing but got: object`,
		".reply | strptime(\"%Y\")":   "strptime cannot be applied",
		".reply as [$a] | $a":         "expected an array but got: string",
		".reply | tonumber":           "tonumber cannot be applied",
		".reply | ascii":              "",
		`.reply | capture("(?<x>z)")`: "",
	} {
		got := results(t, expression, `{"reply":"secret (secret) \"secret\" 7","list":["secret"]}`)
		last := ""
		if len(got) > 0 && strings.HasPrefix(got[len(got)-1], "error: ") {
			last = got[len(got)-1]
		}
		if strings.Contains(last, "secret") || want != "" && last != "error: cannot apply --jq to the result: "+want {
			t.Errorf("%s: %q, want %q", expression, last, want)
		}
	}
}

func TestInvalidExpressions(t *testing.T) {
	for expression, want := range map[string]string{
		"":                        `--jq is empty`,
		" \n":                     `--jq is empty`,
		"# only a comment":        `invalid --jq expression "# only a comment": missing query (try ".")`,
		".a |":                    `invalid --jq expression ".a |": unexpected end at character 5`,
		`"abc`:                    `invalid --jq expression "\"abc": unexpected end at character 5`,
		".a | | .b":               `invalid --jq expression ".a | | .b": unexpected token "|" at character 6`,
		`"é" )`:                   `invalid --jq expression "\"é\" )": unexpected token ")" at character 5`,
		".a b":                    `invalid --jq expression ".a b": unexpected token "b" at character 4`,
		"nonsense(1)":             `invalid --jq expression "nonsense(1)": function not defined: nonsense/1`,
		"$x":                      `invalid --jq expression "$x": variable not defined: $x`,
		"input":                   `invalid --jq expression "input": input(s)/0 is not allowed`,
		"inputs":                  `invalid --jq expression "inputs": input(s)/0 is not allowed`,
		`import "a" as a; .`:      "invalid --jq expression",
		`include "a"; .`:          "invalid --jq expression",
		`import "/etc/x" as $x;.`: "invalid --jq expression",
		"\xff":                    "invalid --jq expression: it is not UTF-8",
	} {
		_, err := jq.Compile(expression)
		if err == nil || !strings.HasPrefix(err.Error(), want) || failure.Of(err).Kind != failure.Usage {
			t.Errorf("%q: %v, want %s", expression, err, want)
		}
	}
}

func TestEndlessExpressionStopsWithContext(t *testing.T) {
	stop := errors.New("stopped")
	for _, expression := range []string{"def f: f; f", "[range(infinite)]", "repeat(.)", "last(repeat(1))"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		query, err := jq.Compile(expression)
		if err != nil {
			t.Fatal(err)
		}
		go cancel(stop)
		var last error
		for _, err := range query.Results(ctx, []byte("1")) {
			last = err
		}
		if !errors.Is(last, stop) {
			t.Errorf("%s: %v, want the cause of the context", expression, last)
		}
	}
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{".reply", ".a |", `"\(1)`, "[.[] | {a, b}]", "reduce .[] as $x (0; . + $x)", "é|", "\"\\u00", "@base64 \"x\"", "?//"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		_, err := jq.Compile(expression)
		if err == nil {
			return
		}
		if failure.Of(err).Kind != failure.Usage {
			t.Errorf("%q: %v is not of kind usage", expression, err)
		}
		if _, rest, ok := strings.Cut(err.Error(), " at character "); ok {
			var at int
			if _, err := fmt.Sscan(rest, &at); err == nil && (at < 1 || at > utf8.RuneCountInString(expression)+1) {
				t.Errorf("%q: character %d", expression, at)
			}
		}
	})
}
