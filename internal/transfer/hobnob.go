package transfer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// hobnobFormat is the lossless JSON format of hobnob.
var hobnobFormat = Format{
	Name: "hobnob", Extensions: []string{"json"}, Lossless: true,
	Export: writeHobnob,
	Import: func(r io.ReadSeeker, _ Origin) (iter.Seq2[history.Tree, error], error) { return readHobnob(r), nil },
	Detect: func(head []byte) bool { return bytes.HasPrefix(head, []byte("{")) },
}

// The beginning of a file. The version changes with every new key and with the meaning
// of a key, because an older hobnob would lose the value.
const (
	hobnobMagic   = "hobnob-conversations"
	hobnobVersion = 3 // version 2 has no instructions, version 1 no failure_kind and no failure_status
)

// conversationForm is a conversation in a file, without its turns.
type conversationForm struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Profile string   `json:"profile"`
	AgentID nullable `json:"agent_id"`
	Head    nullable `json:"head"`
	Created string   `json:"created"`
	Updated string   `json:"updated"`
	Deleted *string  `json:"deleted,omitempty"`
	// Instructions are missing in files of an older hobnob.
	Instructions *instructionsForm `json:"instructions"`
}

// instructionsForm are the instructions of a conversation in a file.
type instructionsForm struct {
	Text   string                     `json:"text"`
	Source history.InstructionsSource `json:"source"`
	Name   nullable                   `json:"name"`
}

// turnForm is a turn in a file.
type turnForm struct {
	ID       string        `json:"id"`
	Parent   nullable      `json:"parent"`
	Question string        `json:"question"`
	Reply    *string       `json:"reply"`
	State    history.State `json:"state"`
	Failure  nullable      `json:"failure"`
	// FailureKind and FailureStatus are missing in files of an older hobnob.
	FailureKind   nullable    `json:"failure_kind"`
	FailureStatus *int        `json:"failure_status"`
	Mark          nullable    `json:"mark"`
	Asked         string      `json:"asked"`
	Answered      *string     `json:"answered"` // time of the outcome, also of a failure
	AgentID       nullable    `json:"agent_id"`
	Service       serviceForm `json:"service"`
	Usage         *usageForm  `json:"usage"`
}

type serviceForm struct {
	ID             nullable `json:"id"`
	ConversationID nullable `json:"conversation_id"`
	Model          nullable `json:"model"`
	FinishReason   nullable `json:"finish_reason"`
	Response       nullable `json:"response"`
	// ResponseBase64 is used instead of Response if the body is not UTF-8.
	ResponseBase64 string `json:"response_base64,omitempty"`
}

type usageForm struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	TotalTokens      int64 `json:"total_tokens"`
}

// nullable is a string that is written as null if it is empty.
type nullable string

func (n nullable) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return encodeJSON(string(n))
}

// writeHobnob writes JSON that readHobnob reads without loss. Keys have a fixed order,
// and times are in RFC 3339 format, in UTC and with milliseconds. Control and bidi
// characters are escaped, because an export may be shown on a terminal.
func writeHobnob(w io.Writer, _ []history.Conversation, trees iter.Seq2[history.Tree, error]) error {
	out := bufio.NewWriterSize(w, 1<<16) // Flush returns the first error
	_, _ = fmt.Fprintf(out, `{"format":%q,"version":%d,"conversations":[`, hobnobMagic, hobnobVersion)
	separator := "\n"
	for tree, err := range trees {
		if err != nil {
			return err
		}
		_, _ = out.WriteString(separator)
		if err := writeHobnobTree(out, tree); err != nil {
			return err
		}
		separator = ",\n"
	}
	_, _ = out.WriteString("\n]}\n")
	return out.Flush()
}

func writeHobnobTree(out *bufio.Writer, tree history.Tree) error {
	encoded, err := encodeJSON(formOfConversation(tree))
	if err != nil {
		return err
	}
	writeJSON(out, bytes.TrimSuffix(encoded, []byte("}")))
	_, _ = out.WriteString(`,"turns":[`)
	separator := "\n  "
	for _, t := range tree.Turns {
		if encoded, err = encodeJSON(formOfTurn(t)); err != nil {
			return err
		}
		_, _ = out.WriteString(separator)
		writeJSON(out, encoded)
		separator = ",\n  "
	}
	_, err = out.WriteString("]}")
	return err
}

