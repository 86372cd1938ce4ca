package credential

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// source is a source of tokens that takes a second to answer and counts the answers.
type source struct {
	t        *testing.T
	calls    int
	err      error
	lifetime time.Duration // of a token; 0: until it is refused
	same     bool          // the token does not change
}

func (s *source) get(ctx context.Context, _ Token) (Token, error) {
	s.calls++
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return Token{}, ctx.Err()
	}
	if s.err != nil {
		return Token{}, s.err
	}
	secret := canary
	if !s.same {
		secret += fmt.Sprint(s.calls)
	}
	token, err := newToken(secret, SourceCommand)
	if s.lifetime > 0 {
		token.until = time.Now().Add(s.lifetime)
	}
	return token, err
}

// want checks the number of calls so far.
func (s *source) want(calls int) {
	s.t.Helper()
	if s.calls != calls {
		s.t.Errorf("%d calls, want %d", s.calls, calls)
	}
}

// all asks 16 times at once, checks that all answers are the same, and returns one.
func all(t *testing.T, ask func(context.Context) (Token, error), want error) Token {
	t.Helper()
	var group sync.WaitGroup
	tokens := make([]Token, 16)
	for i := range tokens {
		group.Go(func() {
			var err error
			if tokens[i], err = ask(t.Context()); !errors.Is(err, want) {
				t.Errorf("got error %v, want %v", err, want)
			}
		})
	}
	group.Wait()
	for _, token := range tokens {
		if token.Reveal() != tokens[0].Reveal() {
			t.Errorf("got %q and %q", token.Reveal(), tokens[0].Reveal())
		}
	}
	return tokens[0]
}

func renewing(s *Shared, refused Token) func(context.Context) (Token, error) {
	return func(ctx context.Context) (Token, error) { return s.Renew(ctx, refused) }
}

func TestSharedTokenIsUsedUntilRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &source{t: t}
		s := Share(Token{}, src.get)
		first := all(t, s.Token, nil)
		time.Sleep(1000 * time.Hour)
		all(t, s.Token, nil)
		src.want(1)
		second := all(t, renewing(s, first), nil)
		src.want(2)
		if first.Reveal() == second.Reveal() || all(t, s.Token, nil).Reveal() != second.Reveal() {
			t.Error("the token was not renewed")
		}
		// A request that was sent with the first token gets the second.
		all(t, renewing(s, first), nil)
		src.want(2)
		all(t, renewing(s, second), nil)
		src.want(3)
	})
}

func TestSharedTokenIsReplacedWhenItExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &source{t: t, lifetime: time.Minute}
		s := Share(Token{}, src.get)
		all(t, s.Token, nil)
		time.Sleep(time.Minute - time.Nanosecond)
		all(t, s.Token, nil)
		src.want(1)
		time.Sleep(time.Nanosecond)
		all(t, s.Token, nil)
		src.want(2)
	})
}

func TestSharedTokenThatDoesNotChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &source{t: t, same: true}
		s := Share(Token{}, src.get)
		first := all(t, s.Token, nil)
		all(t, renewing(s, first), nil)
		src.want(2)
		// Requests sent before the renewal do not repeat it, and later ones do.
		all(t, renewing(s, first), nil)
		src.want(2)
		all(t, renewing(s, all(t, s.Token, nil)), nil)
		src.want(3)
	})
}

func TestSharedError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locked := errors.New("locked")
		src := &source{t: t, err: locked}
		s := Share(Token{}, src.get)
		all(t, s.Token, locked)
		src.want(1)
		all(t, s.Token, locked)
		src.want(1)
		time.Sleep(errorFor)
		src.err = nil
		first := all(t, s.Token, nil)
		src.want(2)
		// All requests with the same token share the error; a new one does not.
		src.err = locked
		all(t, renewing(s, first), locked)
		all(t, renewing(s, first), locked)
		src.want(3)
		// A request that is refused later with that token does not get the old error.
		time.Sleep(errorFor)
		src.err = nil
		all(t, renewing(s, first), nil)
		src.want(4)
	})
}

func TestInterruptedRequestDoesNotAffectOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &source{t: t}
		s := Share(Token{}, src.get)
		first := all(t, s.Token, nil)
		for _, ask := range []func(context.Context) (Token, error){renewing(s, first), s.Token} {
			ctx, cancel := context.WithCancel(t.Context())
			var group sync.WaitGroup
			for range 2 { // one calls, the other one waits
				group.Go(func() {
					if _, err := renewing(s, first)(ctx); !errors.Is(err, context.Canceled) {
						t.Errorf("got error %v", err)
					}
				})
				synctest.Wait()
			}
			group.Go(func() {
				if token, err := ask(t.Context()); err != nil || token.Reveal() == "" {
					t.Errorf("got %q, %v", token.Reveal(), err)
				}
			})
			synctest.Wait()
			cancel()
			group.Wait()
			first = all(t, s.Token, nil)
		}
		src.want(4) // interrupted, renewed, interrupted; Token then needs no call
	})
}

func TestSharedTokenFromAnotherProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		passed, err := Passed(canary, SourceCommand)
		if err != nil {
			t.Fatal(err)
		}
		src := &source{t: t}
		s := Share(passed, src.get)
		if got := all(t, s.Token, nil); got.Reveal() != canary || got.Source() != SourceCommand {
			t.Errorf("got %q from %q", got.Reveal(), got.Source())
		}
		src.want(0)
		all(t, renewing(s, passed), nil)
		src.want(1)
	})
}
