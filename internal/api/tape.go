package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Exchange is one attempt to send a request, with its outcome, as it is recorded and
// replayed. It contains neither the address of the service nor the token, which is
// masked if it has at least 4 characters.
type Exchange struct {
	Method string
	// Target is the path below the base URL with the query.
	Target string
	// Request is the body of the request, nil for a GET.
	Request []byte
	Outcome
}

// Outcome is the response to a request, or, if Failure is not nil, the reason why there
// is no complete one.
type Outcome struct {
	Status int
	// Header has the headers that matter for the outcome; see recordedHeaders.
	Header http.Header
	// Body is the received body of at most MaxReply bytes, that of an error of at most
	// MaxErrorBody.
	Body    []byte
	Failure *Failure
	// Renewed reports whether the token was refused and the request was sent again
	// with another one.
	Renewed bool
}

// Failure is the failure of an attempt.
type Failure struct {
	Kind          failure.Kind
	Cause         Cause // of a request that was not sent
	Text          string
	MaybeAccepted bool
	Retry         bool // the request may be retried
}

// recordedHeaders are the headers of a response on which its meaning depends.
var recordedHeaders = []string{"Content-Type", "Location", "Retry-After"}

// replayedError is a recorded failure.
type replayedError struct{ Failure }

func (e *replayedError) Error() string { return e.Text }

// try answers x with a recorded outcome, or sends it. Renewed reports whether x must be
// sent again with a new token. The error is that of Options.Replay; then nothing was
// sent.
func (o *operation) try(ctx context.Context, x exchange) (got answer, failed *Error, renewed bool, err error) {
	if o.client.options.Replay == nil {
		var t taped
		got, failed = o.attempt(ctx, x, &t)
		failed, renewed = o.renewed(ctx, x, failed)
		if o.client.options.Record != nil {
			o.record(x, &t, got, failed, renewed)
		}
		return got, failed, renewed, nil
	}
	recorded, err := o.client.options.Replay(o.exchange(x))
	if err != nil {
		return answer{}, nil, false, err
	}
	got, failed = o.replay(ctx, x, recorded)
	renewed = failed != nil && recorded.Renewed && !o.asked
	o.asked = o.asked || renewed
	return got, failed, renewed, nil
}

// exchange returns x for a recording, without an outcome.
func (o *operation) exchange(x exchange) Exchange {
	e := Exchange{Method: x.method, Target: o.mask.text(strings.TrimPrefix(x.url, o.client.base.String()))}
	if x.body != nil {
		e.Request = o.mask.body(x.body)
	}
	return e
}

// replay returns the result of an attempt with a recorded outcome.
func (o *operation) replay(ctx context.Context, x exchange, recorded Outcome) (answer, *Error) {
	request, err := o.request(ctx, x)
	if err != nil {
		return answer{}, &Error{Kind: failure.NotSent, Op: x.String(), Err: err}
	}
	o.logRequest(request)
	if f := recorded.Failure; f != nil {
		return answer{}, &Error{
			Kind: f.Kind, Op: x.String(), Status: recorded.Status, MaybeAccepted: f.MaybeAccepted, Body: recorded.Body,
			Err: &replayedError{*f}, retry: f.Retry,
		}
	}
	response := &http.Response{
		StatusCode: recorded.Status, Header: recorded.Header, Request: request,
		Body: io.NopCloser(bytes.NewReader(recorded.Body)),
	}
	o.logResponse(response)
	if recorded.Status/100 != 2 {
		return answer{}, o.refusal(x, response)
	}
	return answer{status: recorded.Status, body: recorded.Body}, nil
}

// taped is the response to an attempt that is being recorded.
type taped struct {
	response *http.Response
	read     bytes.Buffer // what was read of the body of an error
}

// tape records what is read of the body of an error. That of any other response is the
// result of the attempt.
func (t *taped) tape(response *http.Response) {
	t.response = response
	if response.StatusCode/100 != 2 {
		response.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(response.Body, &t.read), response.Body}
	}
}

// record passes an attempt to Options.Record, unless it was interrupted.
func (o *operation) record(x exchange, t *taped, got answer, failed *Error, renewed bool) {
	if failed != nil && failed.Kind == failure.Interrupted {
		return
	}
	e := o.exchange(x)
	e.Renewed = renewed
	if t.response != nil {
		e.Status, e.Header = t.response.StatusCode, o.headersToRecord(t.response)
	}
	switch {
	case failed == nil:
		e.Body = o.mask.body(got.body)
	case e.Status != 0 && e.Status/100 != 2:
		e.Body = o.mask.body(readErrorBody(&t.read, o.mask))
	default:
		e.Body = failed.Body
		e.Failure = &Failure{Kind: failed.Kind, Text: failed.Err.Error(), MaybeAccepted: failed.MaybeAccepted, Retry: failed.retry}
		if failed.Kind == failure.NotSent {
			e.Failure.Cause = CauseOf(failed)
		}
	}
	o.client.options.Record(e)
}

// headersToRecord returns the headers that matter, with absolute locations, and with
// waits instead of dates.
func (o *operation) headersToRecord(r *http.Response) http.Header {
	header := http.Header{}
	for _, name := range recordedHeaders {
		for _, value := range r.Header.Values(name) {
			header.Add(name, o.mask.text(strings.ToValidUTF8(value, "\uFFFD")))
		}
	}
	if target, err := r.Location(); err == nil {
		header.Set("Location", o.mask.text(target.Redacted()))
	}
	if wait, ok := retryAfter(r.Header.Values("Retry-After")); ok {
		header.Set("Retry-After", strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10))
	}
	return header
}

// isReplayed reports whether err is a recorded failure, and returns its cause.
func isReplayed(err error) (Cause, bool) {
	var replayed *replayedError
	if !errors.As(err, &replayed) {
		return "", false
	}
	return replayed.Cause, true
}
