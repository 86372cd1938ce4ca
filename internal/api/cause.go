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

// Cause says why a service was not reached, as far as it is known.
type Cause string

// The causes.
const (
	CauseNoHost       Cause = "no-host"       // the name has no address
	CauseResolver     Cause = "resolver"      // the name server did not answer, or not with sense
	CauseRefused      Cause = "refused"       // nothing listens there
	CauseUnreachable  Cause = "unreachable"   // there is no way to the address
	CauseTimeout      Cause = "timeout"       // nothing came back in time
	CauseProxyAddress Cause = "proxy-address" // the environment names a proxy that is no address
	CauseProxyLogin   Cause = "proxy-login"   // the proxy wants a user name and a password
	CauseProxy        Cause = "proxy"         // the proxy did not connect
	CauseExpired      Cause = "expired"       // the certificate has expired
	CauseNotYetValid  Cause = "not-yet-valid" // the certificate is not valid yet
	CauseWrongName    Cause = "wrong-name"    // the certificate is for another name
	CauseAuthority    Cause = "authority"     // the certificate comes from an unknown authority
	CauseCertificate  Cause = "certificate"   // the certificate has another fault
	CauseNotTLS       Cause = "not-tls"       // what listens there speaks no TLS
	CauseTLS          Cause = "tls"           // no TLS version or cipher in common, or the like
	CauseOther        Cause = "other"
)

// The numbers of Windows for a refused connection and two unreachable goals:
// package syscall has others, which the system never reports.
const (
	errWinNetUnreachable  = syscall.Errno(10051)
	errWinConnRefused     = syscall.Errno(10061)
	errWinHostUnreachable = syscall.Errno(10065)
)

// CauseOf finds the cause of an error that came before a connection carried a
// request, such as an *Error of failure.NotSent or Route.Err.
func CauseOf(err error) Cause {
	var (
		refusal *proxyError
		dns     *net.DNSError
		op      *net.OpError
		late    interface{ Timeout() bool }
	)
	switch {
	case errors.As(err, &refusal) && refusal.status == http.StatusProxyAuthRequired:
		return CauseProxyLogin
	// The names that net/http and x/net/proxy give to a failed proxy.
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

// tlsCause returns "" for an error that is not about TLS.
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

// worthRetrying reports whether err, which came before any connection carried
// the request, may pass by itself: a name that was not found, a refused
// connection, a proxy that did not connect. A bad certificate does not pass, and
// repeating wrong credentials can lock an account.
func worthRetrying(err error) bool {
	cause := CauseOf(err)
	return cause == CauseNoHost || cause == CauseResolver || cause == CauseRefused || cause == CauseProxy && tlsCause(err) == ""
}
