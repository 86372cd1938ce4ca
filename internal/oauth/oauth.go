// Package oauth logs in at an OAuth 2.0 or OpenID Connect issuer: discovery (RFC 8414),
// device authorization (RFC 8628), refreshing (RFC 6749 §6) and revocation (RFC 7009),
// as a public client without a secret. It must not know where a grant is stored, or how
// the user sees the code. No other package imports golang.org/x/oauth2.
//
// Everything that an issuer sends is limited in size and time, and may be hostile: it
// must be cleaned before it reaches a terminal.
package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
)

const (
	// requestLimit is the time limit of one request to the issuer.
	requestLimit = 20 * time.Second
	// maxBody is the maximum size of a response in bytes.
	maxBody = 256 << 10
	// maxToken is the maximum length in bytes of each token.
	maxToken = 8 << 10
)

// Client sends requests to issuers. It is safe for concurrent use.
type Client struct {
	Transport http.RoundTripper
	UserAgent string
	// AllowInsecureHTTP allows an issuer with http:// that is not on this machine.
	AllowInsecureHTTP bool
	// Log receives the method, the address and the status of each request, one line at
	// a time. It may be nil.
	Log func(line string)
}

// Grant is what an issuer has granted: the tokens, and what is needed to refresh them.
// Its formatted output never contains them.
type Grant struct {
	Issuer        string `json:"issuer"`
	TokenURL      string `json:"token_endpoint"`
	RevocationURL string `json:"revocation_endpoint,omitempty"`
	ClientID      string `json:"client_id"`
	// Scope and Audience are those of the login, which a new login repeats.
	Scope    string `json:"scope,omitempty"`
	Audience string `json:"audience,omitempty"`

	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token,omitempty"` // "" if the issuer gave none
	// Obtained is the time of the response with AccessToken, and Expiry the time when it
	// expires, or zero if the issuer gave none.
	Obtained time.Time `json:"obtained"`
	Expiry   time.Time `json:"expiry,omitzero"`
}

// Format prints only the name of the type, because the tokens are secret.
func (Grant) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "oauth.Grant") }

// Expired reports whether the access token has expired at the given time.
func (g Grant) Expired(now time.Time) bool { return !g.Expiry.IsZero() && !now.Before(g.Expiry) }

// Due returns the time from which the access token should be refreshed, or zero if it
// does not expire: the last tenth of its life, but at most the last minute.
func (g Grant) Due() time.Time {
	if g.Expiry.IsZero() {
		return time.Time{}
	}
	return g.Expiry.Add(-max(0, min(time.Minute, g.Expiry.Sub(g.Obtained)/10)))
}

// IsDue reports whether the access token should be refreshed at the given time.
func (g Grant) IsDue(now time.Time) bool { return !g.Expiry.IsZero() && !now.Before(g.Due()) }

// Check returns an error if the grant cannot have come from this package: an address
// without TLS, or a token that does not fit into a request.
func (g Grant) Check(allowInsecureHTTP bool) error {
	issuer, err := parseIssuer(g.Issuer, allowInsecureHTTP)
	if err == nil {
		err = issuer.check("token endpoint", g.TokenURL)
	}
	if err == nil && g.RevocationURL != "" {
		err = issuer.check("revocation endpoint", g.RevocationURL)
	}
	if err != nil {
		return err
	}
	return checkTokens(g.AccessToken, g.RefreshToken)
}

// checkTokens returns an error unless the tokens consist of visible ASCII characters.
// The access token must not be empty.
func checkTokens(access, refresh string) error {
	switch {
	case access == "":
		return errors.New("the issuer sent no access token")
	case len(access) > maxToken, len(refresh) > maxToken:
		return fmt.Errorf("the issuer sent a token of more than %d KiB", maxToken>>10)
	case strings.ContainsFunc(access, invisible), strings.ContainsFunc(refresh, invisible):
		return errors.New("the issuer sent a token with characters that are not visible ASCII")
	}
	return nil
}

func invisible(r rune) bool { return r <= ' ' || r > '~' }

// issuer is the address of an issuer.
type issuer struct {
	*url.URL
	allowInsecureHTTP bool
}

// CheckIssuer returns an error unless Discover accepts the address of an issuer. The
// error does not contain the address, in which there may be a password.
func CheckIssuer(address string, allowInsecureHTTP bool) error {
	_, err := parseIssuer(address, allowInsecureHTTP)
	return err
}

