package batch

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/suggest"
)

// maxID is the maximum size of an id in bytes.
const maxID = 512

// Row is a valid row of the input. It has a prompt or messages, or neither if a template
// supplies the text. Optional fields are empty if they are missing.
type Row struct {
	Line int // in the input, from 1
	// ID is the text of the id. A number is the digits as written, so that 7 and "7" are
	// the same id, and 7 and 7.0 are not.
	ID       string
	Prompt   string
	Messages []api.Message
	Agent    string
	Template string
	Vars     map[string]string
	Size     int // of the row in the input, in bytes without the line end
}

// RowError means that a row is malformed. The rows after it are not affected.
type RowError struct {
	Line int    // in the input, from 1
	What string // without the line
}

// Error returns the line and what is wrong with it.
func (e *RowError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.What) }

// Failure implements failure.Explainer.
func (e *RowError) Failure() failure.Failure {
	return failure.Failure{Kind: failure.Usage, Hint: failure.Plain("fix the row and run the batch again")}
}

// duplicateError returns the error of a row with the id of an earlier one.
func duplicateError(row Row, first int) *RowError {
	return &RowError{Line: row.Line, What: fmt.Sprintf("duplicate id %q, first used in line %d", row.ID, first)}
}

// fields are the names that a row may have.
var fields = []string{"id", "prompt", "messages", "agent", "template", "vars"}

// rowParser parses rows of JSON. Its decoder rejects invalid UTF-8, unpaired surrogates
// and duplicate keys (RFC 7493). Values that no row has are not read, so that nesting
// costs nothing.
type rowParser struct {
	dec *jsontext.Decoder
	in  bytes.Buffer
	row Row
	has map[string]bool // fields of row that are not null
}

// parse parses a row. It may overwrite text. The error has no line.
func (p *rowParser) parse(text []byte) (Row, error) {
	p.in = *bytes.NewBuffer(text)
	if p.dec == nil {
		p.dec, p.has = jsontext.NewDecoder(&p.in), map[string]bool{}
	} else {
		p.dec.Reset(&p.in)
	}
	p.row = Row{Size: len(text)}
	clear(p.has)
	other, err := p.other('{')
	if err == nil && other != "" {
		return Row{}, fmt.Errorf("the row must be an object, not %s", other)
	}
	if err == nil {
		err = p.object(p.field)
	}
	if err != nil {
		return Row{}, explain(err)
	}
	end := p.dec.InputOffset()
	if _, err := p.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return Row{}, fmt.Errorf("unexpected data after the object at byte %d", end+1)
	}
	return p.row, p.check()
}

// field reads the value of a field of the row.
func (p *rowParser) field(name string) error {
	if p.dec.PeekKind() == 'n' && name != "id" {
		_, err := p.dec.ReadToken()
		return err
	}
	p.has[name] = true
	var err error
	switch name {
	case "id":
		p.row.ID, err = p.id()
	case "prompt":
		p.row.Prompt, err = p.text(name)
	case "agent":
		p.row.Agent, err = p.text(name)
	case "template":
		p.row.Template, err = p.text(name)
	case "vars":
		p.row.Vars = map[string]string{}
		err = p.nested(name, '{', "an object", func() error {
			return p.object(func(name string) (err error) {
				p.row.Vars[name], err = p.text("vars." + name)
				return err
			})
		})
	case "messages":
		err = p.nested(name, '[', "an array", p.messages)
	default:
		if near := suggest.Nearest(name, fields); near != "" {
			return fmt.Errorf("unknown field %.60q (did you mean %q?)", name, near)
		}
		return fmt.Errorf("unknown field %.60q", name)
	}
	return err
}

// id reads the text of an id.
func (p *rowParser) id() (string, error) {
	if p.dec.PeekKind() == '0' {
		number, err := p.dec.ReadToken()
		if err != nil {
			return "", err
		}
		return number.String(), nil
	}
	return p.texts("id", "a string or a number")
}

// messages reads the messages of an array.
func (p *rowParser) messages() error {
	if _, err := p.dec.ReadToken(); err != nil {
		return err
	}
	for p.dec.PeekKind() != ']' {
		path := fmt.Sprintf("messages[%d]", len(p.row.Messages))
		var m api.Message
		var hasContent bool
		err := p.nested(path, '{', "an object", func() error {
			return p.object(func(name string) (err error) {
				switch path := path + "." + name; name {
				case "role":
					m.Role, err = p.text(path)
				case "content":
					hasContent = true
					m.Content, err = p.text(path)
				default:
					err = fmt.Errorf("unknown field %.60q", path)
				}
				return err
			})
		})
		switch {
		case err != nil:
			return err
		case m.Role != api.RoleUser && m.Role != api.RoleAssistant:
			return fmt.Errorf("%q must be user or assistant, not %.60q", path+".role", m.Role)
		case !hasContent:
			return fmt.Errorf("%q is missing", path+".content")
		}
		p.row.Messages = append(p.row.Messages, m)
	}
	_, err := p.dec.ReadToken()
	return err
}

