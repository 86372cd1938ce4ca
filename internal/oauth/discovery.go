package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	serverMetadata = "/.well-known/oauth-authorization-server"
	openIDMetadata = "/.well-known/openid-configuration"
)

// Provider is an issuer with device login.
type Provider struct {
	Issuer        string
	DeviceURL     string
	TokenURL      string
	RevocationURL string // "" if it has none
	scopes        []string
}

// metadata is the part of the document of RFC 8414 §2 that is used here.
type metadata struct {
	Issuer             string   `json:"issuer"`
	DeviceEndpoint     string   `json:"device_authorization_endpoint"`
	TokenEndpoint      string   `json:"token_endpoint"`
	RevocationEndpoint string   `json:"revocation_endpoint"`
	Scopes             []string `json:"scopes_supported"`
}

// Discover returns the endpoints that the issuer publishes as an OAuth 2.0 authorization
// server (RFC 8414) or an OpenID provider. The published issuer must be the given
// address. The error is an *Error, that of CheckIssuer, or wraps ctx.Err().
func (c Client) Discover(ctx context.Context, address string) (Provider, error) {
	base, err := parseIssuer(address, c.AllowInsecureHTTP)
	if err != nil {
		return Provider{}, fmt.Errorf("the issuer %w", err)
	}
	problem := errors.New("no OAuth metadata was found")
	for _, path := range []string{serverMetadata + base.EscapedPath(), base.EscapedPath() + openIDMetadata} {
		found, ok, err := c.metadata(ctx, base.Scheme+"://"+base.Host+path)
		switch {
		case ctx.Err() != nil:
			return Provider{}, ctx.Err()
		case isNetwork(err):
			return Provider{}, &Error{Issuer: base.String(), Err: err}
		case err != nil:
			problem = err
		case ok:
			// The other document may have more.
			p, err := found.provider(base)
			if err == nil {
				return p, nil
			}
			problem = err
		}
	}
	return Provider{}, &Error{Issuer: base.String(), Err: problem}
}

// metadata returns the document at address. It reports false if there is none.
func (c Client) metadata(ctx context.Context, address string) (m metadata, ok bool, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return m, false, err
	}
	response, err := c.http(ctx).Do(request)
	if err != nil {
		if outer := new(url.Error); errors.As(err, &outer) {
			err = outer.Err
		}
		return m, false, err
	}
	defer func() { _ = response.Body.Close() }()
	if target, err := response.Location(); err == nil && response.StatusCode/100 == 3 {
		return m, false, fmt.Errorf("it redirects to %.200s", target.Redacted())
	}
	if response.StatusCode != http.StatusOK || json.NewDecoder(response.Body).Decode(&m) != nil || m.Issuer == "" {
		return metadata{}, false, nil // for example a web page for every address
	}
	return m, true, nil
}

// provider returns the endpoints if the document belongs to base and is valid.
func (m metadata) provider(base issuer) (Provider, error) {
	// An issuer is compared exactly (RFC 8414 §3.3), except for the slash at its end,
	// which people leave out.
	if strings.TrimRight(m.Issuer, "/") != strings.TrimRight(base.String(), "/") {
		return Provider{}, fmt.Errorf("its metadata names another issuer: %.200q", m.Issuer)
	}
	if m.DeviceEndpoint == "" || m.TokenEndpoint == "" {
		return Provider{}, errors.New("it does not support login with a code (device authorization)")
	}
	for _, endpoint := range []struct{ name, address string }{
		{"device authorization endpoint", m.DeviceEndpoint}, {"token endpoint", m.TokenEndpoint}, {"revocation endpoint", m.RevocationEndpoint},
	} {
		if endpoint.address == "" {
			continue
		}
		if err := base.check(endpoint.name, endpoint.address); err != nil {
			return Provider{}, err
		}
	}
	return Provider{m.Issuer, m.DeviceEndpoint, m.TokenEndpoint, m.RevocationEndpoint, m.Scopes}, nil
}

// DefaultScopes returns the scopes to ask for if the user names none: those that an
// OpenID provider needs for a refresh token, if it supports them.
func (p Provider) DefaultScopes() []string {
	var scopes []string
	for _, scope := range []string{"openid", "offline_access"} {
		if slices.Contains(p.scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}
