package schema

import (
	"context"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// maxSteps is the maximum number of times that a part of the schema is applied to a value
// of a reply. A schema that applies two parts to each nested value takes exponential time.
const maxSteps = 300_000

var errSteps = failure.New(failure.Schema, failure.Plain("simplify the schema"), "the reply cannot be checked: it takes too many steps")

// steps ends the check of a reply after too many steps. It is an extension of the schema,
// because the validator has no limits and ignores contexts: it is called for each step and
// panics, which bounded recovers.
type steps struct {
	ctx  context.Context
	left int
}

// vocabulary returns a vocabulary without keywords that adds the extension to each part of
// a schema.
func (s *steps) vocabulary() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL:     base + "steps",
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) { return s, nil },
	}
}

// Validate implements jsonschema.SchemaExt.
func (s *steps) Validate(*jsonschema.ValidatorContext, any) {
	if s.left--; s.left < 0 || s.left%1024 == 0 && s.ctx.Err() != nil {
		panic(errSteps)
	}
}
