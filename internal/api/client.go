package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

const (
	chatPath          = baseurl.Prefix + "/chat"
	conversationsPath = baseurl.Prefix + "/conversations"

	defaultTimeout = 5 * time.Minute

	// maxToken is larger than the headers that servers accept.
	maxToken = 16 << 10
)

// Options configure a Client. Only BaseURL is required.
type Options struct {
	// BaseURL is parsed by baseurl.Parse.
	BaseURL           string
	AllowInsecureHTTP bool
	// ConversationsPath is the path of the listing below the base URL, such
	// as /api/v1/chat. If empty, both paths of the interface are tried.
	ConversationsPath string
	// CAFile is a PEM file with certificates to trust in addition to the
	// system's.
	CAFile string
	// Timeout limits one attempt from the first byte sent to the last byte
	// read; 0 means five minutes. Connecting has a separate limit of 30 seconds,
	// and all waits between attempts together one of a minute, both reduced to
	// the Timeout if that is shorter.
	Timeout time.Duration
	// Retries is the maximum number of retries of a request that was certainly
	// not accepted; negative means 0.
	Retries int
	// IdempotencyKeys reports whether the service honours the Idempotency-Key
	// header. With that header, net/http may replay a POST.
	IdempotencyKeys bool
	// Token is called once for each operation, before anything is sent. If it
	// is nil or returns the zero Token, no Authorization header is sent. Its errors
	// are returned unchanged.
	Token func(context.Context) (Token, error)
	// Refused returns the hint for a token that the service refused with an
	// HTTP status. It may be nil.
	Refused func(status int) failure.Hint
	// UserAgent defaults to "hobnob".
	UserAgent string
	// Transport defaults to the network.
	Transport http.RoundTripper
	// Log receives request lines, statuses and headers, one line at a time,
	// with secrets masked. It may be nil.
	Log func(line string)
	// OnWait is called before each retry.
	OnWait func(Wait)
	// Record is called after each attempt that was not interrupted. It may be nil.
	Record func(Exchange)
	// Replay, if not nil, returns the outcome of each attempt, and nothing is sent. A
	// retry follows at once. Chat and Conversations return its error unchanged.
	Replay func(Exchange) (Outcome, error)
}

// Token is the token of one operation.
type Token struct {
	Secret string
	// Renew returns the token to use after the service refused Secret with 401. It is
	// called at most once. If it returns another token, the request is sent again. It
	// is nil if Secret cannot be renewed.
	Renew func(context.Context) (string, error)
}

// Wait describes a wait before a retry.
type Wait struct {
	// Attempt is the number of the attempt that failed, from 1.
	Attempt int
	// Delay is the time until the next attempt.
	Delay time.Duration
	// Err is the *Error of the attempt that failed.
	Err error
}

// Client is a client of one service. It is safe for concurrent use if its callbacks
// are.
type Client struct {
	base     *url.URL
	chat     string   // the address of a chat
	listings []string // paths to try, in order
	options  Options
}

// New returns a client. It does not connect. Its errors are *ConfigError.
func New(o Options) (*Client, error) {
	base, err := baseurl.Parse(o.BaseURL, o.AllowInsecureHTTP)
	if err != nil {
		return nil, &ConfigError{Setting: "base_url", Err: err}
	}
	if o.Timeout < 0 {
		return nil, &ConfigError{Setting: "timeout", Err: fmt.Errorf("the time limit %s is negative", o.Timeout)}
	}
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.UserAgent = cmp.Or(o.UserAgent, "hobnob")
	listings := []string{conversationsPath, chatPath}
	if o.ConversationsPath != "" {
		path := "/" + strings.TrimLeft(o.ConversationsPath, "/")
		u, err := url.Parse(base.String() + path)
		if err != nil || strings.ContainsAny(path, "?#") || strings.Contains(path, "://") || baseurl.HasDotSegment(u.Path) {
			return nil, &ConfigError{Setting: "conversations_path", Err: fmt.Errorf("invalid path %q: must be a path such as %s", path, chatPath)}
		}
		listings = []string{path}
	}
	roots, err := readRoots(o.CAFile)
	if err != nil {
		return nil, &ConfigError{Setting: "ca_file", Err: err}
	}
	if o.Transport == nil {
		o.Transport = newTransport(roots, connectLimitOf(o.Timeout))
	}
	return &Client{base: base, chat: base.String() + chatPath, listings: listings, options: o}, nil
}

