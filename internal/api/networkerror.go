package api

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
)

// networkError is a network error in plain words, without Go's function names and
// socket addresses.
type networkError struct {
	text string
	err  error
}

func (e *networkError) Error() string { return e.text }
func (e *networkError) Unwrap() error { return e.err }

// InWords returns an error of a request in plain words. It wraps err.
func InWords(err error) error { return &networkError{describe(err), err} }

// The error numbers of Windows for two kinds of closed connections. Package syscall has
// others, which Windows never returns.
const (
	errWinConnAborted = syscall.Errno(10053)
	errWinConnReset   = syscall.Errno(10054)
)

// describe returns why a request failed.
func describe(err error) string {
	var (
		plain   *networkError
		refusal *proxyError
		dns     *net.DNSError
		op      *net.OpError
		name    x509.HostnameError
	)
	if errors.As(err, &plain) {
		return plain.text
	}
	switch cause := CauseOf(err); cause {
	case CauseProxyLogin, CauseProxy:
		if errors.As(err, &refusal) {
			return refusal.Error()
		}
		errors.As(err, &op)
		return "no connection to the proxy: " + describe(op.Err)
	case CauseNoHost:
		errors.As(err, &dns)
		return strings.TrimSuffix("unknown host: "+dns.Name, ": ")
	case CauseResolver:
		return "the name server does not answer"
	case CauseRefused:
		return "connection refused"
	case CauseUnreachable:
		return "no route to the address"
	case CauseTimeout:
		var limit *limitError
		if errors.As(err, &limit) {
			return limit.Error()
		}
		return "timed out"
	case CauseExpired:
		return "the certificate has expired"
	case CauseNotYetValid:
		return "the certificate is not valid yet"
	case CauseWrongName:
		errors.As(err, &name)
		return "the certificate is not valid for " + name.Host
	case CauseAuthority:
		return "the certificate comes from an unknown authority"
	case CauseCertificate:
		return "the certificate is invalid: " + innermost(err)
	case CauseNotTLS:
		return "the server does not speak TLS on this port"
	case CauseTLS:
		return "the TLS handshake failed: " + innermost(err)
	}
	switch {
	case isReset(err):
		return "connection reset by the service"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "connection closed by the service"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	if op = nil; errors.As(err, &op) {
		return innermost(op)
	}
	return withoutPackages(err.Error()) // possibly of a transport other than the network
}

func isReset(err error) bool {
	for _, reset := range []error{syscall.ECONNRESET, syscall.EPIPE, syscall.ECONNABORTED, errWinConnReset, errWinConnAborted} {
		if errors.Is(err, reset) {
			return true
		}
	}
	return false
}

// innermost returns the text of the innermost wrapped error.
func innermost(err error) string {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return fmt.Sprintf("%.200s", withoutPackages(err.Error()))
}

// withoutPackages removes the names of Go packages at the start of a text.
func withoutPackages(text string) string {
	for _, prefix := range []string{"net/http: ", "HTTP/1.x transport connection broken: ", "http2: ", "http: ", "tls: ", "x509: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}
