package attach

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
)

// addressError means that a URL leads to an address that is not public.
type addressError struct{ address string }

func (e *addressError) Error() string { return "the address " + e.address + " is not public" }

// notPublic are addresses for special purposes (RFC 6890) that package netip does not
// know: shared by carriers, for protocols, for benchmarks, reserved, and those of IPv6
// that contain addresses of IPv4.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2002::/16"),
}

// globalUnicast has all public addresses of IPv6 (RFC 4291); NAT64 is outside of it.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// checkAddress returns an error if an address is not public.
func checkAddress(ip netip.Addr) error {
	ip = ip.Unmap().WithZone("")
	bad := !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Is6() && !globalUnicast.Contains(ip)
	for _, prefix := range notPublic {
		bad = bad || prefix.Contains(ip)
	}
	if bad {
		return &addressError{ip.String()}
	}
	return nil
}

// checkHost returns an error if the host of a URL is certainly not public: a proxy
// resolves names itself. A host that ends in a number is an address (WHATWG URL), which
// some resolvers read in other bases.
func checkHost(host string) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		return checkAddress(ip)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "localhost" || last == "" || last[0] >= '0' && last[0] <= '9' {
		return &addressError{fmt.Sprintf("%q", host)}
	}
	return nil
}

// checkDial is net.Dialer.Control: it checks the address that is connected to, after its
// name was resolved.
func checkDial(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return err
	}
	return checkAddress(ip)
}
