package credential

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/oauth"
)

const (
	// renewalLimit is the time limit for the request that renews a login, and shortLimit
	// that while its token is still valid.
	renewalLimit = 20 * time.Second
	shortLimit   = 5 * time.Second
	// renewalGrace is the time for which an interrupted renewal continues. The issuer may
	// already have replaced the refresh token, which would be lost.
	renewalGrace = 3 * time.Second
	// lockLimit is the time limit for waiting while other processes renew the same login.
	lockLimit = 45 * time.Second
	lockPoll  = 20 * time.Millisecond
)

// renewal renews the login under a key.
type renewal struct {
	Resolver
	key Key
}

// ifDue returns the token of a login, and renews the login if the token expires soon.
// While the token is valid, a failure to renew it has no effect.
func (r renewal) ifDue(ctx context.Context, token Token) (Token, error) {
	if token.grant() == nil || !token.grant().IsDue(time.Now()) {
		return token, nil
	}
	valid := !token.grant().Expired(time.Now())
	if valid && !token.Renewable() {
		return token, nil
	}
	fresh, err := r.now(ctx, token)
	if err != nil && valid && ctx.Err() == nil && !errors.Is(err, ErrNotStored) {
		return token, nil
	}
	return fresh, err
}

// now renews the login of a token that has expired or was refused, and stores the
// result before it returns it. Processes with the same login do this one after the
// other, so one renews it and the others use the result. The error is an *ExpiredError,
// a *RenewalError, an error of Token, or wraps ctx.Err().
func (r renewal) now(ctx context.Context, old Token) (Token, error) {
	insecure := old.source == SourceFile
	again := LoginCommand(*old.grant(), insecure)
	failed := func(err error) (Token, error) {
		if ctx.Err() != nil {
			return Token{}, ctx.Err()
		}
		return Token{}, &RenewalError{again, err}
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return failed(err)
	}
	defer unlock()
	token, err := r.lookup(ctx, r.key)
	if err != nil || token.grant() == nil || token.Reveal() != old.Reveal() && !token.grant().IsDue(time.Now()) {
		return token, err
	}
	if !token.Renewable() {
		return Token{}, &ExpiredError{issuer: token.Issuer(), again: again}
	}
	limit := renewalLimit
	if !token.grant().Expired(time.Now()) {
		limit = shortLimit
	}
	sending, stop := outlast(ctx, limit)
	defer stop()
	grant, err := r.Refresh(sending, *token.grant())
	if refused := new(oauth.Error); errors.As(err, &refused) && refused.Code == oauth.CodeInvalidGrant {
		// A process with another state directory does not use the same lock.
		now, lookupErr := r.lookup(ctx, r.key)
		if lookupErr == nil && now.Reveal() != token.Reveal() {
			return now, nil
		}
		return Token{}, &ExpiredError{token.Issuer(), again, err}
	}
	if err != nil {
		return failed(err)
	}
	fresh, err := loginToken(grant, token.source)
	if err != nil {
		return failed(err)
	}
	storing, stop := outlast(ctx, lockLimit)
	defer stop()
	var leftover *LeftoverError // an older token elsewhere, which is not used
	if _, err := r.store(storing, r.key, fresh, insecure); err != nil && !errors.As(err, &leftover) {
		return Token{}, &RenewalError{again, fmt.Errorf("%w: %w", ErrNotStored, err)}
	}
	return fresh, nil
}

// outlast returns a context that ends after limit, and renewalGrace after ctx.
func outlast(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(renewalGrace, cancel) })
	return longer, func() {
		stop()
		cancel()
	}
}

// lookup returns the stored token as it is.
func (r Resolver) lookup(ctx context.Context, key Key) (Token, error) {
	token, err := r.fromKeyring(ctx, key)
	return r.stored(key, token, err)
}

// lock waits for the lock of the login. The lock is a file that is never
// removed. Without LockDir there is none.
func (r renewal) lock(ctx context.Context) (unlock func(), err error) {
	if r.LockDir == "" {
		return func() {}, nil
	}
	user, err := r.key.user()
	if err != nil {
		return nil, err
	}
	if err := atomicfile.MakeDir(r.LockDir); err != nil {
		return nil, fmt.Errorf("cannot lock it: %w", failure.Reason(err))
	}
	sum := sha256.Sum256([]byte(user))
	lock := flock.New(filepath.Join(r.LockDir, "login-"+hex.EncodeToString(sum[:8])+".lock"), flock.SetPermissions(0o600))
	limited, cancel := context.WithTimeout(ctx, lockLimit)
	defer cancel()
	_, err = lock.TryLockContext(limited, lockPoll)
	switch {
	case err == nil:
		return func() { _ = lock.Unlock() }, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, failure.New(failure.NotSent, failure.Plain("retry"), "another hobnob has been renewing it for "+lockLimit.String())
	}
	return nil, fmt.Errorf("cannot lock it: %w", failure.Reason(err))
}

// StoreLogin is like Store, for what an issuer has granted.
func (r Resolver) StoreLogin(ctx context.Context, key Key, grant oauth.Grant, insecure bool) (Source, error) {
	token, err := loginToken(grant, SourceKeyring)
	if err != nil {
		return "", err
	}
	unlock, err := renewal{r, key}.lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	return r.store(ctx, key, token, insecure)
}

// Logout is like Delete, and returns the login that was stored, if it was one. The
// caller should revoke it at the issuer.
func (r Resolver) Logout(ctx context.Context, key Key) (from []Source, login *oauth.Grant, err error) {
	token, err := r.lookup(ctx, key)
	if err == nil && token.grant() != nil {
		unlock, err := renewal{r, key}.lock(ctx) // a renewal would store it again
		if err != nil {
			return nil, nil, err
		}
		defer unlock()
		if token, err = r.lookup(ctx, key); err == nil {
			login = token.grant()
		}
	}
	from, err = r.Delete(ctx, key)
	return from, login, err
}
