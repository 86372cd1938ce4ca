package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

const (
	// maxLogin is the maximum time in which the user can enter the code.
	maxLogin = time.Hour
	// The limits of the time between two requests that ask whether the user has entered
	// the code, and the time if the issuer names none (RFC 8628 §3.2).
	minInterval     = time.Second
	maxInterval     = 2 * time.Minute
	defaultInterval = 5 * time.Second

	maxUserCode = 64   // bytes
	maxPage     = 2048 // bytes
)

// Request is a login to begin.
type Request struct {
	ClientID string
	Scopes   []string
	Audience string // "" for the default of the issuer
}

// Device is a login that the user must approve in a browser. The texts come from the
// issuer and must be cleaned before they are shown.
type Device struct {
	UserCode string
	// VerificationURL is the address at which the user enters the code, and CompleteURL
	// that of a page that already has it, or "". Both begin with https://, or http:// on
	// this machine.
	VerificationURL, CompleteURL string
	Expiry                       time.Time

	provider Provider
	request  Request
	response oauth2.DeviceAuthResponse
}

// Begin asks the issuer for a code. The error is an *Error, or wraps ctx.Err().
func (c Client) Begin(ctx context.Context, p Provider, r Request) (Device, error) {
	var options []oauth2.AuthCodeOption
	if r.Audience != "" {
		options = append(options, oauth2.SetAuthURLParam("audience", r.Audience))
	}
	response, err := config(r.ClientID, p.DeviceURL, p.TokenURL, r.Scopes).DeviceAuth(c.attach(ctx), options...)
	if err != nil {
		return Device{}, explain(ctx, p.Issuer, err, "")
	}
	d := Device{provider: p, request: r, response: *response}
	if err := d.check(c.AllowInsecureHTTP); err != nil {
		return Device{}, &Error{Issuer: p.Issuer, Err: err}
	}
	return d, nil
}

// check sets the code and the addresses, and limits the times.
func (d *Device) check(allowInsecureHTTP bool) error {
	base, err := parseIssuer(d.provider.Issuer, allowInsecureHTTP)
	if err != nil {
		return err
	}
	response := &d.response
	d.UserCode = strings.TrimSpace(response.UserCode)
	if response.DeviceCode == "" || d.UserCode == "" || len(d.UserCode) > maxUserCode || strings.ContainsFunc(d.UserCode, invisible) {
		return errors.New("the response has no valid code")
	}
	if d.VerificationURL, err = base.page(response.VerificationURI); err != nil {
		return err
	}
	d.CompleteURL, _ = base.page(response.VerificationURIComplete)
	d.Expiry = time.Now().Add(maxLogin)
	if !response.Expiry.IsZero() && response.Expiry.Before(d.Expiry) {
		d.Expiry = response.Expiry
	}
	// The library waits in vain until this time, and Await has its own limit.
	response.Expiry = time.Time{}
	if response.Interval <= 0 {
		response.Interval = int64(defaultInterval / time.Second)
	}
	response.Interval = min(max(response.Interval, int64(minInterval/time.Second)), int64(maxInterval/time.Second))
	return nil
}

// page returns the address of a page of the issuer, which is one word of visible ASCII
// characters and so contains no other text.
func (i issuer) page(raw string) (string, error) {
	if err := i.check("address for the code", raw); err != nil {
		return "", err
	}
	u, err := url.Parse(raw)
	if err != nil || len(raw) > maxPage || strings.ContainsFunc(u.Host, invisible) {
		return "", fmt.Errorf("the issuer's address for the code is invalid: %.200q", raw)
	}
	return u.String(), nil
}

// Await waits until the user has approved or denied the login, or the code has expired.
// It continues after a request that did not reach the issuer, with longer waits (RFC
// 8628 §3.5). The error is an *Error, or wraps ctx.Err().
func (c Client) Await(ctx context.Context, d Device) (Grant, error) {
	limited, cancel := context.WithDeadline(ctx, d.Expiry)
	defer cancel()
	settings := config(d.request.ClientID, "", d.provider.TokenURL, d.request.Scopes)
	for {
		token, err := settings.DeviceAccessToken(c.attach(limited), &d.response)
		if err == nil {
			return d.grant(token)
		}
		if ctx.Err() != nil {
			return Grant{}, ctx.Err()
		}
		if limited.Err() != nil {
			return Grant{}, &Error{Issuer: d.provider.Issuer, Code: CodeExpired}
		}
		err = explain(ctx, d.provider.Issuer, err, d.response.DeviceCode)
		if failed := new(Error); !errors.As(err, &failed) || !failed.Temporary() {
			return Grant{}, err
		}
		d.response.Interval = min(2*d.response.Interval, int64(maxInterval/time.Second))
	}
}

func (d Device) grant(token *oauth2.Token) (Grant, error) {
	g, err := Grant{
		Issuer: d.provider.Issuer, TokenURL: d.provider.TokenURL, RevocationURL: d.provider.RevocationURL,
		ClientID: d.request.ClientID, Scope: strings.Join(d.request.Scopes, " "), Audience: d.request.Audience,
	}.with(token)
	if err != nil {
		return Grant{}, &Error{Issuer: d.provider.Issuer, Err: err}
	}
	return g, nil
}
