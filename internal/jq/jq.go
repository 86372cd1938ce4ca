// Package jq filters JSON documents with expressions of the jq language. An expression
// has no access to the environment, files, modules or other input than the document.
package jq

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Query is a compiled expression.
type Query struct{ code *gojq.Code }

// Compile parses an expression. The error is of kind failure.Usage and includes the
// position of a syntax error, in characters.
func Compile(expression string) (Query, error) {
	const manual = "the language: https://jqlang.org/manual"
	if strings.TrimSpace(expression) == "" {
		return Query{}, failure.Usagef("pass an expression, such as --jq .reply", "--jq is empty")
	}
	if !utf8.ValidString(expression) {
		return Query{}, failure.Usagef(manual, "invalid --jq expression: it is not UTF-8")
	}
	parsed, err := gojq.Parse(expression)
	if err != nil {
		return Query{}, failure.Usagef(manual, "invalid --jq expression %q: %s", expression, syntaxError(expression, err))
	}
	code, err := gojq.Compile(parsed)
	if err != nil {
		return Query{}, failure.Usagef(manual, "invalid --jq expression %q: %v", expression, err)
	}
	return Query{code}, nil
}

// syntaxError describes a syntax error with its position.
func syntaxError(expression string, err error) string {
	var at *gojq.ParseError
	if !errors.As(err, &at) {
		return err.Error()
	}
	if at.Token == "" && at.Offset >= len(expression) {
		return fmt.Sprintf("unexpected end at character %d", utf8.RuneCountInString(expression)+1)
	}
	start := max(0, min(at.Offset, len(expression))-len(at.Token))
	return fmt.Sprintf("%v at character %d", err, utf8.RuneCountInString(expression[:start])+1)
}

// Results returns the results for a JSON document in order: a string as a string, and
// any other value as a json.RawMessage on one line. Numbers that the expression does not
// change are exact. The last result may be an error: of kind failure.Other, without
// values of the document, or that of ctx.
func (q Query) Results(ctx context.Context, document []byte) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		decoder := json.NewDecoder(bytes.NewReader(document))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			yield(nil, err)
			return
		}
		results := q.code.RunWithContext(ctx, value)
		for {
			result, ok := results.Next()
			if !ok {
				return
			}
			result, err := resultOf(ctx, result)
			if errors.Is(err, errHalt) || !yield(result, err) || err != nil {
				return
			}
		}
	}
}

// errHalt reports that the expression ended with halt.
var errHalt = errors.New("halt")

func resultOf(ctx context.Context, result any) (any, error) {
	switch r := result.(type) {
	case string:
		return r, nil
	case error:
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if halt, ok := errors.AsType[*gojq.HaltError](r); ok && halt.Value() == nil {
			return nil, errHalt
		}
		return nil, failure.New(failure.Other, failure.Plain("to see the whole result, use --json instead of --jq"), "cannot apply --jq to the result: "+cause(r))
	}
	encoded, err := gojq.Marshal(result)
	return json.RawMessage(encoded), err
}

// cause returns the text of an error without the values in it, because values are
// contents of conversations. Only the text of the function error is complete.
func cause(err error) string {
	text := err.Error()
	if _, ok := errors.AsType[gojq.ValueError](err); ok {
		return text
	}
	before, after, function := strings.Cut(text, " cannot be applied to")
	if !function {
		before, after, _ = strings.Cut(text, ": ")
		before, _, _ = strings.Cut(before, " (")
		return before + typeIn(": ", after)
	}
	name := before[:strings.IndexAny(before+"(", "(:")]
	return name + " cannot be applied" + typeIn(" to: ", strings.TrimPrefix(after, ": "))
}

// typeIn returns the type at the beginning of text after prefix, or "".
func typeIn(prefix, text string) string {
	word, _, _ := strings.Cut(text, " ")
	if slices.Contains([]string{"null", "boolean", "number", "string", "array", "object"}, word) {
		return prefix + word
	}
	return ""
}
