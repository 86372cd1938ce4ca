package api

import (
	"testing"
)

func TestEveryCauseHasFix(t *testing.T) {
	general := CauseOther.Fix().String()
	seen := map[string]Cause{}
	for _, cause := range []Cause{
		CauseNoHost, CauseResolver, CauseRefused, CauseUnreachable, CauseTimeout, CauseProxyAddress,
		CauseProxyLogin, CauseProxy, CauseExpired, CauseNotYetValid, CauseWrongName, CauseAuthority,
		CauseCertificate, CauseNotTLS, CauseTLS,
	} {
		fix := cause.Fix().String()
		if fix == general || seen[fix] != "" && cause != CauseTLS {
			t.Errorf("%s: %q is the fix of %s", cause, fix, seen[fix])
		}
		seen[fix] = cause
	}
}
