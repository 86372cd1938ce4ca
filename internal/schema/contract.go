package schema

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// MaxRetries is the maximum of Contract.Retries, and DefaultRetries its usual value.
const (
	MaxRetries     = 10
	DefaultRetries = 2
)

// Contract asks for JSON that fits a schema.
type Contract struct {
	*Schema
	Retries int // maximum number of corrections to ask for
}

// LoadContract loads the schema in a file. The error is of kind failure.Usage if the file
// or the number of retries is invalid.
func LoadContract(ctx context.Context, path string, retries int) (*Contract, error) {
	if retries < 0 || retries > MaxRetries {
		return nil, failure.Usagef("for example: --schema-retries 3", "invalid value \"%d\" for --schema-retries: must be from 0 to %d", retries, MaxRetries)
	}
	if path == "" {
		return nil, failure.Usagef("for example: --schema answer.schema.json", "--schema is empty")
	}
	s, err := Load(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Contract{Schema: s, Retries: retries}, nil
}

// instruction precedes the schema at the end of a question.
const (
	instruction = "Reply with one JSON document that fits this JSON Schema, and with no other text:\n\n```json\n"
	instructed  = "\n```"
)

// Instruct returns a question that asks for JSON. It replaces an earlier instruction at
// the end, as when a question is asked again.
func (c *Contract) Instruct(question string) string {
	if i := strings.LastIndex(question, instruction); i >= 0 {
		schema, ok := strings.CutSuffix(question[i+len(instruction):], instructed)
		if ok && !strings.Contains(schema, "\n") && json.Valid([]byte(schema)) {
			question = strings.TrimSuffix(question[:i], "\n\n")
		}
	}
	return question + "\n\n" + instruction + c.text + instructed
}

// correction returns the question after a reply that does not fit.
func correction(e *MismatchError) string {
	return "That does not fit the JSON Schema:\n\n- " + strings.Join(e.listed(), "\n- ") +
		"\n\nReply with the whole corrected JSON document, and with no other text."
}

// Ask sends a question, then corrections until a reply fits. It returns the document in
// that reply and the number of replies. Send returns the reply to a question; attempt
// counts from 1, and wrong is nil for the first one and otherwise what is wrong with the
// previous reply. The error is that of send, or of Check for the last reply.
func (c *Contract) Ask(ctx context.Context, question string, send func(question string, attempt int, wrong *MismatchError) (reply string, err error)) (document string, attempts int, err error) {
	var wrong *MismatchError
	for {
		reply, err := send(question, attempts+1, wrong)
		if err != nil {
			return "", attempts, err
		}
		attempts++
		document, err = c.Check(ctx, reply)
		if !errors.As(err, &wrong) {
			return document, attempts, err
		}
		if attempts > c.Retries {
			wrong.Attempts = attempts
			return "", attempts, wrong
		}
		question = correction(wrong)
	}
}
