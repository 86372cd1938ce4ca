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
	// keyringService is the service of hobnob's entries. The user of an entry is
	// "<profile> <origin>".
	keyringService = "hobnob"

	// keyringLimit is the time limit of one operation, including reading back.
	keyringLimit = 3 * time.Second
)

// ErrNotFound is returned by a Keyring for a missing entry.
var ErrNotFound = keyring.ErrNotFound

// Keyring is the part of go-keyring's interface used here.
type Keyring interface {
	Get(service, user string) (string, error)
	Set(service, user, secret string) error
	Delete(service, user string) error
}

// Reason is the cause of a keyring failure, as the text of an error.
type Reason string

// The reasons of a KeyringError.
const (
	ReasonAbsent    Reason = "no system keyring is available" // no session bus, or no service or collection on it
	ReasonLocked    Reason = "the keyring is locked"
	ReasonDismissed Reason = "the keyring's prompt was dismissed"
	ReasonTimeout   Reason = "the keyring did not respond" // its prompt may still be open
	ReasonDenied    Reason = "the keyring denied access"
	ReasonNoEffect  Reason = "the keyring reported success but changed nothing; its prompt may have been dismissed"
	ReasonTooLong   Reason = "too long for this keyring"
	ReasonOther     Reason = "the keyring failed"
)

// KeyringError reports a failure of the keyring. It wraps no error and quotes no text
// from the keyring, which could contain the token.
type KeyringError struct {
	Op     string // "read", "store" or "delete"
	Reason Reason
	Detail string // name of a D-Bus error, exit status or error number; may be empty
}

// Error returns the operation and the cause.
func (e *KeyringError) Error() string {
	return "cannot " + e.Op + " the token: " + e.Cause()
}

// Cause returns the message without the operation.
func (e *KeyringError) Cause() string {
	text := string(e.Reason)
	if e.Reason == ReasonTimeout {
		text += fmt.Sprintf(" within %v", keyringLimit)
	}
	if e.Detail != "" {
		text += " (" + e.Detail + ")"
	}
	return text
}

// IsAbsent reports whether err means that no system keyring is available.
func IsAbsent(err error) bool {
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
	return parseStored(secret, SourceKeyring)
}

func (r Resolver) setKeyring(ctx context.Context, user, token string) error {
	_, err := r.bounded(ctx, "store", func(k Keyring) (string, error) {
		if err := k.Set(keyringService, user, token); err != nil {
			return "", err
		}
		// go-keyring reports success for a dismissed prompt.
		stored, err := k.Get(keyringService, user)
		if errors.Is(err, ErrNotFound) || err == nil && stored != token {
			err = &KeyringError{Reason: ReasonNoEffect}
		}
		return "", err
	})
	return err
}

// deleteFromKeyring reports whether it deleted an entry.
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
			err = &KeyringError{Reason: ReasonNoEffect}
		}
		return "", err
	})
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// bounded runs call until keyringLimit or ctx ends it. The error is ErrNotFound, a
// *KeyringError, or wraps ctx.Err().
//
// go-keyring supports neither timeouts nor contexts, so call runs in a goroutine that
// is abandoned after the limit. It exits when the keyring answers, and may still
// complete a write. go-keyring panics if the bus disappears during a prompt; bounded
// returns an error instead.
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

// explain classifies an error of the keyring. The detail consists only of names and
// numbers, never of free text from the keyring.
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
		return parted{r.Keyring}, nil
	}
	return parted{systemKeyring{}}, prepareSystem()
}

// systemKeyring calls go-keyring. Call prepareSystem first.
type systemKeyring struct{}

func (systemKeyring) Get(service, user string) (string, error) { return keyring.Get(service, user) }

func (systemKeyring) Set(service, user, secret string) error {
	return keyring.Set(service, user, secret)
}

func (systemKeyring) Delete(service, user string) error { return keyring.Delete(service, user) }
