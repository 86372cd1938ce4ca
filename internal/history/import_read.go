package history

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
)

// byteOrderMark is what some programs write before UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// maxValue bounds one turn of an export as JSON, where one byte may take six.
const maxValue = 256 << 20

// ReadExport reads what Export wrote, tree by tree and each time from the start
// of r, for Import. It is strict: an unknown format, version or key and a value of the wrong
// type are an *ImportError that names the place. Keys may come in any order; of
// two equal ones the last counts. A byte order mark may come first.
func ReadExport(r io.ReadSeeker) iter.Seq2[Tree, error] {
	return func(yield func(Tree, error) bool) {
		start, err := skipMark(r)
		if err != nil {
			yield(Tree{}, err)
			return
		}
		in := &bounded{r: r, left: maxValue}
		e := exportReader{dec: json.NewDecoder(in), in: in, start: start, yield: yield}
		if err := e.document(); err != nil && !errors.Is(err, errStopped) {
			yield(Tree{}, err)
		}
	}
}

// skipMark goes to the start of r or, if there is a byte order mark, behind it.
func skipMark(r io.ReadSeeker) (start int64, err error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	mark := make([]byte, len(byteOrderMark))
	n, err := io.ReadFull(r, mark)
	switch {
	case string(mark[:n]) == byteOrderMark:
		return int64(n), nil
	case err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return 0, err
	}
	return r.Seek(0, io.SeekStart)
}

var (
	errStopped = errors.New("the reader wants no more")
	errTooLong = fmt.Errorf("a value is longer than %d MiB", maxValue>>20)
)

