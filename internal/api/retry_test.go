package api

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// step is the result of one attempt: an error before or after a connection, or a
// response.
type step struct {
	err        error
	handedOver bool
	status     int
	retryAfter string
}

func play(steps []step, attempts *int) transportFunc {
	return func(r *http.Request) (*http.Response, error) {
		s := steps[min(*attempts, len(steps)-1)]
		*attempts++
		if s.handedOver {
			handOver(r)
		}
		if s.err != nil {
			return nil, s.err
		}
		return response(s.status, validReply, "Retry-After", s.retryAfter), nil
	}
}

func TestRetryOnlyIfCertainlyNotAccepted(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	proxyDown := &net.OpError{Op: "proxyconnect", Net: "tcp", Err: syscall.ETIMEDOUT}
	untrusted := &tls.CertificateVerificationError{Err: errors.New("x509: unknown authority")}
	ok := step{status: 200}
	for name, tc := range map[string]struct {
		steps    []step
		retries  int
		attempts int
		kind     failure.Kind // 0: a reply
		maybe    bool
		min, max time.Duration
	}{
		"answered at once":            {[]step{ok}, 2, 1, 0, false, 0, 0},
		"refused, then answered":      {[]step{{err: refused}, ok}, 2, 2, 0, false, 125 * time.Millisecond, 376 * time.Millisecond},
		"refused for good":            {[]step{{err: refused}}, 2, 3, failure.NotSent, false, 375 * time.Millisecond, 1127 * time.Millisecond},
		"refused without retries":     {[]step{{err: refused}, ok}, 0, 1, failure.NotSent, false, 0, 0},
		"refused, negative retries":   {[]step{{err: refused}, ok}, -1, 1, failure.NotSent, false, 0, 0},
		"no such name":                {[]step{{err: &net.DNSError{Err: "no such host"}}, ok}, 1, 2, 0, false, 1, time.Second},
		"proxy does not connect":      {[]step{{err: proxyDown}, ok}, 1, 2, 0, false, 1, time.Second},
		"socks proxy does not either": {[]step{{err: &net.OpError{Op: "socks connect", Err: io.EOF}}, ok}, 1, 2, 0, false, 1, time.Second},
		"proxy refuses":               {[]step{{err: &proxyError{status: 502}}, ok}, 1, 2, 0, false, 1, time.Second},
		"proxy wants a password":      {[]step{{err: &proxyError{status: 407}}, ok}, 1, 1, failure.NotSent, false, 0, 0},
		"bad certificate":             {[]step{{err: untrusted}, ok}, 2, 1, failure.NotSent, false, 0, 0},
		"proxy's bad certificate":     {[]step{{err: &net.OpError{Op: "proxyconnect", Err: untrusted}}, ok}, 2, 1, failure.NotSent, false, 0, 0},
		"no route":                    {[]step{{err: syscall.EHOSTUNREACH}, ok}, 2, 1, failure.NotSent, false, 0, 0},
		"reset after sending":         {[]step{{err: syscall.ECONNRESET, handedOver: true}, ok}, 2, 1, failure.Unknown, true, 0, 0},
		"refused after sending":       {[]step{{err: refused, handedOver: true}, ok}, 2, 1, failure.Unknown, true, 0, 0},
		"429 with seconds":            {[]step{{status: 429, retryAfter: "7"}, ok}, 2, 2, 0, false, 7 * time.Second, 7 * time.Second},
		"429 with a date":             {[]step{{status: 429, retryAfter: "Sat, 01 Jan 2000 00:00:09 GMT"}, ok}, 2, 2, 0, false, 9 * time.Second, 9 * time.Second},
		"429 with a past date":        {[]step{{status: 429, retryAfter: "Fri, 31 Dec 1999 00:00:09 GMT"}, ok}, 2, 2, 0, false, 125 * time.Millisecond, 376 * time.Millisecond},
		"429 with 0":                  {[]step{{status: 429, retryAfter: "0"}, ok}, 2, 2, 0, false, 125 * time.Millisecond, 376 * time.Millisecond},
		"429 without":                 {[]step{{status: 429}, ok}, 2, 1, failure.Limited, false, 0, 0},
		"429 with nonsense":           {[]step{{status: 429, retryAfter: "-5"}, ok}, 2, 1, failure.Limited, false, 0, 0},
		"503 with seconds":            {[]step{{status: 503, retryAfter: "60"}, ok}, 2, 2, 0, false, time.Minute, time.Minute},
		"503 without":                 {[]step{{status: 503}, ok}, 2, 1, failure.Limited, true, 0, 0},
		"longer than a minute":        {[]step{{status: 503, retryAfter: "61"}, ok}, 2, 1, failure.Limited, false, 0, 0},
		"longer than any life":        {[]step{{status: 503, retryAfter: "4294967295"}, ok}, 2, 1, failure.Limited, false, 0, 0},
		"a minute in total":           {[]step{{status: 429, retryAfter: "40"}}, 9, 2, failure.Limited, false, 40 * time.Second, 40 * time.Second},
		"429 more often than retries": {[]step{{status: 429, retryAfter: "1"}}, 2, 3, failure.Limited, false, 2 * time.Second, 2 * time.Second},
		"500":                         {[]step{{status: 500, retryAfter: "1"}, ok}, 2, 1, failure.Unknown, true, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts, tokens, waits := 0, 0, 0
				c := newClient(t, Options{Retries: tc.retries, Token: token(&tokens), Transport: play(tc.steps, &attempts), OnWait: func(w Wait) {
					waits++
					if w.Attempt != waits || w.Delay <= 0 || w.Err == nil {
						t.Errorf("got %+v", w)
					}
				}})
				start := time.Now()
				reply, err := c.Chat(t.Context(), question, "id")
				if d := time.Since(start); d < tc.min || d > tc.max {
					t.Errorf("took %s, want %s to %s", d, tc.min, tc.max)
				}
				if attempts != tc.attempts || waits != tc.attempts-1 || tokens != 1 {
					t.Errorf("got %d attempts, %d waits, %d tokens, want %d attempts", attempts, waits, tokens, tc.attempts)
				}
				if tc.kind != 0 {
					wantError(t, err, tc.kind, tc.maybe)
				} else if err != nil || reply.Attempts != attempts {
					t.Errorf("got %+v, %v", reply, err)
				}
			})
		})
	}
}

