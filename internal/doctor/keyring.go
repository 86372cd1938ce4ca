package doctor

import (
	"context"
	"errors"

	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
)

// checkKeyring checks the keyring, even if it does not have the token, and searches
// for the token. A keyring that does not work is a problem only if the token would
// have to come from it.
func checkKeyring(ctx context.Context, e *examination) Finding {
	if e.offline() != "" {
		// The key is arbitrary; its entry need not exist.
		status := credential.Resolver{}.Probe(ctx, credential.Key{Profile: config.Default, Origin: "https://example.com"})
		return e.keyring(status.Keyring, false)
	}
	resolver, key, err := e.f.Tokens(*e.profile)
	if err != nil {
		e.check = "token"
		return e.problemOf(err)
	}
	defer e.f.Print.Wait("looking for the token")()
	status := resolver.Probe(ctx, key)
	needed := errors.Is(status.Err, status.Keyring)
	status.Err = resolver.Explain(status.Err, key)
	e.token = &status
	return e.keyring(status.Keyring, needed)
}

func (e *examination) keyring(err error, needed bool) Finding {
	switch {
	case err == nil:
		return e.passed("works")
	case needed:
		return e.problemOf(err)
	}
	var failed *credential.KeyringError
	if errors.As(err, &failed) {
		return e.passed("not needed; %s", failed.Cause())
	}
	return e.passed("not needed; %v", err)
}
