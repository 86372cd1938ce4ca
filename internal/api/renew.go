package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// use makes the operation send and mask a token. Earlier tokens stay masked.
func (o *operation) use(token string) error {
	if !isVisibleASCII(token) || len(token) > maxToken {
		return errors.New("the token is not one line of visible ASCII characters, at most 16 KiB long")
	}
	o.token, o.mask = token, append(newMask(token), o.mask...)
	return nil
}

// renewed gets another token if the service refused the current one with 401, once for
// each operation, and reports whether there is one. Otherwise it returns the Error of
// the operation, with the reason why there is none.
func (o *operation) renewed(ctx context.Context, x exchange, failed *Error) (*Error, bool) {
	if failed == nil || failed.Status != http.StatusUnauthorized || o.renew == nil || o.asked {
		return failed, false
	}
	o.asked = true
	token, err := o.renew(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return o.canceled(ctx, x, false), false
	case err == nil && token == o.token:
		return failed, false
	case err == nil:
		err = o.use(token)
	}
	if err != nil {
		failed.Err = fmt.Errorf("the token was not renewed: %w", o.mask.err(err))
		if hint := failure.Of(err).Hint; !hint.IsZero() {
			failed.refused = func(int) failure.Hint { return hint }
		}
		return failed, false
	}
	return failed, true
}
