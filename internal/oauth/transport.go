package oauth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"golang.org/x/oauth2"

	"github.com/hobnob-cli/hobnob/internal/api"
)

// attach returns ctx with the HTTP client that the library uses.
func (c Client) attach(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, c.http(ctx))
}

// http returns a client that follows no redirect: a POST contains secrets, and the
// address of an issuer is exact.
func (c Client) http(ctx context.Context) *http.Client {
	return &http.Client{
		Transport:     bounded{c, ctx},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bounded is a transport that returns only complete responses of limited size, within
// the time limit. The library sends some requests without the context of its caller.
type bounded struct {
	client Client
	ctx    context.Context
}

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(b.ctx, requestLimit)
	defer cancel()
	r = r.Clone(ctx)
	r.Header.Set("User-Agent", b.client.UserAgent)
	r.Header.Set("Accept", "application/json")
	b.log("> " + r.Method + " " + r.URL.String())
	response, err := b.client.Transport.RoundTrip(r)
	if err != nil {
		return nil, b.failed(err)
	}
	defer func() { _ = response.Body.Close() }()
	b.log("< " + response.Status)
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	switch {
	case err != nil:
		return nil, b.failed(err)
	case len(body) > maxBody:
		return nil, fmt.Errorf("the response is larger than %d KiB", maxBody>>10)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

func (b bounded) failed(err error) error {
	if b.ctx.Err() != nil {
		return b.ctx.Err()
	}
	return &networkError{api.InWords(err)}
}

func (b bounded) log(line string) {
	if b.client.Log != nil {
		b.client.Log(line)
	}
}

// networkError is a request without a complete response.
type networkError struct{ err error }

func (e *networkError) Error() string { return e.err.Error() }
func (e *networkError) Unwrap() error { return e.err }

func isNetwork(err error) bool { return errors.As(err, new(*networkError)) }
