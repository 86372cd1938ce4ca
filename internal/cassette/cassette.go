// Package cassette stores the exchanges with a service in a file and answers requests
// from it, so that scripts can be tested without the service.
//
// A recording is a text file of JSON lines. The first line names the format; each other
// line is one exchange, in the order in which they ended. The request of an exchange is
// identified by its method, its path and query below the base URL, and the messages and
// the agent in its body, so that a recording is independent of the address, the profile
// and the headers. Recordings can be edited and joined. The package does not connect
// and does not know the token, which package api masks.
package cassette

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Format and Version are in the first line of a recording.
const (
	Format  = "hobnob-recording"
	Version = 1
)

// maxLine is the maximum number of bytes of a line: a prompt of api.MaxPrompt, its
// context, and a reply of api.MaxReply.
const maxLine = 64 << 20

// Origin describes where the agent of a recorded request came from, so that a replay
// without the configuration of the recording finds the same agent.
type Origin struct {
	Profile string `json:"profile"`
	// Agent is the alias of the agent, or "".
	Agent string `json:"agent,omitempty"`
	// Default reports whether it is the default agent of the profile.
	Default bool `json:"default,omitempty"`
}

// line is a line of a recording: the first line, or an exchange.
type line struct {
	Format   string    `json:"format,omitempty"`
	Version  int       `json:"version,omitempty"`
	Request  *request  `json:"request,omitempty"`
	Response *response `json:"response,omitempty"`
	Failure  *failed   `json:"failure,omitempty"`
	Origin   *Origin   `json:"origin,omitempty"`
}

type request struct {
	Method string       `json:"method"`
	Path   string       `json:"path"` // with the query
	Body   *api.Request `json:"body,omitempty"`
}

type response struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers,omitempty"`
	Renewed bool              `json:"renewed,omitempty"` // the request was sent again with another token
	content
}

// content is a body in the most readable of three forms.
type content struct {
	Body   json.RawMessage `json:"body,omitempty"`
	Text   *string         `json:"text,omitempty"`
	Base64 []byte          `json:"base64,omitempty"`
}

// failed is a request without a complete response.
type failed struct {
	Code          string    `json:"code"` // a failure.Kind
	Cause         api.Cause `json:"cause,omitempty"`
	Message       string    `json:"message"`
	MaybeAccepted bool      `json:"maybe_accepted,omitempty"`
	Retry         bool      `json:"retry,omitempty"`
	Status        int       `json:"status,omitempty"`
	content
}

func newContent(body []byte) content {
	text := string(body)
	switch {
	case len(body) == 0:
		return content{}
	case !utf8.Valid(body):
		return content{Base64: body}
	case json.Valid(body):
		return content{Body: body}
	}
	return content{Text: &text}
}

func (c content) bytes() []byte {
	switch {
	case c.Body != nil:
		return c.Body
	case c.Text != nil:
		return []byte(*c.Text)
	}
	return c.Base64
}

// newLine returns the line of an exchange.
func newLine(e api.Exchange, origin Origin) (line, error) {
	l := line{Request: &request{Method: e.Method, Path: e.Target}}
	if e.Request != nil {
		l.Request.Body, l.Origin = new(api.Request), &origin
		if err := json.Unmarshal(e.Request, l.Request.Body); err != nil {
			return line{}, err
		}
	}
	if f := e.Failure; f != nil {
		l.Failure = &failed{Code: f.Kind.String(), Cause: f.Cause, Message: f.Text, MaybeAccepted: f.MaybeAccepted, Retry: f.Retry, Status: e.Status, content: newContent(e.Body)}
		return l, nil
	}
	l.Response = &response{Status: e.Status, Renewed: e.Renewed, content: newContent(e.Body)}
	for name := range e.Header {
		if l.Response.Headers == nil {
			l.Response.Headers = map[string]string{}
		}
		l.Response.Headers[name] = e.Header.Get(name)
	}
	return l, nil
}

// encode returns the line with a newline at its end.
func (l line) encode() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(l)
	return out.Bytes(), err
}

var errNewer = errors.New("was recorded by a newer hobnob")

// decode parses a line and checks what a replay depends on.
func decode(data []byte) (line, error) {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return line{}, errors.New(reasonOf(err))
	}
	switch {
	case l.Format != "" && l.Format != Format:
		return line{}, fmt.Errorf("unknown format %.40q", l.Format)
	case l.Format != "" && l.Version > Version:
		return line{}, fmt.Errorf("version %d %w", l.Version, errNewer)
	case l.Format != "":
		return l, nil
	case l.Request == nil:
		return line{}, errors.New("request is missing")
	case (l.Response == nil) == (l.Failure == nil):
		return line{}, errors.New("must have either response or failure")
	case l.Response != nil && (l.Response.Status < 100 || l.Response.Status > 999):
		return line{}, fmt.Errorf("invalid status %d: must be from 100 to 999", l.Response.Status)
	case l.Failure != nil && !replayable(failure.ParseKind(l.Failure.Code)):
		return line{}, fmt.Errorf("invalid code %.40q: must be not_sent, unknown or broken", l.Failure.Code)
	}
	return l, nil
}

// replayable reports whether a failure of this kind has no complete response.
func replayable(kind failure.Kind) bool {
	return kind == failure.NotSent || kind == failure.Unknown || kind == failure.Broken
}

// reasonOf returns why a line is not valid JSON of a recording.
func reasonOf(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Sprintf("invalid value of %q", cmp.Or(kind.Field, "the line"))
	}
	return "invalid JSON: " + strings.TrimPrefix(err.Error(), "json: ")
}

// outcome returns the outcome of an exchange.
func (l line) outcome() api.Outcome {
	if f := l.Failure; f != nil {
		return api.Outcome{Status: f.Status, Body: f.bytes(), Failure: &api.Failure{
			Kind: failure.ParseKind(f.Code), Cause: f.Cause, Text: f.Message, MaybeAccepted: f.MaybeAccepted, Retry: f.Retry,
		}}
	}
	header := http.Header{}
	for name, value := range l.Response.Headers {
		header.Set(name, value)
	}
	return api.Outcome{Status: l.Response.Status, Header: header, Body: l.Response.bytes(), Renewed: l.Response.Renewed}
}

// key identifies a request.
type key [sha256.Size]byte

// keyOf returns the key of a request. Its body may be nil.
func keyOf(method, target string, body *api.Request) (key, error) {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s\n", method, target)
	if body != nil {
		canonical := api.Request{Messages: body.Messages, AgentID: strings.ToLower(body.AgentID)}
		data, err := canonical.Encode()
		if err != nil {
			return key{}, err
		}
		_, _ = hash.Write(data) // never fails
	}
	return key(hash.Sum(nil)), nil
}
