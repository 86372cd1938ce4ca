// Package schema asks for JSON that fits a JSON Schema and checks replies against it. It
// knows neither the service nor the history: the caller sends the questions. A schema is
// untrusted: it reads no other file and no network, and checking a reply is limited in
// time, size and depth.
package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
)

const (
	// maxSchema is the maximum size of a schema in bytes. It is sent with the question.
	maxSchema = 1 << 20
	// maxReply is the maximum size of a reply in bytes.
	maxReply = 16 << 20
	// limit is the maximum duration of compiling a schema and of checking a reply.
	limit = 10 * time.Second
)

// Schema is a JSON Schema of a draft from 4 to 2020-12. Without $schema, it is of draft
// 2020-12. Formats such as "date" are checked in every draft, patterns have the syntax
// of Go, and contentEncoding and contentMediaType are not checked.
// It is safe for concurrent use.
type Schema struct {
	text string // compact JSON

	mu       sync.Mutex // guards steps: one reply is checked at a time
	compiled *jsonschema.Schema
	steps    *steps
}

// Load reads and compiles the schema in a file or a named pipe. The error is of kind
// failure.Usage and names the place in the schema.
func Load(ctx context.Context, path string) (*Schema, error) {
	data, err := input.Await(ctx, func() ([]byte, error) {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		return io.ReadAll(io.LimitReader(file, maxSchema+1))
	})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, failure.Usagef("check the name after --schema", "cannot read the schema %s: %v", path, failure.Reason(err))
	}
	s, err := parse(ctx, data)
	if err != nil && ctx.Err() == nil {
		return nil, failure.Usagef("correct the file; nothing was sent", "invalid schema %s: %v", path, err)
	}
	return s, err
}

// base is the address of the schema. It resolves references within the file.
const base = "schema:///"

func parse(ctx context.Context, data []byte) (*Schema, error) {
	if len(data) > maxSchema {
		return nil, fmt.Errorf("larger than the limit of %d MiB", maxSchema>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	document, err := decode(string(data))
	if err != nil {
		return nil, err
	}
	switch document.(type) {
	case map[string]any, bool:
	default:
		return nil, errors.New("must be an object")
	}
	var text bytes.Buffer
	if err := json.Compact(&text, data); err != nil {
		return nil, err
	}
	s := &Schema{text: text.String(), steps: &steps{}}
	s.compiled, err = bounded(ctx, func() (*jsonschema.Schema, error) {
		compiler := jsonschema.NewCompiler()
		compiler.UseLoader(noLoader{})
		compiler.AssertFormat()
		compiler.RegisterVocabulary(s.steps.vocabulary())
		compiler.AssertVocabs()
		if err := compiler.AddResource(base, document); err != nil {
			return nil, err
		}
		return compiler.Compile(base)
	})
	if err != nil {
		return nil, invalid(err)
	}
	return s, nil
}

// noLoader refuses references to other files and to the network.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errOutside }

var errOutside = errors.New("refers to another document")

// invalid returns an error for a schema that cannot be compiled. It names the place.
func invalid(err error) error {
	var (
		load    *jsonschema.LoadURLError
		meta    *jsonschema.SchemaValidationError
		pattern *jsonschema.InvalidRegexError
		pointer *jsonschema.JSONPointerNotFoundError
		anchor  *jsonschema.AnchorNotFoundError
		wrong   *jsonschema.ValidationError
	)
	inside := func(address string) string { return strings.TrimPrefix(address, base) }
	switch {
	case errors.As(err, &load):
		return fmt.Errorf("refers to %q; only references within the file are supported", inside(load.URL))
	case errors.As(err, &meta) && errors.As(meta.Err, &wrong):
		problems, _ := problemsOf(wrong)
		return errors.New(strings.Join(listed(problems), "; "))
	case errors.As(err, &pattern):
		return fmt.Errorf("at %s: invalid pattern %q: %w", strings.TrimPrefix(inside(pattern.URL), "#"), cut(pattern.Regex), pattern.Err)
	case errors.As(err, &pointer):
		return fmt.Errorf("reference %q not found", inside(pointer.URL))
	case errors.As(err, &anchor):
		return fmt.Errorf("reference %q not found", inside(anchor.Reference))
	}
	return errors.New(cut(strings.ReplaceAll(err.Error(), base, "")))
}

// Check returns the JSON document in a reply, byte for byte, if it fits the schema. The
// error is a *MismatchError if it does not, and another one if that cannot be decided.
func (s *Schema) Check(ctx context.Context, reply string) (document string, err error) {
	return bounded(ctx, func() (string, error) {
		document, err := Extract(reply)
		var value any
		if err == nil {
			value, err = decode(document)
		}
		if err != nil {
			return "", &MismatchError{Problems: []string{err.Error()}}
		}
		if err := s.validate(ctx, value); err != nil {
			return "", err
		}
		return document, nil
	})
}

// validate returns nil if a value fits.
func (s *Schema) validate(ctx context.Context, value any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps.ctx, s.steps.left = ctx, maxSteps
	err := s.compiled.Validate(value)
	var wrong *jsonschema.ValidationError
	if !errors.As(err, &wrong) {
		return err
	}
	problems, endless := problemsOf(wrong)
	if endless {
		return failure.New(failure.Schema, failure.Plain("correct the schema"), "the reply cannot be checked: the schema refers to itself without end")
	}
	return &MismatchError{Problems: problems}
}

// bounded returns the result of work, or an error if it takes too long, if ctx is done or
// if the library panics.
func bounded[T any](ctx context.Context, work func() (T, error)) (T, error) {
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result, err := input.Await(within, func() (result T, err error) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case errSteps:
				err = errSteps
			default:
				err = failure.New(failure.Schema, failure.Plain("simplify the schema"), "this schema is not supported")
			}
		}()
		return work()
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = failure.New(failure.Schema, failure.Plain("simplify the schema"), fmt.Sprintf("the schema takes longer than %s", limit))
	}
	return result, err
}
