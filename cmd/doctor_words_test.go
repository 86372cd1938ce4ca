package cmd

import (
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/api"
)

func TestEveryCauseHasItsFix(t *testing.T) {
	general := networkFix(api.CauseOther)
	seen := map[string]api.Cause{}
	for _, cause := range []api.Cause{
		api.CauseNoHost, api.CauseResolver, api.CauseRefused, api.CauseUnreachable, api.CauseTimeout, api.CauseProxyAddress,
		api.CauseProxyLogin, api.CauseProxy, api.CauseExpired, api.CauseNotYetValid, api.CauseWrongName, api.CauseAuthority,
		api.CauseCertificate, api.CauseNotTLS, api.CauseTLS,
	} {
		fix := networkFix(cause)
		if fix == general || seen[fix] != "" && cause != api.CauseTLS {
			t.Errorf("%s: %q is the fix of %s", cause, fix, seen[fix])
		}
		seen[fix] = cause
	}
}

func TestNamesOfACertificateAreShort(t *testing.T) {
	for names, want := range map[string]string{
		"":                      "another name",
		"a.example":             "a.example",
		"a b c d":               "a, b, c and others",
		strings.Repeat("é", 90): strings.Repeat("é", 80) + "…",
	} {
		if got := certificateNames(strings.Fields(names)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
