package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// maxWaiting bounds the time that one operation waits between its attempts.
const maxWaiting = 60 * time.Second

// failed explains err, which the transport returned: crossed says whether a
// connection had been handed to the request.
func (o *operation) failed(ctx, sending context.Context, x exchange, crossed bool, err error) *Error {
	e := &Error{Kind: failure.NotSent, Op: x.String(), Err: o.mask.err(err)}
	switch limit := context.Cause(sending); {
	case errors.Is(limit, errTimeLimit):
		e.Kind, e.MaybeAccepted = failure.Unknown, true
		e.Err = fmt.Errorf("no complete answer within the time limit of %s", o.client.options.Timeout)
	case ctx.Err() != nil:
		return o.canceled(ctx, x, crossed)
	case crossed:
		e.Kind, e.MaybeAccepted = failure.Unknown, true
	case errors.Is(limit, errConnectLimit):
		e.Err = fmt.Errorf("no connection within %s", connectLimitOf(o.client.options.Timeout))
	default:
		e.retry = worthRetrying(err)
	}
	return e
}

func (o *operation) canceled(ctx context.Context, x exchange, crossed bool) *Error {
	return &Error{Kind: failure.Interrupted, Op: x.String(), MaybeAccepted: crossed, Err: context.Cause(ctx)}
}

// broken is a 2xx answer whose body makes no sense.
func (o *operation) broken(x exchange, got answer, err error) *Error {
	return &Error{
		Kind: failure.Broken, Op: x.String(), Status: got.status, MaybeAccepted: true,
		Body: o.mask.body(got.body), Err: o.mask.err(err),
	}
}

// refusal explains an answer that is not 2xx.
func (o *operation) refusal(x exchange, r *http.Response) *Error {
	e := &Error{Kind: failure.Refused, Op: x.String(), Status: r.StatusCode}
	switch status := r.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		e.Kind, e.refused = failure.Auth, o.client.options.Refused
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		e.Kind = failure.Limited
		e.RetryAfter, e.retry = retryAfter(r.Header.Get("Retry-After"))
		e.MaybeAccepted = status == http.StatusServiceUnavailable && !e.retry
	case status >= http.StatusInternalServerError:
		e.Kind, e.MaybeAccepted = failure.Unknown, true
	case isRedirect(status):
		e.Err = o.mask.err(redirectError(x.method, r))
		e.MaybeAccepted = x.method == http.MethodPost && mayFollowProcessing(status)
	}
	// After 101 the body is another protocol and need not end.
	if r.StatusCode >= http.StatusOK && !isEncoded(r.Header) {
		e.Message = errorText(r.Header.Get("Content-Type"), readErrorBody(r.Body, o.mask), o.mask)
	}
	return e
}

// mayFollowProcessing holds for the redirects that can be the answer to a POST
// which was done: 303 points to its result (RFC 9110, section 15.4.4), and 301
// and 302 are used in the same way. 307 and 308 ask to send it elsewhere.
func mayFollowProcessing(status int) bool {
	return status == http.StatusMovedPermanently || status == http.StatusFound || status == http.StatusSeeOther
}

// isEncoded holds for an encoding that net/http did not undo.
func isEncoded(h http.Header) bool {
	encoding := h.Get("Content-Encoding")
	return encoding != "" && encoding != "identity"
}

func redirectError(method string, r *http.Response) error {
	target, err := r.Location()
	switch {
	case err != nil:
		return errors.New("redirected to an address that cannot be read")
	case method == http.MethodGet && baseurl.Origin(target) == baseurl.Origin(r.Request.URL):
		return fmt.Errorf("redirected more than %d times", maxRedirects)
	}
	return fmt.Errorf("redirected to %s, which is not followed", baseurl.Origin(target))
}

// retryAfter reads the header of RFC 9110, section 10.2.3: seconds or a date.
// It reports false when the header is absent or makes no sense.
func retryAfter(header string) (time.Duration, bool) {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseUint(header, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return max(0, time.Until(date)), true
}

// nextDelay decides whether a request that was certainly not accepted is sent
// again, and after how long: what the service asks for, at least the jittered
// delay that all clients need in order not to come back at once.
func (o *operation) nextDelay(e *Error) (time.Duration, bool) {
	if !e.retry || o.retries >= o.client.options.Retries {
		return 0, false
	}
	delay := max(e.RetryAfter, o.delays.NextBackOff())
	if o.waited+delay > maxWaiting {
		return 0, false
	}
	o.retries++
	return delay, true
}
