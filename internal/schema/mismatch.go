package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
)

const (
	maxProblems = 5   // in an error message and in a correction
	maxProblem  = 200 // runes of one problem
)

// MismatchError means that a reply does not fit the schema. It is of kind
// failure.Schema.
type MismatchError struct {
	Problems []string // each with its place in the reply, as a JSON pointer
	Attempts int      // number of replies, 0 if not known
}

func (e *MismatchError) Error() string {
	after := ""
	if e.Attempts > 1 {
		after = fmt.Sprintf(" after %d attempts", e.Attempts)
	}
	return "the reply does not fit the schema" + after + ": " + strings.Join(e.listed(), "; ")
}

// Failure implements failure.Explainer.
func (e *MismatchError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Schema, Hint: failure.Plain("allow more attempts with --schema-retries, or simplify the schema")}
}

func (e *MismatchError) listed() []string { return listed(e.Problems) }

// listed returns the first problems and the number of the others.
func listed(problems []string) []string {
	more := len(problems) - maxProblems
	if more <= 0 {
		return problems
	}
	return append(slices.Clone(problems[:maxProblems]), "and "+plural.Count(more, "more problem"))
}

// problemsOf returns the problems of a document, sorted by place. Endless reports whether
// the schema refers to itself at the same place of the document.
func problemsOf(err *jsonschema.ValidationError) (problems []string, endless bool) {
	printer := message.NewPrinter(language.English)
	var walk func(e *jsonschema.ValidationError, name string)
	walk = func(e *jsonschema.ValidationError, name string) {
		switch what := e.ErrorKind.(type) {
		case *kind.RefCycle:
			endless = true
		case *kind.AdditionalProperties:
			slices.Sort(what.Properties)
		case *kind.PropertyNames: // its place is not reliable
			name = fmt.Sprintf("property name %q", cut(what.Property))
		}
		for _, cause := range e.Causes {
			walk(cause, name)
		}
		if len(e.Causes) > 0 {
			return
		}
		place := name
		if place == "" {
			place = at(e.InstanceLocation)
		}
		problems = append(problems, place+": "+cut(e.ErrorKind.LocalizedString(printer)))
	}
	walk(err, "")
	slices.Sort(problems)
	return slices.Compact(problems), endless
}

// escapes are the escapes of a key in a JSON pointer (RFC 6901).
var escapes = strings.NewReplacer("~", "~0", "/", "~1")

// at names a place in a document by its JSON pointer. That of the whole document is
// empty.
func at(place []string) string {
	if len(place) == 0 {
		return "at the top level"
	}
	var pointer strings.Builder
	for _, key := range place {
		pointer.WriteString("/" + escapes.Replace(cut(key)))
		if pointer.Len() > 4*maxProblem {
			break // cut shortens it
		}
	}
	return "at " + cut(pointer.String())
}

// cut shortens a text from a reply or a schema.
func cut(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxProblem {
			return text[:i] + "…"
		}
	}
	return text
}
