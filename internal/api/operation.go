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

// maxRedirects bounds the redirects that a GET follows.
const maxRedirects = 3

// errorBodyLimit bounds the wait for the words of an answer whose status says what
// became of the request.
const errorBodyLimit = 5 * time.Second

// operation is one call of the client: its token, asked for once, and what it
// has used of its retries and of its time for waiting.
type operation struct {
	client   *Client
	token    string
	mask     mask
	attempts int
	retries  int
	waited   time.Duration
	delays   *backoff.ExponentialBackOff
}

// exchange is what one operation sends; body is nil for a GET.
type exchange struct {
	method string
	url    string
	body   []byte
	id     string
}

func (x exchange) String() string { return x.method + " " + x.url }

// answer is a 2xx answer that was read to its end.
type answer struct {
	status int
	body   []byte
}

// do sends x until it is answered, fails for good, or the retries are used up.
func (o *operation) do(ctx context.Context, x exchange) (answer, error) {
	for {
		if ctx.Err() != nil {
			return answer{}, o.canceled(ctx, x, false)
		}
		o.attempts++
		got, failed := o.attempt(ctx, x)
		if failed == nil {
			return got, nil
		}
		delay, again := o.nextDelay(failed)
		if !again {
			return answer{}, failed
		}
		if o.client.options.OnWait != nil {
			o.client.options.OnWait(Wait{Attempt: o.attempts, Delay: delay, Err: failed})
		}
		select {
		case <-time.After(delay):
			o.waited += delay
		case <-ctx.Done():
			return answer{}, o.canceled(ctx, x, false)
		}
	}
}

// attempt sends x once, follows the redirects of a GET and reads the answer.
func (o *operation) attempt(ctx context.Context, x exchange) (answer, *Error) {
	keyed := x.id != "" && o.client.options.IdempotencyKeys
	sending, edge := watch(ctx, o.client.options.Timeout, x.method != http.MethodPost || keyed)
	defer edge.stop()
	request, err := o.request(sending, x)
	if err != nil {
		return answer{}, &Error{Kind: failure.NotSent, Op: x.String(), Err: err}
	}
	if x.body != nil && !keyed {
		// HTTP/2 would send the body again after some resets that come late.
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
	// A transport that is no network need not know of traces.
	edge.hand()
	if response.StatusCode/100 != 2 {
		late := time.AfterFunc(errorBodyLimit, edge.stop)
		defer late.Stop()
		return answer{}, o.refusal(x, response)
	}
	got := answer{status: response.StatusCode}
	var cutOff bool
	got.body, cutOff, err = readBody(response)
	switch {
	case err == nil:
		return got, nil
	case cutOff:
		failed := o.failed(ctx, sending, x, true, fmt.Errorf("the answer was cut off: %w", err))
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

// follow sends the request and, for a GET, at most maxRedirects more of the
// same origin. http.Client is not used: it keeps Authorization across the ports
// and the schemes of one host. A redirect that is not followed is returned.
func (o *operation) follow(request *http.Request) (*http.Response, error) {
	for redirects := 0; ; redirects++ {
		o.logRequest(request)
		response, err := o.client.options.Transport.RoundTrip(request)
		if err != nil {
			return nil, err
		}
		// Location resolves against it; a transport of our own may not set it.
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

// redirectTarget is where a GET may be sent on to; nil when the answer is final.
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

// readBody returns the body of a 2xx answer, at most MaxReply bytes of it, also
// when it fails. An error is a fault of a complete answer, or the answer was cut
// off.
func readBody(r *http.Response) (body []byte, cutOff bool, err error) {
	body, err = io.ReadAll(io.LimitReader(r.Body, MaxReply+1))
	var corrupt flate.CorruptInputError
	switch {
	case len(body) > MaxReply:
		return body[:MaxReply], false, fmt.Errorf("the answer is larger than %d MiB", MaxReply>>20)
	case errors.As(err, &corrupt), errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum):
		return body, false, fmt.Errorf("the answer cannot be decompressed: %w", err)
	case err == nil && isEncoded(r.Header):
		return body, false, fmt.Errorf("the answer has a content encoding that was not asked for: %.40q", r.Header.Get("Content-Encoding"))
	}
	return body, err != nil, err
}