func encodeJSON(v any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n")), err
}

// writeJSON writes JSON and escapes DEL, the C1 controls and the bidi controls, which
// encoding/json does not escape.
func writeJSON(out *bufio.Writer, encoded []byte) {
	for _, r := range string(encoded) {
		if r >= 0x7f && r <= 0x9f || r > 0x9f && unicode.Is(unicode.Bidi_Control, r) {
			_, _ = fmt.Fprintf(out, "\\u%04x", r)
		} else {
			_, _ = out.WriteRune(r)
		}
	}
}

// readHobnob returns an iterator over the trees in the output of writeHobnob. Each
// iteration starts at the beginning of r, which may have a byte order mark. An unknown
// format, version or key and a value of the wrong type are a *history.ImportError with
// the path of the value. Keys may have any order; the last of duplicate keys wins.
func readHobnob(r io.ReadSeeker) iter.Seq2[history.Tree, error] {
	return func(yield func(history.Tree, error) bool) {
		in, err := newStrictJSON(r)
		if err == nil {
			err = readDocument(in, func(tree history.Tree) bool { return yield(tree, nil) })
		}
		if err != nil && !errors.Is(err, errStopped) {
			yield(history.Tree{}, err)
		}
	}
}

// errStopped stops reading after the loop over the trees was left.
var errStopped = errors.New("stopped")

func readDocument(in *strictJSON, yield func(history.Tree) bool) error {
	const top = ""
	var format string
	var version json.Number
	var listed bool
	if err := in.object(top, func(key string) error {
		switch key {
		case "format":
			return in.value(key, &format)
		case "version":
			return in.value(key, &version)
		case "conversations":
			if listed {
				return refuse(key, "duplicate key")
			}
			listed = true
			return in.array(key, func(at string) error { return readConversation(in, at, yield) })
		}
		return refuse(top, "unknown key %q", history.Clip(key))
	}); err != nil {
		return err
	}
	switch {
	case format != hobnobMagic:
		return refuse(top, "unknown format %q: want %q", history.Clip(format), hobnobMagic)
	case !slices.Contains([]json.Number{"1", "2", json.Number(fmt.Sprint(hobnobVersion))}, version):
		return refuse(top, "unsupported version %q: this hobnob reads versions 1 to %d", history.Clip(version.String()), hobnobVersion)
	case !listed:
		return refuse(top, `the key "conversations" is missing`)
	}
	return in.end(top)
}

func readConversation(in *strictJSON, path string, yield func(history.Tree) bool) error {
	var form conversationForm
	var turns []history.Turn
	fields := map[string]any{
		"id": &form.ID, "title": &form.Title, "profile": &form.Profile, "agent_id": &form.AgentID, "head": &form.Head,
		"created": &form.Created, "updated": &form.Updated, "deleted": &form.Deleted,
		"instructions": &form.Instructions,
	}
	if err := in.object(path, func(key string) error {
		at := path + "." + key
		if key == "turns" {
			turns = nil
			return in.array(at, func(at string) error {
				var form turnForm
				if err := in.value(at, &form); err != nil {
					return err
				}
				turn, err := form.turn(at)
				turns = append(turns, turn)
				return err
			})
		}
		into, ok := fields[key]
		if !ok {
			return refuse(path, "unknown key %q", history.Clip(key))
		}
		return in.value(at, into)
	}); err != nil {
		return err
	}
	c := history.Conversation{ID: form.ID, Title: form.Title, Profile: form.Profile, AgentID: string(form.AgentID), Head: string(form.Head), Turns: len(turns)}
	if err := cmp.Or(
		readStamp(path+".created", &form.Created, &c.Created),
		readStamp(path+".updated", &form.Updated, &c.Updated),
		readStamp(path+".deleted", form.Deleted, &c.Deleted),
	); err != nil {
		return err
	}
	for i := range turns {
		turns[i].Conversation = c.ID
	}
	var instructions history.Instructions
	if i := form.Instructions; i != nil {
		instructions = history.Instructions{Text: i.Text, Source: i.Source, Name: string(i.Name)}
	}
	if !yield(history.Tree{Conversation: c, Instructions: instructions, Turns: turns}) {
		return errStopped
	}
	return nil
}

