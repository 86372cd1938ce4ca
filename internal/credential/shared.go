package credential

import (
	"context"
	"sync/atomic"
	"time"
)

// sharedFor is the time for which requests use the same token. It is short, because a
// token_command may print a new token when the old one expires.
const sharedFor = 10 * time.Second

// Shared returns a function that is like get, for many requests at the same time. A
// keyring or a password manager is asked, and perhaps asks the user, once for all of
// them. Requests that wait for get share its error, too; a later one calls it again, and
// so does the first one after drop, which is for a token that the service has refused.
func Shared(get func(context.Context) (Token, error)) (shared func(context.Context) (Token, error), drop func()) {
	var token Token
	var err error
	var got time.Time
	var refused atomic.Bool
	free := make(chan struct{}, 1)
	return func(ctx context.Context) (Token, error) {
		asked := time.Now()
		select {
		case free <- struct{}{}:
			defer func() { <-free }()
		case <-ctx.Done():
			return Token{}, ctx.Err()
		}
		fresh := err == nil && time.Since(got) < sharedFor || got.After(asked)
		if !refused.Swap(false) && fresh {
			return token, err
		}
		if token, err = get(ctx); err != nil && ctx.Err() != nil {
			got = time.Time{} // an interrupted call is no result for the others
		} else {
			got = time.Now()
		}
		return token, err
	}, func() { refused.Store(true) }
}
