package salvage

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// maxMillis is the end of the year 9999.
const maxMillis = 253402300799999

// row is one copy of a row of the damaged file.
type row struct {
	layout   *layout
	key      int64
	id       string
	values   []value
	repaired bool // a value that cannot be in its column was replaced
}

// args returns the values of the columns but the key, repaired.
func (r *row) args() []any {
	var args []any
	for _, c := range r.layout.columns {
		if !c.isKey {
			args = append(args, r.column(c))
		}
	}
	return args
}

// column returns what a column of the new history gets. A column with a rule of
// its own in the schema, such as a CHECK, has a case here; all others follow from
// their type. What a row is too old for is NULL.
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
		instead := history.Answered
		if r.value("reply").kind == kindNull {
			instead = history.Unknown
		}
		return oneOf(r, v, instead, history.Pending, history.Answered, history.Failed, history.Unknown)
	case "mark":
		return oneOf(r, v, nil, history.Pinned, history.Skipped)
	}
	switch c.kind {
	case kindText:
		return r.text(v)
	case kindBlob:
		return v.data
	}
	return v.n
}

// value returns a column as the file has it.
func (r *row) value(name string) value {
	i := slices.IndexFunc(r.layout.columns, func(c column) bool { return c.name == name })
	if i < len(r.values) {
		return r.values[i]
	}
	return value{}
}

// text replaces bytes that are not UTF-8 by U+FFFD: one of them is not worth a
// whole answer.
func (r *row) text(v value) any {
	if !utf8.Valid(v.data) {
		r.repaired = true
	}
	return strings.ToValidUTF8(string(v.data), "\uFFFD")
}

// reference is the id of another row. What is not an id becomes one that does not
// exist, so that it reads as lost.
func (r *row) reference(v value) any {
	if id, ok := parseID(v); ok {
		return id
	}
	r.repaired = true
	return uuid.NewString()
}

// oneOf is one of the values that a column may have, or instead.
func oneOf[T ~string](r *row, v value, instead any, values ...T) any {
	if s := T(v.data); slices.Contains(values, s) {
		return s
	}
	r.repaired = true
	return instead
}

// time is a time in milliseconds. One that is out of range is replaced by another
// time of the row.
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

// parseID reads an id as hobnob writes it, in lower case with dashes.
func parseID(v value) (id string, ok bool) {
	parsed, err := uuid.ParseBytes(v.data)
	return string(v.data), err == nil && parsed.String() == string(v.data)
}

// validKey reports whether the key of a turn can have been made from a time.
func validKey(key int64) bool {
	return key > 0 && key/history.SeqPerMilli <= maxMillis
}
