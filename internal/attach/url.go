package attach

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/net/http/httpproxy"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
)

const (
	fetchLimit   = 30 * time.Second
	maxRedirects = 5
	maxHeaders   = 256 << 10
)

// IsURL reports whether a value is an address of a page.
func IsURL(value string) bool {
	scheme, _, ok := strings.Cut(value, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// fetch returns the page at a URL as text, without sending credentials.
func (r Reader) fetch(ctx context.Context, value string, transport http.RoundTripper) (File, error) {
	const hint = "check the URL after -f"
	u, err := url.Parse(value)
	if err != nil || u.Hostname() == "" {
		return File{}, failure.Usagef(hint, "invalid URL after -f") // it may contain a password
	}
	name := nameOf(u)
	if u.User != nil {
		return File{}, failure.Usagef("omit them; the page must be public", "the URL %s has a user name or a password", name)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchLimit)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return File{}, failure.Usagef(hint, "invalid URL %s", name)
	}
	request.Header.Set("User-Agent", "hobnob")
	request.Header.Set("Accept", "text/html, text/*, application/json;q=0.9, */*;q=0.1")
	client := &http.Client{Transport: transport, CheckRedirect: checkRedirect}
	response, err := client.Do(request)
	if err != nil {
		return File{}, fetchError(name, err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return File{}, failure.WithHint(fmt.Errorf("cannot fetch %s: the server responded with %d %s", name, response.StatusCode, http.StatusText(response.StatusCode)), hint)
	}
	kind, err := textType(response.Header)
	if err != nil {
		return File{}, failure.Usagef("save its text to a file and attach that", "%s %v: the service takes text", name, err)
	}
	// Package net/http decompresses while it is read, so the limit is that of the text.
	data, err := io.ReadAll(io.LimitReader(response.Body, r.Limit+1))
	if err != nil {
		return File{}, fetchError(name, err)
	}
	if int64(len(data)) <= r.Limit {
		data, err = textOf(data, kind, response.Header.Get("Content-Type"))
	}
	switch {
	case err != nil:
		return File{}, fetchError(name, err)
	case int64(len(data)) > r.Limit:
		return File{}, failure.Usagef("save a part of it to a file and attach that", "%s is larger than the limit of %s", name, plural.Bytes(r.Limit))
	}
	return File{name, data}, nil
}

// nameOf returns a URL without parts that may be secret.
func nameOf(u *url.URL) string {
	name := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return name.String()
}

func fetchError(name string, err error) error {
	var address *addressError
	var redirect *redirectError
	var inner *url.Error
	var lookup *net.DNSError
	switch {
	case errors.As(err, &address):
		return failure.Usagef("to fetch from private addresses, pass --allow-private-urls", "cannot fetch %s: %v", name, address)
	case errors.As(err, &redirect):
		return failure.Usagef("attach the URL that it redirects to", "cannot fetch %s: %v", name, redirect)
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("timed out after %v", fetchLimit)
	case errors.As(err, &lookup):
		err = errors.New(lookup.Err)
	case errors.As(err, &inner): // its text has the whole URL
		err = inner.Err
	}
	return failure.WithHint(fmt.Errorf("cannot fetch %s: %w", name, failure.Reason(err)), "check the URL and the network")
}

// redirectError is a redirect that is not followed.
type redirectError struct{ why string }

func (e *redirectError) Error() string { return e.why }

func checkRedirect(next *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return &redirectError{fmt.Sprintf("more than %d redirects", maxRedirects)}
	case !IsURL(next.URL.String()):
		return &redirectError{fmt.Sprintf("it redirects to a %s URL", next.URL.Scheme)}
	case next.URL.User != nil:
		return &redirectError{"it redirects to a URL with a user name or a password"}
	case via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme != "https":
		return &redirectError{"it redirects from https to http"}
	}
	next.Header.Del("Referer")
	return nil
}

// fetcher sends requests directly or through the proxy of the environment, to public
// addresses only unless private is set.
type fetcher struct {
	direct, proxied *http.Transport
	proxy           func(*url.URL) (*url.URL, error)
	private         bool
}

func newFetcher(private bool) *fetcher {
	proxy := httpproxy.FromEnvironment().ProxyFunc()
	newTransport := func(dialer *net.Dialer) *http.Transport {
		return &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
			ForceAttemptHTTP2: true, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeaders,
		}
	}
	f := &fetcher{newTransport(&net.Dialer{Control: checkDial}), newTransport(&net.Dialer{}), proxy, private}
	if private {
		f.direct = newTransport(&net.Dialer{})
	}
	f.proxied.Proxy = func(r *http.Request) (*url.URL, error) { return proxy(r.URL) }
	return f
}

// RoundTrip implements http.RoundTripper.
func (f *fetcher) RoundTrip(r *http.Request) (*http.Response, error) {
	if !f.private {
		if err := checkHost(r.URL.Hostname()); err != nil {
			return nil, err
		}
	}
	through, err := f.proxy(r.URL)
	switch {
	case err != nil: // it may contain a password
		return nil, errors.New("the proxy address in the environment is invalid")
	case through != nil:
		return f.proxied.RoundTrip(r)
	}
	return f.direct.RoundTrip(r)
}

// textType returns the media type of a response, or an error if it is not text.
func textType(header http.Header) (string, error) {
	if encoding := header.Get("Content-Encoding"); encoding != "" {
		return "", fmt.Errorf("has the encoding %q", encoding)
	}
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || kind == "application/octet-stream" { // is not known
		return "", nil
	}
	_, sub, _ := strings.Cut(kind, "/")
	for _, text := range []string{"json", "xml", "yaml", "toml", "javascript", "sh", "ndjson", "sql"} {
		if strings.HasPrefix(kind, "text/") || strings.TrimPrefix(sub, "x-") == text || strings.HasSuffix(sub, "+"+text) {
			return kind, nil
		}
	}
	return "", fmt.Errorf("is %q", kind)
}

// textOf returns the text of a page in UTF-8.
func textOf(data []byte, kind, contentType string) ([]byte, error) {
	isHTML := kind == "text/html" || kind == "application/xhtml+xml"
	_, params, _ := mime.ParseMediaType(contentType)
	if label := params["charset"]; label != "" || isHTML && !utf8.Valid(data) {
		in, err := charset.NewReader(bytes.NewReader(data), contentType)
		if err != nil {
			return nil, err
		}
		if data, err = io.ReadAll(in); err != nil {
			return nil, err
		}
	}
	if isHTML {
		data = []byte(plain(data))
	}
	if _, err := Text("it", data); err != nil {
		return nil, err
	}
	return data, nil
}
