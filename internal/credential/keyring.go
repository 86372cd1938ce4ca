package credential

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	keyring "github.com/zalando/go-keyring"
)

const (
	// keyringService names our entries; the user of an entry is
	// "<profile> <origin>".
	keyringService = "hobnob"

	// keyringLimit bounds one operation as a whole, its read-back included.
	keyringLimit = 3 * time.Second
)

// ErrNotFound is what a Keyring returns for an entry that it does not have.
var ErrNotFound = keyring.ErrNotFound

// Keyring is the part of go-keyring that is used here, in its shape.
type Keyring interface {
	Get(service, user string) (string, error)
	Set(service, user, secret string) error
	Delete(service, user string) error
}

// Reason says why the keyring failed.
type Reason string

// The reasons of a KeyringError.
const (
	ReasonAbsent    Reason = "absent"    // no session bus, no service on it, no collection in it
	ReasonLocked    Reason = "locked"    // and nobody unlocked it
	ReasonDismissed Reason = "dismissed" // its prompt was cancelled
	ReasonTimeout   Reason = "timeout"   // no answer in time; perhaps its prompt is still open
	ReasonDenied    Reason = "denied"    // it refuses us
	ReasonNotKept   Reason = "not-kept"  // it reported success, and a look at the entry shows that nothing was done
	ReasonTooLong   Reason = "too-long"  // the token is longer than this keyring allows
	ReasonOther     Reason = "other"
)

// KeyringError says that the keyring could not be used. It wraps nothing and
// quotes no text from the keyring, which could repeat the token.
type KeyringError struct {
	Op     string // "read", "store" or "delete"
	Reason Reason
	Detail string // name of a D-Bus error, exit status or number of an error; may be empty
}

// Error says which operation failed and why.
func (e *KeyringError) Error() string {
	text := e.Op + " the token: "
	switch e.Reason {
	case ReasonAbsent:
		text += "no keyring is reachable"
	case ReasonLocked:
		text += "the keyring is locked"
	case ReasonDismissed:
		text += "the keyring's prompt was dismissed"
	case ReasonTimeout:
		text += fmt.Sprintf("the keyring gave no answer within %v", keyringLimit)
	case ReasonDenied:
		text += "the keyring refuses access"
	case ReasonNotKept:
		text += "the keyring reported success and did nothing; perhaps its prompt was dismissed"
	case ReasonTooLong:
		text += "it is longer than this keyring allows"
	default:
		text += "the keyring failed"
	}
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	return text
}

func isAbsent(err error) bool {
	var failed *KeyringError
	return errors.As(err, &failed) && failed.Reason == ReasonAbsent
}

func (r Resolver) keyring() Keyring {
	if r.Keyring != nil {
		return r.Keyring
	}
	return systemKeyring{}
}

func (r Resolver) keyringLimit() time.Duration { return cmp.Or(r.limit, keyringLimit) }

func (r Resolver) fromKeyring(ctx context.Context, key Key) (Token, error) {
	user, err := key.user()
	if err != nil {
		return Token{}, err
	}
	secret, err := bounded(ctx, r.keyringLimit(), "read", func() (string, error) {
		return r.keyring().Get(keyringService, user)
	})
	if err != nil {
		return Token{}, err
	}
	return newToken(secret, SourceKeyring)
}

func (r Resolver) setKeyring(ctx context.Context, user, token string) error {
	_, err := bounded(ctx, r.keyringLimit(), "store", func() (struct{}, error) {
		if err := r.keyring().Set(keyringService, user, token); err != nil {
			return struct{}{}, err
		}
		// go-keyring reports success for a dismissed prompt.
		kept, err := r.keyring().Get(keyringService, user)
		if errors.Is(err, ErrNotFound) || err == nil && kept != token {
			err = errNotKept
		}
		return struct{}{}, err
	})
	return err
}

// deleteFromKeyring reports whether there was an entry.
func (r Resolver) deleteFromKeyring(ctx context.Context, user string) (bool, error) {
	_, err := bounded(ctx, r.keyringLimit(), "delete", func() (struct{}, error) {
		if err := r.keyring().Delete(keyringService, user); err != nil {
			return struct{}{}, err
		}
		_, err := r.keyring().Get(keyringService, user)
		switch {
		case errors.Is(err, ErrNotFound):
			err = nil
		case err == nil:
			err = errNotKept
		}
		return struct{}{}, err
	})
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

var (
	errNotKept = errors.New("the keyring did not do what it reported")
	errPanic   = errors.New("panic in the keyring library")
)

// bounded runs call for at most limit and as long as ctx lives. Its error
// is ErrNotFound, a *KeyringError, or one that wraps ctx.Err().
//
// go-keyring has no timeout and takes no context, so call runs in a goroutine
// that is abandoned when the time is up: it stays until the keyring answers or
// the process ends, and a write in it may still come to pass. It panics when the
// bus goes away during a prompt, which becomes an error here.
func bounded[T any](ctx context.Context, limit time.Duration, op string, call func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	var none T
	if err := ctx.Err(); err != nil {
		return none, fmt.Errorf("%s the token: %w", op, err)
	}
	done := make(chan result, 1)
	go func() {
		res := result{err: errPanic}
		defer func() {
			_ = recover()
			done <- res
		}()
		res.value, res.err = call()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case res := <-done:
		if res.err == nil {
			return res.value, nil
		}
		if errors.Is(res.err, ErrNotFound) {
			return none, ErrNotFound
		}
		reason, detail := explain(res.err)
		return none, &KeyringError{op, reason, detail}
	case <-timer.C:
		return none, &KeyringError{Op: op, Reason: ReasonTimeout}
	case <-ctx.Done():
		return none, fmt.Errorf("%s the token: %w", op, ctx.Err())
	}
}

// explain classifies an error of the keyring. The detail is made of names and
// numbers alone, never of text that the keyring chose.
func explain(err error) (reason Reason, detail string) {
	switch {
	case errors.Is(err, errNotKept):
		return ReasonNotKept, ""
	case errors.Is(err, errPanic):
		return ReasonOther, errPanic.Error()
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return ReasonTooLong, ""
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		return ReasonAbsent, ""
	}
	return explainSystem(err)
}

// systemKeyring is go-keyring, entered only where that is safe.
type systemKeyring struct{}

func (systemKeyring) Get(service, user string) (string, error) {
	if err := prepareSystem(); err != nil {
		return "", err
	}
	return keyring.Get(service, user)
}

func (systemKeyring) Set(service, user, secret string) error {
	if err := prepareSystem(); err != nil {
		return err
	}
	return keyring.Set(service, user, secret)
}

func (systemKeyring) Delete(service, user string) error {
	if err := prepareSystem(); err != nil {
		return err
	}
	return keyring.Delete(service, user)
}
