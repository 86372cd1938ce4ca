package doctor

import (
	"context"
	"errors"

	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
)

// checkKeyring asks the keyring, whether or not the token comes from it, and
// looks for the token.
func checkKeyring(ctx context.Context, e *Examination) []Finding {
	if e.profile.Embedded() {
		// Any entry will do: it need not exist.
		status := credential.Resolver{}.Probe(ctx, credential.Key{Profile: config.Default, Origin: "https://example.com"})
		return []Finding{describeKeyring(status.Keyring, false)}
	}
	resolver, key, err := e.Tokens(*e.profile)
	if err != nil {
		return []Finding{problemOf("token", err)}
	}
	defer e.Wait("looking for the token")()
	status := resolver.Probe(ctx, key)
	found := describeKeyring(status.Keyring, errors.Is(status.Err, status.Keyring))
	status.Err = resolver.Explain(status.Err, key)
	e.token = &status
	return []Finding{found}
}

// describeKeyring calls a keyring that does not work a problem only where the
// token would have to come from it.
func describeKeyring(err error, needed bool) Finding {
	const check = "keyring"
	switch {
	case err == nil:
		return passed(check, "works")
	case needed:
		return problemOf(check, err)
	}
	return passed(check, "not needed here, and it does not work: %v", err)
}
