package api

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"
)

func TestNetworkErrorsAreInWords(t *testing.T) {
	socket := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 50216}
	op := func(name string, err error) error {
		return &net.OpError{Op: name, Net: "tcp", Source: socket, Addr: socket, Err: err}
	}
	untrusted := func(err error) error { return &tls.CertificateVerificationError{Err: err} }
	old := &x509.Certificate{NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour)}
	early := &x509.Certificate{NotBefore: time.Now().Add(time.Hour), NotAfter: time.Now().Add(2 * time.Hour)}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{op("read", os.NewSyscallError("read", syscall.ECONNRESET)), "connection reset by the service"},
		{op("write", os.NewSyscallError("write", syscall.EPIPE)), "connection reset by the service"},
		{op("read", os.NewSyscallError("wsarecv", errWinConnReset)), "connection reset by the service"},
		{op("dial", os.NewSyscallError("connect", syscall.ECONNREFUSED)), "connection refused"},
		{op("dial", os.NewSyscallError("connect", syscall.EHOSTUNREACH)), "no route to the address"},
		{op("dial", os.NewSyscallError("connect", syscall.ETIMEDOUT)), "timed out"},
		{op("read", os.ErrDeadlineExceeded), "timed out"},
		{op("dial", &net.DNSError{Err: "no such host", Name: "nowhere.invalid", Server: "10.0.0.1:53", IsNotFound: true}), "unknown host: nowhere.invalid"},
		{op("dial", &net.DNSError{Err: "server misbehaving", Name: "x.test", Server: "10.0.0.1:53"}), "the name server does not answer"},
		{op("proxyconnect", op("dial", os.NewSyscallError("connect", syscall.ECONNREFUSED))), "no connection to the proxy: connection refused"},
		{op("dial", os.NewSyscallError("connect", syscall.EACCES)), "permission denied"},
		{&proxyError{"proxy:3128", 403}, "the proxy proxy:3128 refused to connect: 403 Forbidden"},
		{io.EOF, "connection closed by the service"},
		{fmt.Errorf("x: %w", io.ErrUnexpectedEOF), "connection closed by the service"},
		{untrusted(x509.UnknownAuthorityError{}), "the certificate comes from an unknown authority"},
		{untrusted(x509.CertificateInvalidError{Cert: old, Reason: x509.Expired}), "the certificate has expired"},
		{untrusted(x509.CertificateInvalidError{Cert: early, Reason: x509.Expired}), "the certificate is not valid yet"},
		{untrusted(x509.HostnameError{Certificate: old, Host: "chat.test"}), "the certificate is not valid for chat.test"},
		{untrusted(errors.New("x509: strange")), "the certificate is invalid: strange"},
		{tls.RecordHeaderError{Msg: "first record"}, "the server does not speak TLS on this port"},
		{http.ErrSchemeMismatch, "the server does not speak TLS on this port"},
		{op("remote error", tls.AlertError(40)), "the TLS handshake failed: handshake failure"},
		{errors.New(`net/http: HTTP/1.x transport connection broken: malformed HTTP response "SSH"`), `malformed HTTP response "SSH"`},
		{fmt.Errorf("cannot open service.db: %w", os.ErrPermission), "cannot open service.db: permission denied"},
	} {
		got := InWords(tt.err)
		if got.Error() != tt.want || !errors.Is(got, tt.err) {
			t.Errorf("%v is %q, want %q", tt.err, got, tt.want)
		}
		if again := InWords(fmt.Errorf("%w", got)); again.Error() != tt.want {
			t.Errorf("%v twice is %q", tt.err, again)
		}
		if CauseOf(got) != CauseOf(tt.err) {
			t.Errorf("%v has another cause in words", tt.err)
		}
	}
}
