package service

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
)

// Transport returns a transport that calls a handler in the process, without a port.
// It calls GotConn of the request's client trace, so that callers know that the request
// was sent, as with a network transport. The handler runs in another goroutine and
// continues when the request is cancelled.
func Transport(h http.Handler) http.RoundTripper { return transport{h} }

type transport struct{ handler http.Handler }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	// On a server, the body is never nil and RequestURI is set.
	inner := r.Clone(r.Context())
	inner.RequestURI, inner.RemoteAddr, inner.Host = r.URL.RequestURI(), "in-process", r.URL.Host
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	done := make(chan error, 1)
	w := &recorder{header: http.Header{}}
	go func() {
		defer func() {
			_ = inner.Body.Close()
			var err error
			if p := recover(); p != nil {
				err = fmt.Errorf("the service panicked: %v", p)
			}
			done <- err
		}()
		t.handler.ServeHTTP(w, inner)
	}()
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case err := <-done:
		if err != nil {
			return nil, err
		}
		return w.response(r), nil
	}
}

// recorder is the http.ResponseWriter of one in-process request.
type recorder struct {
	header http.Header
	sent   http.Header // copy of header from when the status was written
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status, w.sent = status, w.header.Clone()
	}
}

func (w *recorder) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}

func (w *recorder) response(r *http.Request) *http.Response {
	w.WriteHeader(http.StatusOK)
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)),
		StatusCode:    w.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        w.sent,
		Body:          io.NopCloser(&w.body),
		ContentLength: int64(w.body.Len()),
		Request:       r,
	}
}