// bounded is a reader that fails when too much comes without a reset.
type bounded struct {
	r    io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

type exportReader struct {
	dec   *json.Decoder
	in    *bounded
	start int64 // bytes of the file before those that dec reads
	yield func(Tree, error) bool
}

func (e *exportReader) document() error {
	const top = "the file"
	var format string
	var version json.Number
	var listed bool
	if err := e.object(top, func(key string) error {
		switch key {
		case "format":
			return e.value(key, &format)
		case "version":
			return e.value(key, &version)
		case "conversations":
			if listed {
				return refuse(key, "stands there twice")
			}
			listed = true
			return e.array(key, e.conversation)
		}
		return refuse(top, "the key %q is unknown", clip(key))
	}); err != nil {
		return err
	}
	switch {
	case format != ExportFormat:
		return refuse(top, "its format is %q, not %q", clip(format), ExportFormat)
	case version != json.Number(fmt.Sprint(ExportVersion)):
		return refuse(top, "its version is %q; this hobnob reads version %d", clip(version.String()), ExportVersion)
	case !listed:
		return refuse(top, "it has no conversations")
	}
	if _, err := e.dec.Token(); !errors.Is(err, io.EOF) {
		return refuse(top, "something follows its end")
	}
	return nil
}

func (e *exportReader) conversation(path string) error {
	var form conversationForm
	var turns []Turn
	var deleted *string
	fields := map[string]any{
		"id": &form.ID, "title": &form.Title, "profile": &form.Profile, "agent_id": &form.AgentID, "head": &form.Head,
		"created": &form.Created, "updated": &form.Updated, "deleted": &deleted,
	}
	if err := e.object(path, func(key string) error {
		at := path + "." + key
		if key == "turns" {
			turns = nil
			return e.array(at, func(at string) error {
				var form turnForm
				if err := e.value(at, &form); err != nil {
					return err
				}
				turn, err := form.turn(at)
				turns = append(turns, turn)
				return err
			})
		}
		into, ok := fields[key]
		if !ok {
			return refuse(path, "the key %q is unknown", clip(key))
		}
		return e.value(at, into)
	}); err != nil {
		return err
	}
	c := Conversation{ID: form.ID, Title: form.Title, Profile: form.Profile, AgentID: given(form.AgentID), Head: given(form.Head), Turns: len(turns)}
	if err := readStamp(path+".created", &form.Created, &c.Created); err != nil {
		return err
	}
	if err := readStamp(path+".updated", &form.Updated, &c.Updated); err != nil {
		return err
	}
	if err := readStamp(path+".deleted", deleted, &c.Deleted); err != nil {
		return err
	}
	for i := range turns {
		turns[i].Conversation = c.ID
	}
	if !e.yield(Tree{Conversation: c, Turns: turns}, nil) {
		return errStopped
	}
	return nil
}

func (f turnForm) turn(path string) (Turn, error) {
	t := Turn{
		ID: f.ID, Parent: given(f.Parent), Question: f.Question, Reply: given(f.Reply), State: f.State, AgentID: given(f.AgentID),
		Failure: given(f.Failure), Mark: given(f.Mark),
		Service: Service{
			ID: given(f.Service.ID), ConversationID: given(f.Service.ConversationID), Model: given(f.Service.Model),
			FinishReason: given(f.Service.FinishReason),
		},
	}
	if body := given(f.Service.Response); body != "" {
		t.Service.Response = []byte(body)
	}
	if encoded := f.Service.ResponseBase64; encoded != "" {
		body, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(t.Service.Response) > 0 {
			return Turn{}, refuse(path+".service.response_base64", "want base64, and no response beside it")
		}
		t.Service.Response = body
	}
	if f.Usage != nil {
		t.Service.Usage = &Usage{f.Usage.PromptTokens, f.Usage.CompletionTokens, f.Usage.TotalTokens}
	}
	if err := readStamp(path+".asked", &f.Asked, &t.Asked); err != nil {
		return Turn{}, err
	}
	return t, readStamp(path+".answered", f.Answered, &t.Ended)
}

func given[T ~string](value *T) T {
	if value == nil {
		return ""
	}
	return *value
}

// readStamp reads a time to the millisecond; nil leaves it zero.
func readStamp(path string, text *string, into *time.Time) error {
	if text == nil {
		return nil
	}
	t, err := time.Parse(time.RFC3339, *text)
	if err != nil {
		return refuse(path, "%q is not a time like %s", clip(*text), stampLayout)
	}
	*into = fromMillis(millis(t))
	return nil
}

// object calls field for each key of an object, to read its value.
func (e *exportReader) object(path string, field func(key string) error) error {
	if err := e.open(path, '{', "an object"); err != nil {
		return err
	}
	for e.dec.More() {
		key, err := e.dec.Token()
		if err != nil {
			return e.broken(path, err)
		}
		if err := field(key.(string)); err != nil {
			return err
		}
	}
	_, err := e.dec.Token()
	return e.broken(path, err)
}

func (e *exportReader) array(path string, element func(path string) error) error {
	if err := e.open(path, '[', "an array"); err != nil {
		return err
	}
	for i := 0; e.dec.More(); i++ {
		if err := element(fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	_, err := e.dec.Token()
	return e.broken(path, err)
}

func (e *exportReader) open(path string, delim json.Delim, what string) error {
	token, err := e.dec.Token()
	if err != nil {
		return e.broken(path, err)
	}
	if token != delim {
		return refuse(path, "want %s", what)
	}
	return nil
}

// value reads one value, strictly.
func (e *exportReader) value(path string, into any) error {
	e.in.left = maxValue
	e.dec.DisallowUnknownFields()
	err := e.dec.Decode(into)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		if wrong.Field != "" {
			path += "." + wrong.Field
		}
		return refuse(path, "want %s, not %s", kindName(wrong.Type.Kind().String()), wrong.Value)
	}
	return e.broken(path, err)
}

// kindName names a kind of Go as JSON does.
func kindName(kind string) string {
	switch kind {
	case "string":
		return "a string"
	case "int64":
		return "a whole number"
	}
	return "an object"
}

// broken says where the JSON ends to be JSON; errors of the file itself pass.
func (e *exportReader) broken(path string, err error) error {
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return refuse(path, "the file ends in the middle of it")
	case errors.As(err, &syntax):
		return refuse(path, "broken JSON at byte %d: %v", e.start+syntax.Offset, err)
	case strings.HasPrefix(err.Error(), "json: "):
		return refuse(path, "%s", strings.TrimPrefix(err.Error(), "json: "))
	case errors.Is(err, errTooLong):
		return refuse(path, "%v", err)
	}
	return err
}
