package history

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"time"
	"unicode"
	"unicode/utf8"
)

// What an export says of itself. The version changes with the meaning of a key,
// and with every new key, because an older hobnob would lose what stands there.
const (
	ExportFormat  = "hobnob-conversations"
	ExportVersion = 1
)

// Tree is a conversation with its turns in the order of asking; those of one
// millisecond stand in the order of their journal.
type Tree struct {
	Conversation Conversation
	Turns        []Turn
}

// conversationForm is a conversation in an export; its turns follow under "turns".
type conversationForm struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`
	Profile string  `json:"profile"`
	AgentID *string `json:"agent_id"`
	Head    *string `json:"head"`
	Created string  `json:"created"`
	Updated string  `json:"updated"`
	Deleted string  `json:"deleted,omitempty"`
}

// turnForm is a turn in an export.
type turnForm struct {
	ID       string      `json:"id"`
	Parent   *string     `json:"parent"`
	Question string      `json:"question"`
	Reply    *string     `json:"reply"`
	State    State       `json:"state"`
	Failure  *string     `json:"failure"`
	Mark     *Mark       `json:"mark"`
	Asked    string      `json:"asked"`
	Answered *string     `json:"answered"` // when the outcome was known, also of a failure
	AgentID  *string     `json:"agent_id"`
	Service  serviceForm `json:"service"`
	Usage    *usageForm  `json:"usage"`
}

type serviceForm struct {
	ID             *string `json:"id"`
	ConversationID *string `json:"conversation_id"`
	Model          *string `json:"model"`
	FinishReason   *string `json:"finish_reason"`
	Response       *string `json:"response"`
	// ResponseBase64 stands in for Response when the body was not UTF-8.
	ResponseBase64 string `json:"response_base64,omitempty"`
}

type usageForm struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	TotalTokens      int64 `json:"total_tokens"`
}

// All returns the conversations of a profile or, with an empty one, of every
// profile, oldest first; with deleted those in the trash too.
func (s *Store) All(ctx context.Context, profile string, deleted bool) ([]Conversation, error) {
	return s.conversations(ctx, `WHERE (?1 = '' OR c.profile = ?1) AND (?2 OR c.deleted IS NULL) ORDER BY c.created, c.id`, profile, deleted)
}

// Export writes the conversations with these ids, in this order, as JSON that
// Import reads back without loss. It holds one turn at a time in memory, and
// what it writes is the history at one moment. Pending turns are written as
// pending, whoever waits for them.
//
// Keys have a fixed order, times are RFC 3339 in UTC with milliseconds, and no
// control or bidi character stands unescaped. A conversation that is gone is a
// *NotFoundError. A nil Store is an empty history.
func (s *Store) Export(ctx context.Context, w io.Writer, ids ...string) error {
	var tx *sql.Tx
	if len(ids) > 0 {
		if s == nil {
			return &NotFoundError{Ref: ids[0]}
		}
		// Reading takes no lock that a writer waits for, however slow w is.
		var err error
		if tx, err = s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}); err != nil {
			return s.readError(err)
		}
		defer func() { _ = tx.Rollback() }()
	}
	out := exporter{w: bufio.NewWriterSize(w, 1<<16)}
	out.text(`{"format":`)
	out.value(ExportFormat)
	out.text(fmt.Sprintf(`,"version":%d,"conversations":[`, ExportVersion))
	for i, id := range ids {
		if i > 0 {
			out.text(",")
		}
		if err := s.exportOne(ctx, tx, &out, id); err != nil {
			return err
		}
	}
	out.text("\n]}\n")
	if out.err == nil {
		out.err = out.w.Flush()
	}
	return out.err
}

func (s *Store) exportOne(ctx context.Context, tx *sql.Tx, out *exporter, id string) error {
	var c Conversation
	var created, updated, deleted int64
	rows, err := tx.QueryContext(ctx, `SELECT `+conversationColumns+` FROM conversations c WHERE c.id = ?`, id)
	if err != nil {
		return s.readError(err)
	}
	found := false
	if err := each(rows, func() error {
		found = true
		return rows.Scan(&c.ID, &c.Title, &c.Profile, &c.AgentID, &c.Head, &created, &updated, &deleted, &c.Turns)
	}); err != nil {
		return s.readError(err)
	}
	if !found {
		return &NotFoundError{Ref: id}
	}
	c.Created, c.Updated, c.Deleted = fromMillis(created), fromMillis(updated), fromMillis(deleted)
	out.text("\n")
	out.escaped(bytes.TrimSuffix(out.encode(formOfConversation(c)), []byte("}")))
	out.text(`,"turns":[`)

	rows, err = tx.QueryContext(ctx, `SELECT `+turnColumns+` FROM turns t WHERE t.conversation = ? ORDER BY t.seq`, id)
	if err != nil {
		return s.readError(err)
	}
	separator := "\n  "
	if err := each(rows, func() error {
		t, _, err := scanTurn(rows)
		if err != nil {
			return err
		}
		out.text(separator)
		out.value(formOfTurn(t))
		separator = ",\n  "
		return out.err
	}); err != nil && out.err == nil {
		return s.readError(err)
	}
	out.text("]}")
	return out.err
}

func formOfConversation(c Conversation) conversationForm {
	form := conversationForm{
		ID: c.ID, Title: c.Title, Profile: c.Profile, AgentID: optional(c.AgentID), Head: optional(c.Head),
		Created: stamp(c.Created), Updated: stamp(c.Updated),
	}
	if !c.Deleted.IsZero() {
		form.Deleted = stamp(c.Deleted)
	}
	return form
}

func formOfTurn(t Turn) turnForm {
	form := turnForm{
		ID: t.ID, Parent: optional(t.Parent), Question: t.Question, Reply: optional(t.Reply), State: t.State, Failure: optional(t.Failure),
		Mark: optional(t.Mark), Asked: stamp(t.Asked), AgentID: optional(t.AgentID),
		Service: serviceForm{
			ID: optional(t.Service.ID), ConversationID: optional(t.Service.ConversationID), Model: optional(t.Service.Model),
			FinishReason: optional(t.Service.FinishReason),
		},
	}
	if t.State == Answered {
		form.Reply = &t.Reply
	}
	if !t.Ended.IsZero() {
		ended := stamp(t.Ended)
		form.Answered = &ended
	}
	switch body := t.Service.Response; {
	case len(body) == 0:
	case utf8.Valid(body):
		text := string(body)
		form.Service.Response = &text
	default:
		form.Service.ResponseBase64 = base64.StdEncoding.EncodeToString(body)
	}
	if u := t.Service.Usage; u != nil {
		form.Usage = &usageForm{u.PromptTokens, u.CompletionTokens, u.TotalTokens}
	}
	return form
}

// optional is nil for what is empty.
func optional[T ~string](value T) *T {
	if value == "" {
		return nil
	}
	return &value
}

const stampLayout = "2006-01-02T15:04:05.000Z"

// stamp is a time in an export. The zero time is what 1970 reads as.
func stamp(t time.Time) string {
	return time.UnixMilli(stored(t)).UTC().Format(stampLayout)
}

// stored is what fromMillis reads.
func stored(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return millis(t)
}

// exporter writes JSON and keeps the first error.
type exporter struct {
	w      *bufio.Writer
	buffer bytes.Buffer
	err    error
}

func (e *exporter) text(s string) {
	if e.err == nil {
		_, e.err = e.w.WriteString(s)
	}
}

func (e *exporter) value(v any) { e.escaped(e.encode(v)) }

// encode returns the JSON of v, which the next call overwrites.
func (e *exporter) encode(v any) []byte {
	e.buffer.Reset()
	encoder := json.NewEncoder(&e.buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil && e.err == nil {
		e.err = err
	}
	return bytes.TrimSuffix(e.buffer.Bytes(), []byte("\n"))
}

// escaped writes JSON with DEL, the C1 controls and the bidi controls escaped,
// which encoding/json leaves as they are: an export may be read on a terminal.
func (e *exporter) escaped(encoded []byte) {
	if e.err != nil {
		return
	}
	plain := 0
	for i := 0; i < len(encoded); {
		r, size := rune(encoded[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(encoded[i:])
		}
		if r >= 0x7f && r <= 0x9f || r > 0x9f && unicode.Is(unicode.Bidi_Control, r) {
			_, _ = e.w.Write(encoded[plain:i])
			_, _ = fmt.Fprintf(e.w, "\\u%04x", r)
			plain = i + size
		}
		i += size
	}
	_, e.err = e.w.Write(encoded[plain:]) // a bufio.Writer repeats its first error
}
