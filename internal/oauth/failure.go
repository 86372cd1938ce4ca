package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// The codes of errors that this package or its callers distinguish (RFC 6749 §5.2, RFC
// 8628 §3.5).
const (
	CodeAccessDenied  = "access_denied"
	CodeExpired       = "expired_token"
	CodeInvalidGrant  = "invalid_grant"
	CodeInvalidClient = "invalid_client"
	CodeInvalidScope  = "invalid_scope"
	codeUnauthorized  = "unauthorized_client"
)

// maxDescription is the maximum length of an issuer's text in bytes.
const maxDescription = 300

// Error is a failed request to an issuer.
type Error struct {
	Issuer string
	// Code and Description are the error in the response, or empty. They must be cleaned
	// before they are shown on a terminal. Description contains no token.
	Code, Description string
	// Status is the HTTP status, or 0 if there was no response.
	Status int
	// Err is the cause if the response is not the cause.
	Err error
}

// Error returns the cause in words.
func (e *Error) Error() string {
	switch e.Code {
	case CodeAccessDenied:
		return "the login was denied"
	case CodeExpired:
		return "the code has expired"
	}
	text := "the issuer " + e.Issuer
	switch {
	case e.Err != nil:
		return text + ": " + e.Err.Error()
	case e.Code == CodeInvalidGrant:
		text += " no longer accepts this login"
	case e.Code == CodeInvalidClient:
		text += " does not know this client"
	case e.Code == codeUnauthorized:
		text += " does not allow this client to log in with a code"
	case e.Code == CodeInvalidScope:
		text += " does not accept the scope"
	case e.Code != "":
		text += " refused the request: " + e.Code
	default:
		text += strings.TrimRight(fmt.Sprintf(" answered %d %s", e.Status, http.StatusText(e.Status)), " ")
	}
	if e.Description != "" {
		text += ": " + e.Description
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Temporary reports whether a later request may succeed: the issuer was not reached, or
// it is unavailable.
func (e *Error) Temporary() bool {
	return isNetwork(e.Err) || e.Code == "" && (e.Status == http.StatusTooManyRequests || e.Status/100 == 5)
}

// Failure implements failure.Explainer. The request never contains a question, so none
// was sent.
func (e *Error) Failure() failure.Failure {
	f := failure.Failure{Kind: failure.Auth, Status: e.Status}
	switch {
	case isNetwork(e.Err):
		f.Kind, f.Hint = failure.NotSent, api.CauseOf(e.Err).IssuerFix()
	case e.Temporary():
		f.Kind, f.Hint = failure.NotSent, failure.Plain("try again later")
	case e.Code == CodeInvalidClient:
		f.Hint = failure.Plain("check the client id")
	case e.Code == codeUnauthorized:
		f.Hint = failure.Plain("ask the operator of the issuer to allow the device authorization grant for this client")
	case e.Code == CodeInvalidScope:
		f.Hint = failure.Plain("ask the operator of the issuer which scopes this client may use")
	}
	return f
}

// explain returns the error of the library for a request that contained a secret.
func explain(ctx context.Context, issuer string, err error, secret string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if outer := new(url.Error); errors.As(err, &outer) {
		return &Error{Issuer: issuer, Err: outer.Err}
	}
	refusal := new(oauth2.RetrieveError)
	if !errors.As(err, &refusal) {
		// The text of the library may quote the response.
		return &Error{Issuer: issuer, Err: errors.New("the response is not in the format of RFC 6749")}
	}
	e := &Error{Issuer: issuer, Code: excerpt(refusal.ErrorCode, secret), Description: excerpt(refusal.ErrorDescription, secret)}
	if refusal.Response != nil {
		e.Status = refusal.Response.StatusCode
	}
	return e
}

// excerpt returns at most maxDescription bytes of a text as valid UTF-8, without the
// secret.
func excerpt(text, secret string) string {
	if secret != "" {
		text = strings.ReplaceAll(text, secret, "***")
	}
	text = text[:min(len(text), maxDescription)]
	return strings.TrimSpace(strings.ToValidUTF8(text, ""))
}
