package api

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"syscall"
	"time"
)

// Cause is the reason why a service was not reached.
type Cause string

// The causes.
const (
	CauseNoHost       Cause = "no-host"       // the name does not exist
	CauseResolver     Cause = "resolver"      // the name server did not answer, or its answer was invalid
	CauseRefused      Cause = "refused"       // the connection was refused
	CauseUnreachable  Cause = "unreachable"   // there is no route to the address
	CauseTimeout      Cause = "timeout"       // it timed out
	CauseProxyAddress Cause = "proxy-address" // the proxy address in the environment is invalid
	CauseProxyLogin   Cause = "proxy-login"   // the proxy requires a user name and password
	CauseProxy        Cause = "proxy"         // the proxy did not connect
	CauseExpired      Cause = "expired"       // the certificate has expired
	CauseNotYetValid  Cause = "not-yet-valid" // the certificate is not valid yet
	CauseWrongName    Cause = "wrong-name"    // the certificate is for another name
	CauseAuthority    Cause = "authority"     // the certificate comes from an unknown authority
	CauseCertificate  Cause = "certificate"   // the certificate is invalid for another reason
	CauseNotTLS       Cause = "not-tls"       // the server does not speak TLS
	CauseTLS          Cause = "tls"           // the handshake failed for another reason
	CauseOther        Cause = "other"
)

// The error numbers of Windows for a refused connection and two unreachable
// destinations. Package syscall has others, which Windows never returns.
const (
	errWinNetUnreachable  = syscall.Errno(10051)
	errWinConnRefused     = syscall.Errno(10061)
	errWinHostUnreachable = syscall.Errno(10065)
)

// CauseOf returns the cause of an error that occurred before a connection carried the
// request, such as an *Error of kind failure.NotSent or Route.Err.
func CauseOf(err error) Cause {
	var (
		refusal *proxyError
		dns     *net.DNSError
		op      *net.OpError
		late    interface{ Timeout() bool }
	)
	if cause, ok := isReplayed(err); ok {
		return cause
	}
	switch {
	case errors.As(err, &refusal) && refusal.status == http.StatusProxyAuthRequired:
		return CauseProxyLogin
	// The operations that net/http and x/net/proxy report for a failed proxy.
	case refusal != nil, errors.As(err, &op) && (op.Op == "proxyconnect" || op.Op == "socks connect"):
		return CauseProxy
	}
	if cause := tlsCause(err); cause != "" {
		return cause
	}
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return CauseNoHost
	case dns != nil:
		return CauseResolver
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, errWinConnRefused):
		return CauseRefused
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH),
		errors.Is(err, errWinNetUnreachable), errors.Is(err, errWinHostUnreachable):
		return CauseUnreachable
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return CauseTimeout
	}
	return CauseOther
}

// tlsCause returns the cause of a TLS error, or "" for any other error.
func tlsCause(err error) Cause {
	var (
		record       tls.RecordHeaderError
		alert        tls.AlertError
		verification *tls.CertificateVerificationError
		invalid      x509.CertificateInvalidError
		name         x509.HostnameError
		authority    x509.UnknownAuthorityError
	)
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		if invalid.Cert != nil && time.Now().Before(invalid.Cert.NotBefore) {
			return CauseNotYetValid
		}
		return CauseExpired
	case errors.As(err, &name):
		return CauseWrongName
	case errors.As(err, &authority):
		return CauseAuthority
	case errors.As(err, &verification), invalid.Cert != nil:
		return CauseCertificate
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return CauseNotTLS
	case errors.As(err, &alert):
		return CauseTLS
	}
	return ""
}

// worthRetrying reports whether err, which occurred before a connection carried the
// request, may be temporary: an unknown name, a refused connection or a failing proxy.
// An invalid certificate is not, and repeating wrong credentials can lock an account.
func worthRetrying(err error) bool {
	cause := CauseOf(err)
	return cause == CauseNoHost || cause == CauseResolver || cause == CauseRefused || cause == CauseProxy && tlsCause(err) == ""
}
