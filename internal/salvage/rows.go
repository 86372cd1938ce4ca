package salvage

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// The columns of the rows in the file. Turns had no mark at first, and rows
// written then stay as they were.
const (
	conversationWidth = 8
	turnWidth         = 22
	oldTurnWidth      = 21
)

// maxMillis is the end of the year 9999.
const maxMillis = 253402300799999

// uuidType is the type of a text of 36 bytes in the file format.
const uuidType = 36*2 + 13

// The types that a column may have.
const (
	typeNull = 1 << iota
	typeInt
	typeText
	typeBlob
	typeUUID
)

// column is a column of a table in the file, in the order of the history.Schema().
type column struct {
	name  string
	types int
}

var conversationFields = []column{
	{"id", typeUUID}, {"title", typeText}, {"profile", typeText}, {"agent_id", typeText}, {"head", typeNull | typeUUID},
	{"created", typeInt}, {"updated", typeInt}, {"deleted", typeNull | typeInt},
}

var turnFields = []column{
	{"seq", typeNull}, {"id", typeUUID}, {"conversation", typeUUID}, {"parent", typeNull | typeUUID}, {"question", typeText},
	{"reply", typeNull | typeText}, {"state", typeText}, {"agent_id", typeText}, {"asked", typeInt}, {"expires", typeInt}, {"owner", typeText},
	{"ended", typeNull | typeInt}, {"failure", typeNull | typeText}, {"service_id", typeNull | typeText},
	{"service_conversation_id", typeNull | typeText}, {"model", typeNull | typeText}, {"finish_reason", typeNull | typeText},
	{"prompt_tokens", typeNull | typeInt}, {"completion_tokens", typeNull | typeInt}, {"total_tokens", typeNull | typeInt},
	{"response", typeNull | typeBlob}, {"mark", typeNull | typeText},
}

func isConversation(c Cell) bool {
	return len(c.Types) == conversationWidth && hasTypes(c.Types, conversationFields)
}

func isTurn(c Cell) bool {
	return (len(c.Types) == turnWidth || len(c.Types) == oldTurnWidth) && hasTypes(c.Types, turnFields)
}

// hasTypes reports whether each column is of one of the types that it may have.
func hasTypes(got []uint64, want []column) bool {
	for i, t := range got {
		var is int
		switch {
		case t == 0:
			is = typeNull
		case t < 7, t == 8, t == 9:
			is = typeInt
		case t == uuidType:
			is = typeUUID | typeText
		case t >= 12 && t%2 == 0:
			is = typeBlob
		case t >= 13:
			is = typeText
		}
		if is&want[i].types == 0 {
			return false
		}
	}
	return true
}

// mender turns values of the file into arguments of an INSERT. What cannot be is
// replaced, and counted.
type mender struct{ mended bool }

// text is a text or nil. Bytes that are no text become U+FFFD: one of them is not
// worth a whole answer.
func (m *mender) text(v Value) any {
	if v.Kind == Null {
		return nil
	}
	if !utf8.Valid(v.Bytes) {
		m.mended = true
		return strings.ToValidUTF8(string(v.Bytes), "\uFFFD")
	}
	return string(v.Bytes)
}

// id is an id or nil. What is no id becomes one that nothing has, so that it reads
// as lost.
func (m *mender) id(v Value) any {
	if v.Kind == Null {
		return nil
	}
	if _, ok := parseID(v); ok {
		return string(v.Bytes)
	}
	m.mended = true
	return uuid.NewString()
}

// millis is a time, or instead when it cannot be one.
func (m *mender) millis(v Value, instead any) any {
	switch {
	case v.Kind == Null:
		return nil
	case v.Int < 0 || v.Int > maxMillis:
		m.mended = true
		return instead
	}
	return v.Int
}

func (m *mender) integer(v Value) any {
	if v.Kind == Null {
		return nil
	}
	return v.Int
}

func (m *mender) state(v, reply Value) history.State {
	switch s := history.State(v.Bytes); s {
	case history.Pending, history.Answered, history.Failed, history.Unknown:
		return s
	}
	m.mended = true
	if reply.Kind == Null {
		return history.Unknown
	}
	return history.Answered
}

func (m *mender) mark(row []Value) any {
	if len(row) == oldTurnWidth || row[21].Kind == Null {
		return nil
	}
	switch mark := history.Mark(row[21].Bytes); mark {
	case history.Pinned, history.Skipped:
		return string(mark)
	}
	m.mended = true
	return nil
}

// parseID reads an id as hobnob writes it, in lower case with dashes.
func parseID(v Value) (id uuid.UUID, ok bool) {
	if len(v.Bytes) != 36 {
		return id, false
	}
	id, err := uuid.ParseBytes(v.Bytes)
	return id, err == nil && id.String() == string(v.Bytes)
}

// conversationArgs are the arguments of salvagedConversation behind the row id.
func (m *mender) conversationArgs(id uuid.UUID, row []Value) []any {
	updated := m.millis(row[6], int64(0))
	return []any{id.String(), m.text(row[1]), m.text(row[2]), m.text(row[3]), m.id(row[4]), m.millis(row[5], updated), updated, m.millis(row[7], nil)}
}

// turnArgs are the arguments of salvagedTurn behind the key.
func (m *mender) turnArgs(id uuid.UUID, seq int64, row []Value) []any {
	asked := m.millis(row[8], min(max(seq/history.SeqPerMilli, 0), maxMillis))
	var response any
	if row[20].Kind == Blob {
		response = row[20].Bytes
	}
	return []any{
		id.String(), m.id(row[2]), m.id(row[3]), m.text(row[4]), m.text(row[5]), string(m.state(row[6], row[5])), m.text(row[7]),
		asked, m.millis(row[9], asked), m.text(row[10]), m.millis(row[11], nil), m.text(row[12]), m.text(row[13]), m.text(row[14]), m.text(row[15]), m.text(row[16]),
		m.integer(row[17]), m.integer(row[18]), m.integer(row[19]), response, m.mark(row),
	}
}

// validSeq reports whether a key can have been made from a time.
func validSeq(seq int64) bool {
	return seq > 0 && seq <= math.MaxInt64/2 && seq/history.SeqPerMilli <= maxMillis
}
