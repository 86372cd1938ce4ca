// Package baseurl validates and normalizes the address of a service, and compares
// origins.
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

// hostName matches a host name after IDNA: letters, digits, hyphens, dots, and the
// underscore that names in private networks use.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9._-]*[a-z0-9_.])?$`)

// Error is the reason why a text is not a valid base URL. It never contains a
// password.
type Error struct {
	reason string
	// Suggestion is the address that was probably meant, or empty.
	Suggestion string
	// insecure is the address where only its http:// is refused, or empty.
	insecure string
}

// Error returns the reason; it names the base URL.
func (e *Error) Error() string { return e.reason }

func invalid(format string, args ...any) *Error { return &Error{reason: fmt.Sprintf(format, args...)} }

// Parse returns the canonical form of a base URL: host in lower case, no default
// port, no trailing slash and no Prefix at the end. Any other path prefix stays. It
// refuses user names, queries and fragments. It accepts http only for a literal
// loopback address, for localhost (which a client must dial on the loopback
// interface only), or with allowInsecureHTTP. The error is an *Error.
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
	// The text of a parse error may contain part of a password.
	case err != nil && strings.Contains(raw, "@"), err == nil && u.User != nil:
		return nil, invalid("the base URL must have no user name and no password")
	case err != nil:
		return nil, invalid("the base URL is invalid: must be https://host[:port][/path]")
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
	base.RawPath = trimPrefixPath(u.EscapedPath())
	if base.Path, err = url.PathUnescape(base.RawPath); err != nil {
		return nil, invalid("the path of the base URL is invalid")
	}
	if u.Scheme == "http" && !allowInsecureHTTP && !IsLoopback(base.Hostname()) {
		return nil, &Error{reason: "the base URL would send the token in clear text to " + host + ": use https://, or set allow_insecure_http", insecure: base.String()}
	}
	return base, nil
}

// missingScheme suggests the address with a scheme if that makes it valid.
func missingScheme(raw string) error {
	plain := invalid("the base URL has no scheme: must be https://host[:port][/path]")
	if strings.HasPrefix(raw, "http:") || strings.HasPrefix(raw, "https:") {
		return plain
	}
	for _, scheme := range []string{"https://", "http://"} {
		u, err := Parse(scheme+raw, scheme == "https://")
		if err == nil && (scheme == "http://" || !IsLoopback(u.Hostname())) {
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
// addresses in their shortest form, the port unless it is the scheme's default.
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
		// ASCII names are sent unchanged, as in net/http: IDNA would refuse
		// the underscore.
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

// IsLoopback reports whether a request for host stays on this machine.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.Unmap().IsLoopback()
}

// Origin returns scheme://host[:port] of u in lower case, without the default
// port. Two addresses have the same origin (RFC 6454) if the results are equal.
func Origin(u *url.URL) string {
	scheme := strings.ToLower(u.Scheme)
	host, err := canonicalHost(&url.URL{Scheme: scheme, Host: u.Host})
	if err != nil {
		host = strings.ToLower(u.Host)
	}
	return scheme + "://" + host
}