func TestRetryAfterIsBounded(t *testing.T) {
	const (
		day   = 24 * time.Hour
		never = "Fri, 31 Dec 9999 23:59:59 GMT"
	)
	for name, tc := range map[string]struct {
		headers []string
		want    time.Duration
		valid   bool
	}{
		"seconds":                {[]string{"90"}, 90 * time.Second, true},
		"blanks":                 {[]string{" 90\t"}, 90 * time.Second, true},
		"leading zeros":          {[]string{"0000000000000000000000090"}, 90 * time.Second, true},
		"a day":                  {[]string{"86400"}, day, true},
		"more than a day":        {[]string{"86401"}, day, true},
		"largest duration":       {[]string{"9223372036"}, day, true},
		"largest uint64":         {[]string{"18446744073709551615"}, day, true},
		"more than uint64":       {[]string{"99999999999999999999999"}, day, true},
		"date":                   {[]string{"Sat, 01 Jan 2000 00:01:30 GMT"}, 90 * time.Second, true},
		"old form of a date":     {[]string{"Saturday, 01-Jan-00 00:01:30 GMT"}, 90 * time.Second, true},
		"past date":              {[]string{"Fri, 31 Dec 1999 23:59:59 GMT"}, 0, true},
		"first date":             {[]string{"Mon, 01 Jan 0001 00:00:00 GMT"}, 0, true},
		"last date":              {[]string{never}, day, true},
		"negative":               {[]string{"-5"}, 0, false},
		"signed":                 {[]string{"+5"}, 0, false},
		"float":                  {[]string{"1.5"}, 0, false},
		"exponent":               {[]string{"1e9"}, 0, false},
		"hexadecimal":            {[]string{"0x10"}, 0, false},
		"list":                   {[]string{"5, 10"}, 0, false},
		"date without a zone":    {[]string{"Sat, 01 Jan 2000 00:01:30"}, 0, false},
		"year of five digits":    {[]string{"Fri, 31 Dec 99999 23:59:59 GMT"}, 0, false},
		"empty":                  {[]string{""}, 0, false},
		"missing":                {nil, 0, false},
		"twice, longer last":     {[]string{"1", "90"}, 90 * time.Second, true},
		"twice, longer first":    {[]string{"90", "1"}, 90 * time.Second, true},
		"twice, number and date": {[]string{"1", never}, day, true},
		"twice, one malformed":   {[]string{"soon", "90"}, 90 * time.Second, true},
		"twice, both malformed":  {[]string{"soon", "-1"}, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, valid := retryAfter(tc.headers)
				if got != tc.want || valid != tc.valid {
					t.Errorf("got %s, %t, want %s, %t", got, valid, tc.want, tc.valid)
				}
				// After the first wait, the remaining budget applies.
				attempts := 0
				c := newClient(t, Options{Retries: 10, Transport: transportFunc(func(*http.Request) (*http.Response, error) {
					attempts++
					r := response(http.StatusTooManyRequests, "")
					if r.Header["Retry-After"] = tc.headers; attempts == 1 {
						r.Header.Set("Retry-After", "1")
					}
					return r, nil
				}), OnWait: func(w Wait) {
					if w.Delay <= 0 || w.Delay > maxWaiting {
						t.Errorf("waits %s", w.Delay)
					}
				}})
				start := time.Now()
				_, err := c.Chat(t.Context(), question, "id")
				if d := time.Since(start); d < time.Second || d > maxWaiting {
					t.Errorf("took %s", d)
				}
				if hint := errorOf(t, err, failure.Limited, false).hint(true).String(); strings.Contains(hint, "-") || tc.want == day && !strings.Contains(hint, "a day or longer") {
					t.Errorf("got the hint %q", hint)
				}
			})
		})
	}
}

func TestTimeLimitBoundsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		attempts := 0
		c := newClient(t, Options{Timeout: 5 * time.Second, Retries: 10, Transport: play([]step{{status: 503, retryAfter: "2"}}, &attempts)})
		start := time.Now()
		_, err := c.Chat(t.Context(), question, "id")
		wantError(t, err, failure.Limited, false)
		if d := time.Since(start); d != 4*time.Second || attempts != 3 {
			t.Errorf("took %s and %d attempts", d, attempts)
		}
	})
}

func TestLongRetryAfterIsReturned(t *testing.T) {
	attempts := 0
	c := newClient(t, Options{Retries: 2, Transport: play([]step{{status: 503, retryAfter: "3600"}}, &attempts)})
	_, err := c.Conversations(t.Context(), 1)
	if e := errorOf(t, err, failure.Limited, false); e.RetryAfter != time.Hour || attempts != 1 {
		t.Errorf("got %s after %d attempts", e.RetryAfter, attempts)
	}
}

func TestCancelDuringWaitReturnsImmediately(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		interrupted := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		attempts := 0
		c := newClient(t, Options{Retries: 2, Transport: play([]step{{status: 429, retryAfter: "30"}}, &attempts), OnWait: func(Wait) {
			time.AfterFunc(3*time.Second, func() { cancel(interrupted) })
		}})
		start := time.Now()
		_, err := c.Chat(ctx, question, "")
		wantError(t, err, failure.Interrupted, false)
		if !errors.Is(err, interrupted) || time.Since(start) != 3*time.Second || attempts != 1 {
			t.Errorf("got %v after %s and %d attempts", err, time.Since(start), attempts)
		}
	})
}

func TestTimeLimitStartsWithConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		connecting := 29 * time.Second
		c := newClient(t, Options{Timeout: 2 * time.Minute, Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			httptrace.ContextClientTrace(r.Context()).GetConn("")
			<-time.After(connecting)
			handOver(r)
			<-r.Context().Done()
			return nil, context.Cause(r.Context())
		})})
		start := time.Now()
		_, err := c.Chat(t.Context(), question, "")
		wantError(t, err, failure.Unknown, true)
		wantText(t, err.Error(), "no complete answer within the time limit of 2m0s")
		if d := time.Since(start); d != connecting+2*time.Minute {
			t.Errorf("took %s", d)
		}
	})
}

func TestConnectLimitStartsWithConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sending, b := watch(t.Context(), time.Minute, false)
		defer b.stop()
		b.ask()
		<-time.After(20 * time.Second)
		b.ask() // HTTP/2 asks twice for one connection
		<-time.After(9 * time.Second)
		b.hand()
		<-time.After(59 * time.Second)
		if sending.Err() != nil {
			t.Fatalf("ended in time: %v", context.Cause(sending))
		}
		b.ask() // the connection was stale
		start := time.Now()
		<-sending.Done()
		if got := context.Cause(sending); !errors.Is(got, errConnectLimit) || time.Since(start) != connectLimit {
			t.Errorf("got %v after %s", got, time.Since(start))
		}
	})
}

func TestTimeLimitBoundsBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, Options{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			body, w := io.Pipe()
			context.AfterFunc(r.Context(), func() { _ = w.CloseWithError(context.Cause(r.Context())) })
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body}, nil
		})})
		start := time.Now()
		_, err := c.Chat(t.Context(), question, "")
		wantError(t, err, failure.Unknown, true)
		if d := time.Since(start); d != 5*time.Minute {
			t.Errorf("took %s", d)
		}
	})
}

func TestHangingErrorBodyIsAbandoned(t *testing.T) {
	for _, timeout := range []time.Duration{0, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			c := newClient(t, Options{Timeout: timeout, Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
				body, w := io.Pipe()
				go func() { _, _ = io.WriteString(w, "no agentId") }()
				context.AfterFunc(r.Context(), func() { _ = w.CloseWithError(context.Cause(r.Context())) })
				return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{}, Body: body}, nil
			})})
			start, limit := time.Now(), errorBodyLimit
			if timeout > 0 {
				limit = timeout
			}
			_, err := c.Chat(t.Context(), question, "")
			wantError(t, err, failure.Refused, false)
			wantText(t, err.Error(), "no agentId")
			if d := time.Since(start); d != limit {
				t.Errorf("took %s, want %s", d, limit)
			}
		})
	}
}

func TestCancelReportsMaybeAccepted(t *testing.T) {
	for _, handed := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		c := newClient(t, Options{Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			if handed {
				handOver(r)
			}
			cancel()
			return nil, r.Context().Err()
		})})
		_, err := c.Chat(ctx, question, "")
		wantError(t, err, failure.Interrupted, handed)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		_, err = c.Chat(ctx, question, "")
		wantError(t, err, failure.Interrupted, false)
	}
}

func TestNewConnectionRestartsUnsentRequest(t *testing.T) {
	for name, tc := range map[string]struct {
		sticky bool
		events func(*boundary)
		want   bool
	}{
		"nothing asked":                 {false, func(*boundary) {}, false},
		"handed over":                   {false, func(b *boundary) { b.ask(); b.hand() }, true},
		"stale, then dialling":          {false, func(b *boundary) { b.ask(); b.hand(); b.ask() }, false},
		"written, then dialling":        {false, func(b *boundary) { b.ask(); b.hand(); b.write(); b.ask() }, true},
		"replayed with a key, dialling": {true, func(b *boundary) { b.ask(); b.hand(); b.ask() }, true},
	} {
		_, b := watch(t.Context(), time.Hour, tc.sticky)
		tc.events(b)
		if b.crossed() != tc.want {
			t.Errorf("%s: got %t", name, b.crossed())
		}
		b.stop()
	}
}
