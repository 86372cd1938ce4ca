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

	"github.com/cenkalti/backoff/v5"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

const (
	chatPath          = baseurl.Prefix + "/chat"
	conversationsPath = baseurl.Prefix + "/conversations"

	defaultTimeout = 5 * time.Minute

	// maxToken is more than servers take in a header.
	maxToken = 16 << 10
)

// Options say how to reach a service. Only BaseURL is needed.
type Options struct {
	// BaseURL is read by baseurl.Parse.
	BaseURL           string
	AllowInsecureHTTP bool
	// ConversationsPath is the path of the listing below the base URL, such
	// as /api/v1/chat. Empty tries the two that the interface may mean.
	ConversationsPath string
	// CAFile is a PEM file with certificates trusted besides the system's.
	CAFile string
	// Timeout bounds one attempt from the first byte sent to the last byte
	// read; 0 means five minutes. Connecting, which comes before, has 30
	// seconds of its own, or the Timeout where that is shorter.
	Timeout time.Duration
	// Retries is how often a request that was certainly not accepted is sent
	// again; a negative number means 0.
	Retries int
	// IdempotencyKeys says that the service honours the header
	// Idempotency-Key: net/http replays a POST by itself when it is set.
	IdempotencyKeys bool
	// Token is asked once for each operation, before anything is sent. An
	// empty token and a nil Token send no Authorization; an error is returned
	// as it is.
	Token func(context.Context) (string, error)
	// Refused returns what to do about the token when the service refuses it
	// with an HTTP status. Nil has no advice.
	Refused func(status int) failure.Hint
	// UserAgent is "hobnob" when empty.
	UserAgent string
	// Transport is the network when nil.
	Transport http.RoundTripper
	// Log receives request lines, statuses and headers, one line at a time,
	// secrets masked; nil is silent.
	Log func(line string)
	// OnWait is called before each retry.
	OnWait func(Wait)
}

// Wait announces a retry.
type Wait struct {
	// Attempt is the number of the attempt that failed, from 1.
	Attempt int
	// Delay is the time until the next one.
	Delay time.Duration
	// Err is the *Error of the attempt that failed.
	Err error
}

// Client calls one service. It may be used by several goroutines at once; its
// callbacks are then called from all of them.
type Client struct {
	base     *url.URL
	listings []string // the paths to try, in this order
	options  Options
}

// New checks the options and dials nothing. Its errors are *ConfigError.
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
			return nil, &ConfigError{Setting: "conversations_path", Err: fmt.Errorf("the path %q cannot be read: want one like %s", path, chatPath)}
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
	return &Client{base: base, listings: listings, options: o}, nil
}

// Chat sends one request and returns the reply (interface, section 4.1). The id
// names the turn: with IdempotencyKeys every attempt carries it. A failure is
// an *Error; an error of any other type means that nothing was sent.
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

// Conversations asks for at most limit conversations (interface, section 4.2)
// and returns them as they come. The interface names two paths: where the first
// answers 404, 405 or 501, the second is asked.
func (c *Client) Conversations(ctx context.Context, limit int) ([]Conversation, error) {
	list, _, err := c.list(ctx, limit)
	return list, err
}

// FindListing asks for one conversation and returns the path, below the base
// URL, at which the service has its listing.
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
		// When no path has a listing, the one that should have it says so.
		first = cmp.Or(first, err)
	}
	return nil, "", first
}

func (c *Client) listing(path string, limit int) exchange {
	return exchange{method: http.MethodGet, url: fmt.Sprintf("%s%s?limit=%d", c.base, path, limit)}
}

// IsNoListing reports whether err is the answer of a service that has no listing
// at the path that was asked for: 404, 405 or 501.
func IsNoListing(err error) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(
		[]int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}, e.Status)
}

// Preview is a chat request as it would be sent.
type Preview struct {
	Method string
	URL    string
	// Headers are pairs of name and value in the order of the names.
	// Authorization is masked; an Idempotency-Key, which is made for each
	// turn, is shown as "<id>".
	Headers [][2]string
	Body    []byte
}

// Preview returns what Chat would send. It asks for no token and sends nothing.
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
	return exchange{method: http.MethodPost, url: c.base.String() + chatPath, body: body, id: id}, nil
}

// headers returns everything that is sent except what net/http adds.
func (c *Client) headers(x exchange, token string) http.Header {
	h := http.Header{}
	h.Set("Accept", "application/json")
	h.Set("User-Agent", c.options.UserAgent)
	if x.body != nil {
		h.Set("Content-Type", "application/json")
	}
	if token != "" {
		h.Set("Authorization", "Bearer "+token)
	}
	if c.options.IdempotencyKeys && x.id != "" {
		h.Set("Idempotency-Key", x.id)
	}
	return h
}

// begin asks for the token, which every attempt of the operation then uses.
func (c *Client) begin(ctx context.Context, x exchange) (*operation, error) {
	delays := backoff.NewExponentialBackOff()
	delays.InitialInterval, delays.Multiplier = 250*time.Millisecond, 2
	o := &operation{client: c, delays: delays}
	if c.options.Token == nil {
		return o, nil
	}
	token, err := c.options.Token(ctx)
	if err != nil {
		return nil, err
	}
	if !isVisibleASCII(token) || len(token) > maxToken {
		return nil, &Error{Kind: failure.Auth, Op: x.String(), refused: c.options.Refused, Err: errors.New("the token is not one line of visible ASCII characters, at most 16 KiB long")}
	}
	o.token, o.mask = token, newMask(token)
	return o, nil
}

func isVisibleASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}
