package failure

import "strings"

// Errors are the errors of operations that ran at the same time, in a fixed order and at
// least one. Each is reported on its own; together they have the kind, the hint and the
// question of the first.
type Errors []error

// Error returns the messages, separated by semicolons.
func (e Errors) Error() string {
	texts := make([]string, len(e))
	for i, err := range e {
		texts[i] = err.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap returns the errors.
func (e Errors) Unwrap() []error { return e }

// Failure implements Explainer. Its Effect is that of an unknown outcome, if there is
// one.
func (e Errors) Failure() Failure {
	f := Of(e[0])
	for _, err := range e {
		if other := Of(err); other.Kind == Unknown {
			f.Effect = other.Effect
		}
	}
	return f
}
