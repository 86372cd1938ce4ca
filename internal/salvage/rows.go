package salvage

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// maxMillis is the end of the year 9999 in Unix milliseconds.
const maxMillis = 253402300799999

// row is one copy of a row in the damaged file.
type row struct {
	layout   *layout
	key      int64
	id       string
	values   []value
	repaired bool // an invalid value was replaced
}

// args returns the repaired values of all columns except the key.
func (r *row) args() []any {
	var args []any
	for _, c := range r.layout.columns {
		if !c.isKey {
			args = append(args, r.column(c))
		}
	}
	return args
}

// column returns the value of a column in the new history. A column with its own rule,
// such as a CHECK in the schema, has a case here; all others depend only on their type. Columns added after the row was written are NULL.
func (r *row) column(c column) any {
	v := r.value(c.name)
	switch {
	case c.name == "id":
		return r.id
	case v.kind == kindNull:
		return nil
	}
	switch c.name {
	case "conversation", "parent", "head":
		return r.reference(v)
	case "created", "updated", "deleted", "asked", "expires", "ended":
		return r.time(c.name)
	case "state":
		replacement := history.Answered
		if r.value("reply").kind == kindNull {
			replacement = history.Unknown
		}
		return oneOf(r, v, replacement, history.Pending, history.Answered, history.Failed, history.Unknown)
	case "mark":
		return oneOf(r, v, nil, history.Pinned, history.Skipped)
	case "instructions_source":
		return oneOf(r, v, history.OwnInstructions, history.OwnInstructions, history.AgentInstructions, history.ProjectInstructions, history.ProfileInstructions)
	}
	switch c.kind {
	case kindText:
		return r.text(v)
	case kindBlob:
		return v.data
	}
	return v.n
}

// value returns the stored value of a column.
func (r *row) value(name string) value {
	i := slices.IndexFunc(r.layout.columns, func(c column) bool { return c.name == name })
	if i < len(r.values) {
		return r.values[i]
	}
	return value{}
}

// text returns a text value with invalid UTF-8 replaced by U+FFFD: one bad byte must
// not lose a whole reply.
func (r *row) text(v value) any {
	if !utf8.Valid(v.data) {
		r.repaired = true
	}
	return strings.ToValidUTF8(string(v.data), "\uFFFD")
}

// reference returns the id of another row. An invalid id is replaced by a new one, so
// that the other row counts as lost.
func (r *row) reference(v value) any {
	if id, ok := parseID(v); ok {
		return id
	}
	r.repaired = true
	return uuid.NewString()
}

// oneOf returns the value if the column allows it, otherwise the replacement.
func oneOf[T ~string](r *row, v value, replacement any, values ...T) any {
	if s := T(v.data); slices.Contains(values, s) {
		return s
	}
	r.repaired = true
	return replacement
}

// time returns a time in Unix milliseconds. A time out of range is replaced by
// another time of the row.
func (r *row) time(name string) any {
	v := r.value(name)
	if v.kind == kindNull {
		return nil
	}
	if 0 <= v.n && v.n <= maxMillis {
		return v.n
	}
	r.repaired = true
	switch name {
	case "asked":
		return min(max(r.key/history.SeqPerMilli, 0), maxMillis)
	case "expires":
		return r.time("asked")
	case "created":
		return r.time("updated")
	case "updated":
		return int64(0)
	}
	return nil
}

// parseID parses an id in the form that hobnob writes: lower case with dashes.
func parseID(v value) (id string, ok bool) {
	parsed, err := uuid.ParseBytes(v.data)
	return string(v.data), err == nil && parsed.String() == string(v.data)
}

// validKey reports whether the key of a turn encodes a valid time.
func validKey(key int64) bool {
	return key > 0 && key/history.SeqPerMilli <= maxMillis
}
