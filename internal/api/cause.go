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
	CauseExpired      Cause = "expired"       // the certificate has ended
	CauseNotYetValid  Cause = "not-yet-valid" // the certificate has not begun
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
		record  tls.RecordHeaderError
		alert   tls.AlertError
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
	if cause := certificateCause(err); cause != "" {
		return cause
	}
	isAny := func(targets ...error) bool {
		for _, target := range targets {
			if errors.Is(err, target) {
				return true
			}
		}
		return false
	}
	switch {
	case errors.As(err, &record), isAny(http.ErrSchemeMismatch):
		return CauseNotTLS
	case errors.As(err, &alert):
		return CauseTLS
	case errors.As(err, &dns) && dns.IsNotFound:
		return CauseNoHost
	case dns != nil:
		return CauseResolver
	case isAny(syscall.ECONNREFUSED, errWinConnRefused):
		return CauseRefused
	case isAny(syscall.ENETUNREACH, syscall.EHOSTUNREACH, errWinNetUnreachable, errWinHostUnreachable):
		return CauseUnreachable
	case isAny(context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return CauseTimeout
	}
	return CauseOther
}

// certificateCause returns "" for an error that is about no certificate.
func certificateCause(err error) Cause {
	var (
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
	}
	return ""
}
