package credential

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestSharedAsksOnceForAllRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		var failure error
		get, drop := Shared(func(ctx context.Context) (Token, error) {
			calls++
			select {
			case <-time.After(time.Second):
				return Token{}, failure
			case <-ctx.Done():
				return Token{}, ctx.Err()
			}
		})
		ask := func(ctx context.Context, want error) {
			if _, err := get(ctx); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
		all := func(want error, wantCalls int) {
			t.Helper()
			var group sync.WaitGroup
			for range 16 {
				group.Go(func() { ask(t.Context(), want) })
			}
			group.Wait()
			if calls != wantCalls {
				t.Errorf("%d calls, want %d", calls, wantCalls)
			}
		}
		all(nil, 1)
		time.Sleep(sharedFor - time.Second)
		all(nil, 1)
		time.Sleep(time.Second)
		all(nil, 2)
		drop()
		all(nil, 3)

		// All waiting requests share an error; a later one does not.
		time.Sleep(sharedFor)
		failure = errors.New("locked")
		all(failure, 4)
		failure = nil
		all(nil, 5)

		// A cancelled request fails alone, whether it calls or waits.
		time.Sleep(sharedFor)
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		group.Go(func() { ask(ctx, context.Canceled) })
		synctest.Wait()
		group.Go(func() { ask(t.Context(), nil) })
		synctest.Wait()
		cancel()
		group.Wait()
		if calls != 7 {
			t.Errorf("%d calls", calls)
		}
	})
}
