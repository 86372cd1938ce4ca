package credential

import (
	"context"
	"time"
)

// Shared is the token of a profile for all requests of a process, also at the same time.
// A keyring or a password manager, which may ask the user, is asked once for all of
// them. Requests that wait for the answer share its error, too, and so do those within
// errorFor; a later one asks again.
type Shared struct {
	get  func(ctx context.Context, refused Token) (Token, error)
	free chan struct{} // locks the fields below

	token Token // zero before the first answer and after an error
	err   error
	got   time.Time
}

// errorFor is the time for which an error is the answer. The check of a question for the
// token and the request that follows it ask once.
const errorFor = time.Second

// Share returns the Shared of get, which finds the token, or another one than the one
// that the service refused. First is the token to begin with, or the zero Token.
func Share(first Token, get func(ctx context.Context, refused Token) (Token, error)) *Shared {
	return &Shared{get: get, free: make(chan struct{}, 1), token: first}
}

// Token returns the current token, and finds it if there is none or it has expired.
func (s *Shared) Token(ctx context.Context) (Token, error) { return s.Renew(ctx, Token{}) }

// Renew returns the token after the service refused one that Token returned. Requests
// with the same token renew it once. The result may be the same token.
func (s *Shared) Renew(ctx context.Context, refused Token) (Token, error) {
	asked := time.Now()
	select {
	case s.free <- struct{}{}:
		defer func() { <-s.free }()
	case <-ctx.Done():
		return Token{}, ctx.Err()
	}
	if s.got.After(asked) || s.valid(refused) {
		return s.token, s.err
	}
	token, err := s.get(ctx, refused)
	if err != nil && ctx.Err() != nil {
		return Token{}, err // an interrupted call is no answer for the others
	}
	s.token, s.err, s.got = token, err, time.Now()
	return token, err
}

// valid reports whether the last answer can be used after the service refused a token,
// or the zero Token.
func (s *Shared) valid(refused Token) bool {
	if s.err != nil {
		return time.Since(s.got) < errorFor
	}
	return s.token.secret != refused.secret && (s.token.until.IsZero() || time.Now().Before(s.token.until))
}
