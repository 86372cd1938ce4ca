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

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/oauth"
)

const (
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
// While the token is valid, it is used if another process renews the login, and if it
// cannot be renewed.
func (r renewal) ifDue(ctx context.Context, token Token) (Token, error) {
	switch grant, now := token.grant(), time.Now(); {
	case grant == nil || !grant.IsDue(now):
		return token, nil
	case grant.Expired(now):
		return r.now(ctx, token)
	case !token.Renewable():
		return token, nil
	}
	unlock, err := r.lock(ctx, false)
	if err != nil {
		return token, ctx.Err()
	}
	defer unlock()
	fresh, err := r.locked(ctx, token)
	if err != nil && ctx.Err() == nil && !errors.Is(err, ErrNotStored) {
		return token, nil
	}
	return fresh, err
}

// now renews the login of a token that has expired or was refused. Processes with the
// same login do this one after the other, so one renews it and the others use the
// result. The error is an *ExpiredError, a *RenewalError, an error of Token, or wraps
// ctx.Err().
func (r renewal) now(ctx context.Context, old Token) (Token, error) {
	unlock, err := r.lock(ctx, true)
	if err != nil {
		return r.failed(ctx, old, err)
	}
	defer unlock()
	return r.locked(ctx, old)
}

// locked renews the login, unless another process has renewed it since old was read, and
// stores the result before it returns it. No time limit but that of the request may
// discard a response, because it has the only valid refresh token.
func (r renewal) locked(ctx context.Context, old Token) (Token, error) {
	token, err := r.lookup(ctx, r.key)
	if err != nil || token.grant() == nil || token.Reveal() != old.Reveal() && !token.grant().IsDue(time.Now()) {
		return token, err
	}
	if !token.Renewable() {
		return Token{}, &ExpiredError{issuer: token.Issuer(), again: token.loginAgain()}
	}
	longer, stop := outlast(ctx)
	defer stop()
	grant, err := r.Refresh(longer, *token.grant())
	if refused := new(oauth.Error); errors.As(err, &refused) && refused.Code == oauth.CodeInvalidGrant {
		// A process with another state directory does not use the same lock.
		now, lookupErr := r.lookup(ctx, r.key)
		if lookupErr == nil && now.Reveal() != token.Reveal() {
			return now, nil
		}
		return Token{}, &ExpiredError{token.Issuer(), token.loginAgain(), err}
	}
	if err != nil {
		return r.failed(ctx, token, err)
	}
	fresh, err := loginToken(grant, token.source)
	if err != nil {
		return r.failed(ctx, token, err)
	}
	var leftover *LeftoverError // an older token elsewhere, which is not used
	if _, err := r.store(longer, r.key, fresh, token.source == SourceFile); err != nil && !errors.As(err, &leftover) {
		return Token{}, &RenewalError{token.loginAgain(), fmt.Errorf("%w: %w", ErrNotStored, err)}
	}
	return fresh, nil
}

func (r renewal) failed(ctx context.Context, token Token, err error) (Token, error) {
	if ctx.Err() != nil {
		return Token{}, ctx.Err()
	}
	return Token{}, &RenewalError{token.loginAgain(), err}
}

// outlast returns a context that ends renewalGrace after ctx.
func outlast(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
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

// lock takes the lock of the login, a file that is never removed. With wait, it waits
// while other processes have it.
func (r renewal) lock(ctx context.Context, wait bool) (unlock func(), err error) {
	user, err := r.key.user()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(user))
	path := filepath.Join(r.LockDir, "login-"+hex.EncodeToString(sum[:8])+".lock")
	lock := flock.New(path, flock.SetPermissions(0o600))
	err = atomicfile.MakeDir(r.LockDir)
	locked := false
	if err == nil {
		locked, err = lock.TryLock()
	}
	if err != nil {
		hint := failure.Plain(access.Fix(r.LockDir, access.KeepFiles))
		return nil, failure.New(failure.Other, hint, fmt.Sprintf("cannot lock %s: %v", path, failure.Reason(err)))
	}
	if !locked && wait {
		limited, cancel := context.WithTimeout(ctx, lockLimit)
		defer cancel()
		locked, _ = lock.TryLockContext(limited, lockPoll)
	}
	switch {
	case locked:
		return func() { _ = lock.Unlock() }, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, failure.New(failure.NotSent, failure.Plain("retry"), "another hobnob is renewing it")
}

// StoreLogin is like Store, for what an issuer has granted.
func (r Resolver) StoreLogin(ctx context.Context, key Key, grant oauth.Grant, insecure bool) (Source, error) {
	token, err := loginToken(grant, SourceKeyring)
	if err != nil {
		return "", err
	}
	unlock, err := renewal{r, key}.lock(ctx, true)
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
		unlock, err := renewal{r, key}.lock(ctx, true) // a renewal would store it again
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