// parseIssuer returns the issuer at an address, or at that of its metadata. The address
// has neither query nor fragment (RFC 8414 §2).
func parseIssuer(raw string, allowInsecureHTTP bool) (issuer, error) {
	raw = strings.TrimSpace(raw)
	raw = strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(raw, "/"), openIDMetadata), serverMetadata)
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(raw, "?#"):
		return issuer{}, errors.New("must be an address such as https://login.example.com")
	case u.Scheme == "https", u.Scheme == "http" && (allowInsecureHTTP || baseurl.IsLoopback(u.Hostname())):
		return issuer{u, allowInsecureHTTP}, nil
	}
	return issuer{}, errors.New("must begin with https://")
}

// check returns an error unless requests to an endpoint of the issuer use TLS or stay on
// this machine. An issuer with TLS has all endpoints with TLS.
func (i issuer) check(name, raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Host == "" || u.User != nil:
		return fmt.Errorf("the issuer's %s is invalid: %.200q", name, raw)
	case u.Scheme == "https", u.Scheme == "http" && i.Scheme == "http" && (i.allowInsecureHTTP || baseurl.IsLoopback(u.Hostname())):
		return nil
	}
	return fmt.Errorf("the issuer's %s does not begin with https://: %.200q", name, raw)
}

// config returns the configuration for the library. The client is public, so its id
// always travels in the body; probing for another way would send a refresh token twice.
func config(clientID, deviceURL, tokenURL string, scopes []string) *oauth2.Config {
	return &oauth2.Config{
		ClientID: clientID, Scopes: scopes,
		Endpoint: oauth2.Endpoint{DeviceAuthURL: deviceURL, TokenURL: tokenURL, AuthStyle: oauth2.AuthStyleInParams},
	}
}

// with returns g with the tokens of a response.
func (g Grant) with(token *oauth2.Token) (Grant, error) {
	if !strings.EqualFold(token.Type(), "bearer") {
		return Grant{}, fmt.Errorf("the issuer sent a token of the unsupported type %.40q", token.Type())
	}
	g.AccessToken, g.RefreshToken = token.AccessToken, token.RefreshToken
	g.Obtained, g.Expiry = time.Now().UTC().Round(0), token.Expiry.UTC().Round(0)
	return g, checkTokens(token.AccessToken, token.RefreshToken)
}

// Refresh returns the grant with new tokens. The issuer may invalidate the refresh token
// of g at once, so the result must be stored before anything else. The error is an
// *Error, or wraps ctx.Err() or a problem of the response.
func (c Client) Refresh(ctx context.Context, g Grant) (Grant, error) {
	if err := g.Check(c.AllowInsecureHTTP); err != nil {
		return Grant{}, &Error{Issuer: g.Issuer, Err: err}
	}
	source := config(g.ClientID, "", g.TokenURL, nil).TokenSource(c.attach(ctx), &oauth2.Token{RefreshToken: g.RefreshToken})
	token, err := source.Token()
	if err != nil {
		return Grant{}, explain(ctx, g.Issuer, err, g.RefreshToken)
	}
	fresh, err := g.with(token)
	if err != nil {
		return Grant{}, &Error{Issuer: g.Issuer, Err: err}
	}
	return fresh, nil
}

// Revoke invalidates the refresh token, or the access token if there is none, at the
// issuer. It reports false if the issuer has no endpoint for that.
func (c Client) Revoke(ctx context.Context, g Grant) (bool, error) {
	if g.RevocationURL == "" {
		return false, nil
	}
	if err := g.Check(c.AllowInsecureHTTP); err != nil {
		return false, &Error{Issuer: g.Issuer, Err: err}
	}
	form := url.Values{"client_id": {g.ClientID}, "token": {g.RefreshToken}, "token_type_hint": {"refresh_token"}}
	if g.RefreshToken == "" {
		form["token"], form["token_type_hint"] = []string{g.AccessToken}, []string{"access_token"}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, g.RevocationURL, strings.NewReader(form.Encode()))
	if err != nil {
		return false, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := c.http(ctx).Do(request)
	if err != nil {
		return false, explain(ctx, g.Issuer, err, form.Get("token"))
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return false, &Error{Issuer: g.Issuer, Status: response.StatusCode}
	}
	return true, nil
}