// Chat sends one request and returns the reply (interface, section 4.1). The id is
// that of the turn; with IdempotencyKeys, all attempts send it as their key. If the
// error is not an *Error, nothing was sent.
func (c *Client) Chat(ctx context.Context, r Request, id string) (Reply, error) {
	x, err := c.chatExchange(r, id)
	if err != nil {
		return Reply{}, err
	}
	o, err := c.begin(ctx, x)
	if err != nil {
		return Reply{}, err
	}
	got, err := o.do(ctx, x)
	if err != nil {
		return Reply{}, err
	}
	reply, err := readMasked(got.body, o.mask, readReply)
	if err != nil {
		return Reply{}, o.broken(x, got, err)
	}
	reply.Attempts = o.attempts
	return reply, nil
}

// Conversations returns at most limit conversations (interface, section 4.2) in the
// order of the service. If the first of the two paths of the interface answers 404,
// 405 or 501, it requests the second.
func (c *Client) Conversations(ctx context.Context, limit int) ([]Conversation, error) {
	list, _, err := c.list(ctx, limit)
	return list, err
}

// FindListing requests one conversation and returns the path of the listing below
// the base URL.
func (c *Client) FindListing(ctx context.Context) (path string, err error) {
	_, path, err = c.list(ctx, 1)
	return path, err
}

func (c *Client) list(ctx context.Context, limit int) (list []Conversation, path string, err error) {
	if limit < 1 {
		return nil, "", &ConfigError{Setting: "limit", Err: fmt.Errorf("the limit %d is less than 1", limit)}
	}
	o, err := c.begin(ctx, c.listing(c.listings[0], limit))
	if err != nil {
		return nil, "", err
	}
	var first error
	for _, path := range c.listings {
		x := c.listing(path, limit)
		got, err := o.do(ctx, x)
		if err == nil {
			list, err := readMasked(got.body, o.mask, readListing)
			if err != nil {
				return nil, "", o.broken(x, got, err)
			}
			return list, path, nil
		}
		if !IsNoListing(err) {
			return nil, "", err
		}
		// If neither path has a listing, report the error of the first.
		first = cmp.Or(first, err)
	}
	return nil, "", first
}

func (c *Client) listing(path string, limit int) exchange {
	return exchange{method: http.MethodGet, url: fmt.Sprintf("%s%s?limit=%d", c.base, path, limit)}
}

// IsNoListing reports whether err means that the service has no listing at the
// requested path: status 404, 405 or 501.
func IsNoListing(err error) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(
		[]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, e.Status)
}

// Preview is a chat request that is not sent.
type Preview struct {
	Method string
	URL    string
	// Headers are pairs of name and value, sorted by name. Authorization is
	// masked. An Idempotency-Key, which differs for each turn, is "<id>".
	Headers [][2]string
	Body    []byte
}

// Preview returns the request that Chat would send. It does not get the token and
// sends nothing.
func (c *Client) Preview(r Request) (Preview, error) {
	x, err := c.chatExchange(r, "<id>")
	if err != nil {
		return Preview{}, err
	}
	token := ""
	if c.options.Token != nil {
		token = masked
	}
	header := c.headers(x, token)
	p := Preview{Method: x.method, URL: x.url, Body: x.body}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		p.Headers = append(p.Headers, [2]string{name, header.Get(name)})
	}
	return p, nil
}

func (c *Client) chatExchange(r Request, id string) (exchange, error) {
	if err := r.validate(); err != nil {
		return exchange{}, err
	}
	if !isVisibleASCII(id) {
		return exchange{}, &ConfigError{Setting: "id", Err: fmt.Errorf("the id %q does not fit into a header", id)}
	}
	body, err := r.Encode()
	if err != nil {
		return exchange{}, &ConfigError{Setting: "messages", Err: err}
	}
	return exchange{method: http.MethodPost, url: c.chat, body: body, id: id}, nil
}

// headers returns the headers of a request, except those that net/http adds.
func (c *Client) headers(x exchange, token string) http.Header {
	h := http.Header{"Accept": {"application/json"}, "User-Agent": {c.options.UserAgent}}
	if x.body != nil {
		h["Content-Type"] = []string{"application/json"}
	}
	if token != "" {
		h["Authorization"] = []string{"Bearer " + token}
	}
	if c.options.IdempotencyKeys && x.id != "" {
		h["Idempotency-Key"] = []string{x.id}
	}
	return h
}

// begin gets the token for all attempts of the operation.
func (c *Client) begin(ctx context.Context, x exchange) (*operation, error) {
	o := &operation{client: c}
	if c.options.Token == nil {
		return o, nil
	}
	token, err := c.options.Token(ctx)
	if err != nil {
		return nil, err
	}
	if err := o.use(token.Secret); err != nil {
		return nil, &Error{Kind: failure.Auth, Op: x.String(), refused: c.options.Refused, Err: err}
	}
	o.renew = token.Renew
	return o, nil
}

func isVisibleASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
