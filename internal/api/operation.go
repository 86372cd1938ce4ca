package api

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// maxRedirects is the maximum number of redirects that a GET follows.
const maxRedirects = 3

// maxExpected limits the memory that is reserved for a body because of its declared length.
const maxExpected = 64 << 10

// errorBodyLimit is the time limit for reading the body of an error. The status
// alone decides the outcome.
const errorBodyLimit = 5 * time.Second

// operation is the state of one call of the client: the token, and the retries and
// the waiting time used so far.
type operation struct {
	client   *Client
	token    string
	renew    func(context.Context) (string, error) // nil if the token cannot be renewed
	asked    bool                                  // whether another token was asked for
	mask     mask
	attempts int
	retries  int
	waited   time.Duration
	delays   *backoff.ExponentialBackOff // nil before the first retry
}

// exchange is the request of an operation; body is nil for a GET.
type exchange struct {
	method string
	url    string
	body   []byte
	id     string
}

func (x exchange) String() string { return x.method + " " + x.url }

// answer is a complete 2xx response.
type answer struct {
	status int
	body   []byte
}

// do sends x until it is answered, fails permanently, or no retries are left.
func (o *operation) do(ctx context.Context, x exchange) (answer, error) {
	for {
		if ctx.Err() != nil {
			return answer{}, o.canceled(ctx, x, false)
		}
		o.attempts++
		got, failed, renewed, err := o.try(ctx, x)
		if err != nil {
			return answer{}, err
		}
		if failed == nil {
			return got, nil
		}
		if renewed {
			continue
		}
		delay, again := o.nextDelay(failed)
		if !again {
			return answer{}, failed
		}
		if o.client.options.OnWait != nil {
			o.client.options.OnWait(Wait{Attempt: o.attempts, Delay: delay, Err: failed})
		}
		o.waited += delay
		if o.client.options.Replay != nil {
			continue
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return answer{}, o.canceled(ctx, x, false)
		}
	}
}

// attempt sends x once, follows the redirects of a GET, and reads the response. What is
// to be recorded of it is stored in t.
func (o *operation) attempt(ctx context.Context, x exchange, t *taped) (got answer, failed *Error) {
	keyed := x.id != "" && o.client.options.IdempotencyKeys
	sending, edge := watch(ctx, o.client.options.Timeout, x.method != http.MethodPost || keyed)
	defer edge.stop()
	request, err := o.request(sending, x)
	if err != nil {
		return answer{}, &Error{Kind: failure.NotSent, Op: x.String(), Err: err}
	}
	if x.body != nil && !keyed {
		// After some late resets, HTTP/2 would send the body again.
		request.GetBody = func() (io.ReadCloser, error) {
			if edge.written() {
				return nil, errors.New("the connection broke after the request was written")
			}
			return io.NopCloser(bytes.NewReader(x.body)), nil
		}
	}
	response, err := o.follow(request)
	if err != nil {
		return answer{}, o.failed(ctx, sending, x, edge.crossed(), err)
	}
	defer func() { _ = response.Body.Close() }()
	if o.client.options.Record != nil {
		t.tape(response)
	}
	// A transport other than the network may not support traces.
	edge.hand()
	if response.StatusCode/100 != 2 {
		late := time.AfterFunc(errorBodyLimit, edge.stop)
		defer late.Stop()
		return answer{}, o.refusal(x, response)
	}
	got.status = response.StatusCode
	var cutOff bool
	got.body, cutOff, err = readBody(response)
	switch {
	case err == nil:
		return got, nil
	case cutOff:
		failed = o.failed(ctx, sending, x, true, &networkError{"the answer was cut off: " + describe(err), err})
		failed.Status, failed.Body = got.status, o.mask.body(got.body)
		return answer{}, failed
	}
	return answer{}, o.broken(x, got, err)
}

func (o *operation) request(ctx context.Context, x exchange) (*http.Request, error) {
	var body io.Reader
	if x.body != nil {
		body = bytes.NewReader(x.body)
	}
	request, err := http.NewRequestWithContext(ctx, x.method, x.url, body)
	if err != nil {
		return nil, err
	}
	request.Header = o.client.headers(x, o.token)
	return request, nil
}

// follow sends the request and, for a GET, follows at most maxRedirects redirects
// within the same origin. It returns the first other response. It does not use
// http.Client, which sends Authorization to other ports and schemes of a host.
func (o *operation) follow(request *http.Request) (*http.Response, error) {
	for redirects := 0; ; redirects++ {
		o.logRequest(request)
		response, err := o.client.options.Transport.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		// Location needs it, and the in-process transport may not set it.
		response.Request = request
		o.logResponse(response)
		target := redirectTarget(request, response)
		if target == nil || redirects == maxRedirects {
			return response, nil
		}
		_ = response.Body.Close()
		target.User, target.Fragment = nil, ""
		request = request.Clone(request.Context())
		request.URL, request.Host = target, target.Host
	}
}

// redirectTarget returns the URL of a redirect to follow, or nil.
func redirectTarget(request *http.Request, response *http.Response) *url.URL {
	if request.Method != http.MethodGet || !isRedirect(response.StatusCode) {
		return nil
	}
	target, err := response.Location()
	if err != nil || baseurl.Origin(target) != baseurl.Origin(request.URL) {
		return nil
	}
	return target
}

func isRedirect(status int) bool {
	return mayFollowProcessing(status) || status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
}

// readBody returns at most MaxReply bytes of the body of a 2xx response, even with
// an error. The error is a fault of a complete response, or the response was
// truncated.
func readBody(r *http.Response) (body []byte, cutOff bool, err error) {
	body, err = readAll(io.LimitReader(r.Body, MaxReply+1), int(min(max(0, r.ContentLength), maxExpected)))
	var corrupt flate.CorruptInputError
	switch {
	case len(body) > MaxReply:
		return body[:MaxReply], false, fmt.Errorf("the reply is larger than %d MiB", MaxReply>>20)
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return body, false, &networkError{"the reply cannot be decompressed: " + innermost(err), err}
	case err == nil && isEncoded(r.Header):
		return body, false, fmt.Errorf("the reply has an unexpected content encoding: %.40q", r.Header.Get("Content-Encoding"))
	}
	return body, err != nil, err
}

// readAll is io.ReadAll for a body that probably has the expected size. It needs half of
// the memory.
func readAll(r io.Reader, expected int) ([]byte, error) {
	body := make([]byte, 0, expected+1) // the end of the body is read into the last byte
	for {
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return body, err
		}
		if len(body) == cap(body) {
			body = append(body, 0)[:len(body)]
		}
	}
}