// object calls field for each key of an object; field reads the value.
func (p *rowParser) object(field func(name string) error) error {
	if _, err := p.dec.ReadToken(); err != nil {
		return err
	}
	for p.dec.PeekKind() != '}' {
		name, err := p.dec.ReadToken()
		if err != nil {
			return err
		}
		if err := field(name.String()); err != nil {
			return err
		}
	}
	_, err := p.dec.ReadToken()
	return err
}

// nested calls read if the next value is of a kind.
func (p *rowParser) nested(path string, kind jsontext.Kind, name string, read func() error) error {
	other, err := p.other(kind)
	if err == nil && other != "" {
		err = fmt.Errorf("%.60q must be %s, not %s", path, name, other)
	}
	if err != nil {
		return err
	}
	return read()
}

// other returns the name of the next value if it is not of a kind, otherwise "". The first
// letter of a word does not make it a null or a boolean, so that scalars are read.
func (p *rowParser) other(kind jsontext.Kind) (name string, err error) {
	got := p.dec.PeekKind()
	if got == kind || !isValue(got) {
		return "", nil
	}
	if got != '{' && got != '[' {
		_, err = p.dec.ReadToken()
	}
	return nameOf(got), err
}

// text reads a string.
func (p *rowParser) text(path string) (string, error) { return p.texts(path, "a string") }

// texts reads a string; what describes the values that are allowed.
func (p *rowParser) texts(path, what string) (text string, err error) {
	err = p.nested(path, '"', what, func() error {
		token, err := p.dec.ReadToken()
		if err != nil {
			return err
		}
		if text = token.String(); strings.IndexByte(text, 0) >= 0 {
			return fmt.Errorf("%.60q contains a NUL character", path)
		}
		return nil
	})
	return text, err
}

// check returns what is wrong with the fields together.
func (p *rowParser) check() error {
	r := &p.row
	last := r.Prompt
	if len(r.Messages) > 0 {
		last = r.Messages[len(r.Messages)-1].Content
	}
	templated := p.has["template"] || p.has["vars"]
	switch {
	case !p.has["id"]:
		return errors.New(`"id" is missing`)
	case r.ID == "":
		return errors.New(`"id" is empty`)
	case len(r.ID) > maxID:
		return fmt.Errorf(`"id" has %d bytes, more than the limit of %d`, len(r.ID), maxID)
	case p.has["agent"] && r.Agent == "":
		return errors.New(`"agent" is empty`)
	case p.has["template"] && r.Template == "":
		return errors.New(`"template" is empty`)
	case p.has["messages"] && p.has["prompt"]:
		return errors.New(`"prompt" and "messages" cannot be used together`)
	case p.has["messages"] && templated:
		return errors.New(`"messages" cannot be used together with "template" and "vars"`)
	case p.has["messages"] && len(r.Messages) == 0:
		return errors.New(`"messages" is empty`)
	case !p.has["messages"] && !p.has["prompt"] && !templated:
		return errors.New(`"prompt" is missing`)
	}
	return checkPrompt(last, templated)
}

// checkPrompt checks the last message of a row.
func checkPrompt(text string, mayBeEmpty bool) error {
	switch {
	case strings.TrimSpace(text) == "" && !mayBeEmpty:
		return errors.New("the prompt is empty")
	case len(text) > api.MaxPrompt:
		return fmt.Errorf("the prompt has %d bytes, more than the limit of %d MiB", len(text), api.MaxPrompt>>20)
	}
	return nil
}

// parseLine returns the row of a plain line, whose id is its number.
func parseLine(text []byte, line int) (Row, error) {
	switch {
	case bytes.IndexByte(text, 0) >= 0:
		return Row{}, errors.New("the line contains a NUL character")
	case !utf8.Valid(text):
		return Row{}, errors.New("the line is not valid UTF-8")
	}
	row := Row{ID: strconv.Itoa(line), Prompt: string(text), Size: len(text)}
	return row, checkPrompt(row.Prompt, false)
}

// explain replaces errors of the decoder by texts that name the key or the position.
func explain(err error) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return err
	}
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("duplicate key %.60q", syntax.JSONPointer.LastToken())
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("invalid JSON: unexpected end of the row")
	}
	return fmt.Errorf("invalid JSON at byte %d: %w", syntax.ByteOffset+1, syntax.Err)
}

// isValue reports whether a value of the kind follows. Otherwise reading it returns an error.
func isValue(kind jsontext.Kind) bool {
	return kind != jsontext.KindInvalid && kind != '}' && kind != ']'
}

// nameOf returns the name of a kind of value.
func nameOf(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "a boolean"
}
