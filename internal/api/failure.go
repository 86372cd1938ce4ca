package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

const (
	// maxWaiting is the maximum time that one operation waits between its
	// attempts, unless its time limit is shorter.
	maxWaiting = 60 * time.Second

	// maxRetryAfter is the longest wait that a service may ask for; longer ones
	// are reduced to it.
	maxRetryAfter = 24 * time.Hour
)

// failed returns the Error for err of the transport; crossed reports whether the
// request got a connection.
func (o *operation) failed(ctx, sending context.Context, x exchange, crossed bool, err error) *Error {
	e := &Error{Kind: failure.NotSent, Op: x.String(), Err: o.mask.err(InWords(err))}
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

// broken returns the Error for a 2xx response with an invalid body.
func (o *operation) broken(x exchange, got answer, err error) *Error {
	return &Error{
		Kind: failure.Broken, Op: x.String(), Status: got.status, MaybeAccepted: true,
		Body: o.mask.body(got.body), Err: o.mask.err(err),
	}
}

// refusal returns the Error for a response that is not 2xx.
func (o *operation) refusal(x exchange, r *http.Response) *Error {
	e := &Error{Kind: failure.Refused, Op: x.String(), Status: r.StatusCode}
	switch status := r.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		e.Kind, e.refused = failure.Auth, o.client.options.Refused
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		e.Kind = failure.Limited
		e.RetryAfter, e.Postponed = retryAfter(r.Header.Values("Retry-After"))
		e.retry = e.Postponed
		e.MaybeAccepted = status == http.StatusServiceUnavailable && !e.Postponed
	case status >= http.StatusInternalServerError:
		e.Kind, e.MaybeAccepted = failure.Unknown, true
	case isRedirect(status):
		e.Err = o.mask.err(redirectError(x.method, r))
		e.MaybeAccepted = x.method == http.MethodPost && mayFollowProcessing(status)
	}
	// After 101 the body is another protocol and may never end.
	if r.StatusCode >= http.StatusOK && !isEncoded(r.Header) {
		e.Message = errorText(r.Header.Get("Content-Type"), readErrorBody(r.Body, o.mask), o.mask)
	}
	return e
}

// mayFollowProcessing reports whether a redirect may be the response to a processed
// POST: 303 points to its result (RFC 9110, section 15.4.4), and 301 and 302 are
// used in the same way. 307 and 308 ask to send it elsewhere.
func mayFollowProcessing(status int) bool {
	return status == http.StatusMovedPermanently || status == http.StatusFound || status == http.StatusSeeOther
}

// isEncoded reports whether the body has an encoding that net/http did not decode.
func isEncoded(h http.Header) bool {
	encoding := h.Get("Content-Encoding")
	return encoding != "" && encoding != "identity"
}

func redirectError(method string, r *http.Response) error {
	target, err := r.Location()
	switch {
	case err != nil:
		return errors.New("redirected to an invalid address")
	case method == http.MethodGet && baseurl.Origin(target) == baseurl.Origin(r.Request.URL):
		return fmt.Errorf("redirected more than %d times", maxRedirects)
	}
	return fmt.Errorf("redirected to %s, which is not followed", baseurl.Origin(target))
}

// retryAfter returns the longest wait of these Retry-After headers (RFC 9110, section
// 10.2.3), in seconds or as a date, at most maxRetryAfter. It reports false if none
// is valid.
func retryAfter(headers []string) (longest time.Duration, ok bool) {
	for _, header := range headers {
		if wait, valid := parseRetryAfter(strings.TrimSpace(header)); valid {
			longest, ok = max(longest, wait), true
		}
	}
	return longest, ok
}

func parseRetryAfter(header string) (time.Duration, bool) {
	seconds, err := strconv.ParseUint(header, 10, 64)
	if err == nil || errors.Is(err, strconv.ErrRange) { // with ErrRange, seconds is the maximum
		return time.Duration(min(seconds, uint64(maxRetryAfter/time.Second))) * time.Second, true
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0, false
	}
	return min(max(0, time.Until(date)), maxRetryAfter), true
}

// nextDelay returns the delay before the retry of a request that was certainly not
// accepted: the wait that the service asks for, but at least the jittered backoff. It
// reports false if there is no retry.
func (o *operation) nextDelay(e *Error) (time.Duration, bool) {
	if !e.retry || o.retries >= o.client.options.Retries {
		return 0, false
	}
	if o.delays == nil {
		o.delays = backoff.NewExponentialBackOff()
		o.delays.InitialInterval, o.delays.Multiplier = 250*time.Millisecond, 2
	}
	delay := max(e.RetryAfter, o.delays.NextBackOff())
	if delay > min(maxWaiting, o.client.options.Timeout)-o.waited {
		return 0, false
	}
	o.retries++
	return delay, true
}