func formOfConversation(t history.Tree) conversationForm {
	c := t.Conversation
	form := conversationForm{
		ID: c.ID, Title: c.Title, Profile: c.Profile, AgentID: nullable(c.AgentID), Head: nullable(c.Head),
		Created: stamp(c.Created), Updated: stamp(c.Updated), Deleted: unlessZero(c.Deleted),
	}
	if i := t.Instructions; i != (history.Instructions{}) {
		form.Instructions = &instructionsForm{i.Text, i.Source, nullable(i.Name)}
	}
	return form
}

func formOfTurn(t history.Turn) turnForm {
	form := turnForm{
		ID: t.ID, Parent: nullable(t.Parent), Question: t.Question, State: t.State, Failure: nullable(t.Failure.Text),
		Mark: nullable(t.Mark), Asked: stamp(t.Asked), Answered: unlessZero(t.Ended), AgentID: nullable(t.AgentID),
		Service: serviceForm{
			ID: nullable(t.Service.ID), ConversationID: nullable(t.Service.ConversationID), Model: nullable(t.Service.Model),
			FinishReason: nullable(t.Service.FinishReason),
		},
		Usage: (*usageForm)(t.Service.Usage),
	}
	if t.Failure != (history.Failure{}) {
		form.FailureKind = nullable(t.Failure.Kind.String())
	}
	if t.Failure.Status != 0 {
		form.FailureStatus = &t.Failure.Status
	}
	if t.State == history.Answered || t.Reply != "" {
		form.Reply = &t.Reply
	}
	if body := t.Service.Response; utf8.Valid(body) {
		form.Service.Response = nullable(body)
	} else {
		form.Service.ResponseBase64 = base64.StdEncoding.EncodeToString(body)
	}
	return form
}

func (f turnForm) turn(path string) (history.Turn, error) {
	t := history.Turn{
		ID: f.ID, Parent: string(f.Parent), Question: f.Question, State: f.State,
		Mark: history.Mark(f.Mark), AgentID: string(f.AgentID),
		Service: history.Service{
			ID: string(f.Service.ID), ConversationID: string(f.Service.ConversationID), Model: string(f.Service.Model),
			FinishReason: string(f.Service.FinishReason), Usage: (*history.Usage)(f.Usage),
		},
	}
	if f.Failure != "" || f.FailureKind != "" {
		t.Failure = history.Failure{Kind: failure.ParseKind(string(f.FailureKind)), Text: string(f.Failure)}
	}
	if f.FailureStatus != nil {
		t.Failure.Status = *f.FailureStatus
	}
	if f.Reply != nil {
		t.Reply = *f.Reply
	}
	if f.Service.Response != "" {
		t.Service.Response = []byte(f.Service.Response)
	}
	if encoded := f.Service.ResponseBase64; encoded != "" {
		body, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(t.Service.Response) > 0 {
			return history.Turn{}, refuse(path+".service.response_base64", "want base64, and not together with response")
		}
		t.Service.Response = body
	}
	return t, cmp.Or(readStamp(path+".asked", &f.Asked, &t.Asked), readStamp(path+".answered", f.Answered, &t.Ended))
}

const stampLayout = "2006-01-02T15:04:05.000Z"

// stamp formats a time. The zero time is written as 1970.
func stamp(t time.Time) string {
	if t.IsZero() {
		t = time.UnixMilli(0)
	}
	return t.UTC().Format(stampLayout)
}

// unlessZero formats a time; the zero time is nil.
func unlessZero(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return new(stamp(t))
}

// readStamp parses a time and truncates it to milliseconds. If text is nil, it does nothing.
func readStamp(path string, text *string, into *time.Time) error {
	if text == nil {
		return nil
	}
	t, err := time.Parse(time.RFC3339, *text)
	if err != nil {
		return refuse(path, "invalid time %q: want the form %s", history.Clip(*text), stampLayout)
	}
	if *into = t.UTC().Truncate(time.Millisecond); into.UnixMilli() == 0 {
		*into = time.Time{} // as in the history
	}
	return nil
}
