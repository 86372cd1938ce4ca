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

// Reason says why the keyring failed, as the text of an error.
type Reason string

// The reasons of a KeyringError.
const (
	ReasonAbsent    Reason = "no keyring is reachable" // no session bus, no service on it, no collection in it
	ReasonLocked    Reason = "the keyring is locked"   // and was not unlocked
	ReasonDismissed Reason = "the keyring's prompt was dismissed"
	ReasonTimeout   Reason = "the keyring gave no answer" // perhaps its prompt is still open
	ReasonDenied    Reason = "the keyring refuses access"
	ReasonNotKept   Reason = "the keyring reported success and did nothing; perhaps its prompt was dismissed"
	ReasonTooLong   Reason = "it is longer than this keyring allows"
	ReasonOther     Reason = "the keyring failed"
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
	text := e.Op + " the token: " + string(e.Reason)
	if e.Reason == ReasonTimeout {
		text += fmt.Sprintf(" within %v", keyringLimit)
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

func (r Resolver) fromKeyring(ctx context.Context, key Key) (Token, error) {
	user, err := key.user()
	if err != nil {
		return Token{}, err
	}
	secret, err := r.bounded(ctx, "read", func(k Keyring) (string, error) { return k.Get(keyringService, user) })
	if err != nil {
		return Token{}, err
	}
	return newToken(secret, SourceKeyring)
}

func (r Resolver) setKeyring(ctx context.Context, user, token string) error {
	_, err := r.bounded(ctx, "store", func(k Keyring) (string, error) {
		if err := k.Set(keyringService, user, token); err != nil {
			return "", err
		}
		// go-keyring reports success for a dismissed prompt.
		stored, err := k.Get(keyringService, user)
		if errors.Is(err, ErrNotFound) || err == nil && stored != token {
			err = &KeyringError{Reason: ReasonNotKept}
		}
		return "", err
	})
	return err
}

// deleteFromKeyring reports whether there was an entry.
func (r Resolver) deleteFromKeyring(ctx context.Context, user string) (bool, error) {
	_, err := r.bounded(ctx, "delete", func(k Keyring) (string, error) {
		if err := k.Delete(keyringService, user); err != nil {
			return "", err
		}
		_, err := k.Get(keyringService, user)
		switch {
		case errors.Is(err, ErrNotFound):
			err = nil
		case err == nil:
			err = &KeyringError{Reason: ReasonNotKept}
		}
		return "", err
	})
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// bounded runs call for at most keyringLimit and as long as ctx lives. Its error
// is ErrNotFound, a *KeyringError, or one that wraps ctx.Err().
//
// go-keyring has no timeout and takes no context, so call runs in a goroutine
// that is abandoned when the time is up: it stays until the keyring answers or
// the process ends, and a write in it may still come to pass. It panics when the
// bus goes away during a prompt, which becomes an error here.
func (r Resolver) bounded(ctx context.Context, op string, call func(Keyring) (string, error)) (string, error) {
	type result struct {
		value string
		err   error
	}
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("%s the token: %w", op, err)
	}
	done := make(chan result, 1)
	go func() {
		res := result{err: &KeyringError{Reason: ReasonOther, Detail: "panic in the keyring library"}}
		defer func() {
			_ = recover()
			done <- res
		}()
		k, err := r.keyring()
		if err == nil {
			res.value, err = call(k)
		}
		res.err = err
	}()
	timer := time.NewTimer(cmp.Or(r.limit, keyringLimit))
	defer timer.Stop()
	select {
	case res := <-done:
		if res.err == nil {
			return res.value, nil
		}
		if errors.Is(res.err, ErrNotFound) {
			return "", ErrNotFound
		}
		reason, detail := explain(res.err)
		return "", &KeyringError{op, reason, detail}
	case <-timer.C:
		return "", &KeyringError{Op: op, Reason: ReasonTimeout}
	case <-ctx.Done():
		return "", fmt.Errorf("%s the token: %w", op, ctx.Err())
	}
}

// explain classifies an error of the keyring. The detail is made of names and
// numbers alone, never of text that the keyring chose.
func explain(err error) (reason Reason, detail string) {
	var known *KeyringError
	switch {
	case errors.As(err, &known):
		return known.Reason, known.Detail
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return ReasonTooLong, ""
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		return ReasonAbsent, ""
	}
	return explainSystem(err)
}

func (r Resolver) keyring() (Keyring, error) {
	if r.Keyring != nil {
		return r.Keyring, nil
	}
	return systemKeyring{}, prepareSystem()
}

// systemKeyring is go-keyring, entered only after prepareSystem.
type systemKeyring struct{}

func (systemKeyring) Get(service, user string) (string, error) { return keyring.Get(service, user) }

func (systemKeyring) Set(service, user, secret string) error {
	return keyring.Set(service, user, secret)
}

func (systemKeyring) Delete(service, user string) error { return keyring.Delete(service, user) }
