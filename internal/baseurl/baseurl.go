// Package baseurl owns the rules for the address of a service: which texts are
// one, the one form that each has, and when two belong to the same service. It
// must not know where an address comes from or what is sent to it. It is a
// shared leaf: it imports nothing of hobnob.
package baseurl

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Prefix is the path below a base URL under which the service has all its
// endpoints (interface, section 9).
const Prefix = "/api/v1"

// hostName is what a name may consist of after IDNA: letters, digits, hyphens,
// dots, and the underscore that names in private networks use.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9._-]*[a-z0-9_.])?$`)

// Error says why a text is not the address of a service. It never repeats a
// password.
type Error struct {
	reason string
	// Suggestion is the address that was perhaps meant, or empty.
	Suggestion string
}

// Error returns the reason, which names the object itself.
func (e *Error) Error() string { return e.reason }

func invalid(format string, args ...any) *Error { return &Error{reason: fmt.Sprintf(format, args...)} }

// Parse reads the address of a service and returns it in one canonical form:
// host in lower case, no default port, no slash and no Prefix at the end; a
// path prefix is kept. It refuses user names, queries and fragments. http is
// accepted for a literal loopback address, for localhost (which a client has to
// dial on the loopback interface only), or when allowInsecureHTTP is set. The
// error is an *Error.
func Parse(raw string, allowInsecureHTTP bool) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" {
		return nil, invalid("the base URL is empty")
	}
	if !strings.Contains(raw, "://") {
		return nil, missingScheme(raw)
	}
	if strings.ContainsAny(raw, "?#") {
		return nil, invalid("the base URL must have no query and no fragment")
	}
	u, err := url.Parse(raw)
	switch {
	// The text of a parse error may hold a part of a password.
	case err != nil && strings.Contains(raw, "@"), err == nil && u.User != nil:
		return nil, invalid("the base URL must have no user name and no password")
	case err != nil:
		return nil, invalid("the base URL cannot be read: want https://host[:port][/path]")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, invalid("the base URL must begin with https://, not %s://", u.Scheme)
	case HasDotSegment(u.Path):
		return nil, invalid("the path of the base URL must have no . and no .. in it")
	}
	host, err := canonicalHost(u)
	if err != nil {
		return nil, invalid("the base URL: %v", err)
	}
	base := &url.URL{Scheme: u.Scheme, Host: host}
	if u.Scheme == "http" && !allowInsecureHTTP && !isLoopback(base.Hostname()) {
		return nil, invalid("the base URL would send the token in clear text to %s: use https://, or set allow_insecure_http", host)
	}
	base.RawPath = trimPrefixPath(u.EscapedPath())
	if base.Path, err = url.PathUnescape(base.RawPath); err != nil {
		return nil, invalid("the path of the base URL cannot be read")
	}
	return base, nil
}

// missingScheme suggests the address with its scheme, when that would be one.
func missingScheme(raw string) error {
	plain := invalid("the base URL has no scheme: want https://host[:port][/path]")
	if strings.HasPrefix(raw, "http:") || strings.HasPrefix(raw, "https:") {
		return plain
	}
	for _, scheme := range []string{"https://", "http://"} {
		u, err := Parse(scheme+raw, scheme == "https://")
		if err == nil && (scheme == "http://" || !isLoopback(u.Hostname())) {
			return &Error{reason: fmt.Sprintf("the base URL has no scheme: did you mean %s?", u), Suggestion: u.String()}
		}
	}
	return plain
}

func trimPrefixPath(path string) string {
	for {
		trimmed := strings.TrimSuffix(strings.TrimRight(path, "/"), Prefix)
		if trimmed == path {
			return path
		}
		path = trimmed
	}
}

// HasDotSegment reports whether a path has a segment that is "." or "..".
func HasDotSegment(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(segment string) bool {
		return segment == "." || segment == ".."
	})
}

// canonicalHost returns host[:port] of u: names in ASCII and lower case, IP
// addresses in their shortest form, the port only where it is not the default
// of the scheme.
func canonicalHost(u *url.URL) (string, error) {
	host := u.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" {
			return "", errors.New("an IPv6 address with a zone is not supported")
		}
		if host = addr.String(); addr.Is6() {
			host = "[" + host + "]"
		}
	} else {
		// An ASCII name goes to the wire as it is (so does net/http): IDNA
		// would refuse the underscore.
		if strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }) {
			if host, err = idna.Lookup.ToASCII(host); err != nil {
				return "", errors.New("the host is not a valid internationalised name")
			}
		}
		if host = strings.ToLower(host); !hostName.MatchString(host) {
			return "", errors.New("the host is missing or is not a valid name")
		}
	}
	if u.Port() == "" {
		return host, nil
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 {
		return "", errors.New("the port is not a number from 1 to 65535")
	}
	if u.Scheme == "https" && port == 443 || u.Scheme == "http" && port == 80 {
		return host, nil
	}
	return host + ":" + strconv.FormatUint(port, 10), nil
}

// isLoopback reports whether a request for host stays on this machine.
func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}

// Origin returns scheme://host[:port] of u in lower case, without the default
// port: two addresses have the same origin (RFC 6454) when the texts are equal.
func Origin(u *url.URL) string {
	scheme := strings.ToLower(u.Scheme)
	host, err := canonicalHost(&url.URL{Scheme: scheme, Host: u.Host})
	if err != nil {
		host = strings.ToLower(u.Host)
	}
	return scheme + "://" + host
}
