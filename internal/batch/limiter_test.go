package batch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

// limits is a service that limits requests. It returns the time until it accepts
// another request, or 0 if it accepted this one.
type limits interface {
	request(now time.Time) time.Duration
}

// fixedWindow accepts size requests in each span since begin.
type fixedWindow struct {
	begin time.Time
	span  time.Duration
	size  int

	number   time.Duration
	accepted int
}

func (s *fixedWindow) request(now time.Time) time.Duration {
	passed := now.Sub(s.begin)
	if number := passed / s.span; number != s.number {
		s.number, s.accepted = number, 0
	}
	if s.accepted == s.size {
		return s.span - passed%s.span
	}
	s.accepted++
	return 0
}

// slidingWindow accepts size requests in any span.
type slidingWindow struct {
	span     time.Duration
	size     int
	accepted []time.Time
}

func (s *slidingWindow) request(now time.Time) time.Duration {
	for len(s.accepted) > 0 && now.Sub(s.accepted[0]) >= s.span {
		s.accepted = s.accepted[1:]
	}
	if len(s.accepted) == s.size {
		return s.span - now.Sub(s.accepted[0])
	}
	s.accepted = append(s.accepted, now)
	return 0
}

// tokenBucket accepts size requests in each span on average, and at most size at once.
type tokenBucket struct {
	span  time.Duration
	size  int
	spent float64
	last  time.Time
}

func (s *tokenBucket) request(now time.Time) time.Duration {
	if !s.last.IsZero() {
		s.spent = max(0, s.spent-float64(s.size)*now.Sub(s.last).Seconds()/s.span.Seconds())
	}
	s.last = now
	if missing := s.spent + 1 - float64(s.size); missing > 1e-9 {
		return time.Duration(missing / float64(s.size) * float64(s.span))
	}
	s.spent++
	return 0
}

// pauseAfter accepts size requests, then none for span, and so on.
type pauseAfter struct {
	span     time.Duration
	size     int
	accepted int
	until    time.Time
}

func (s *pauseAfter) request(now time.Time) time.Duration {
	if s.accepted == s.size {
		s.until, s.accepted = now.Add(s.span), 0
	}
	if now.Before(s.until) {
		return s.until.Sub(now)
	}
	s.accepted++
	return 0
}

// The forms of Retry-After.
func exact(_ time.Time, wait time.Duration) time.Duration { return wait }
func seconds(_ time.Time, wait time.Duration) time.Duration {
	return (wait + time.Second - 1).Truncate(time.Second)
}
func secondsDown(_ time.Time, wait time.Duration) time.Duration { return wait.Truncate(time.Second) }
func date(now time.Time, wait time.Duration) time.Duration {
	return max(0, now.Add(wait).Truncate(time.Second).Sub(now))
}
func zero(time.Time, time.Duration) time.Duration { return 0 }

// simulation sends rows to a service through a limiter in simulated time.
type simulation struct {
	service     limits
	retryAfter  func(now time.Time, wait time.Duration) time.Duration
	reply       func() time.Duration // time of an answer, without the network
	concurrency int
	rows        int
}

type simulated struct {
	seen int // requests
	took time.Duration
}

func (s simulation) run(t *testing.T) (r simulated) {
	t.Helper()
	const network = 500 * time.Microsecond
	var mu sync.Mutex
	l := newLimiter(s.concurrency, 0, nil)
	begin := time.Now()
	rows := make(chan int, s.rows) // never full
	for row := range s.rows {
		rows <- row
	}
	var sending sync.WaitGroup
	left := s.rows
	for range rows {
		done, err := l.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sending.Go(func() {
			time.Sleep(network)
			now := time.Now()
			mu.Lock()
			r.seen++
			wait := s.service.request(now)
			mu.Unlock()
			if wait > 0 {
				asked := s.retryAfter(now, wait)
				time.Sleep(network)
				rows <- 0
				done(outcome{limited, asked})
				return
			}
			mu.Lock()
			reply := s.reply()
			mu.Unlock()
			time.Sleep(reply + network)
			mu.Lock()
			if left--; left == 0 {
				close(rows)
			}
			mu.Unlock()
			done(outcome{kind: answered})
		})
	}
	sending.Wait()
	r.took = time.Since(begin)
	return r
}

// TestLimitedService sends rows to services that announce the same rate in different
// ways. All rows are answered. If the service asks for useful waits, it sees at most 110 %
// of its rate, and hobnob uses at least 85 % of it.
func TestLimitedService(t *testing.T) {
	const size, rows = 100, 2500
	for kind, newService := range map[string]func(time.Duration) limits{
		"fixed window": func(span time.Duration) limits {
			return &fixedWindow{begin: time.Now(), span: span, size: size}
		},
		"fixed window of the clock": func(span time.Duration) limits {
			return &fixedWindow{begin: time.Now().Add(-span * 7 / 10), span: span, size: size}
		},
		"sliding window": func(span time.Duration) limits { return &slidingWindow{span: span, size: size} },
		"token bucket":   func(span time.Duration) limits { return &tokenBucket{span: span, size: size} },
		"pause":          func(span time.Duration) limits { return &pauseAfter{span: span, size: size} },
	} {
		for form, retryAfter := range map[string]func(time.Time, time.Duration) time.Duration{
			"exact": exact, "seconds": seconds, "rounded down": secondsDown, "date": date, "zero": zero,
		} {
			for _, span := range []time.Duration{time.Second, 30 * time.Second} {
				for _, concurrency := range []int{8, 64} {
					t.Run(fmt.Sprintf("%s/%s/%s/%d", kind, form, span, concurrency), func(t *testing.T) {
						synctest.Test(t, func(t *testing.T) {
							random := rand.New(rand.NewPCG(1, 2))
							got := simulation{
								service: newService(span), retryAfter: retryAfter, concurrency: concurrency, rows: rows,
								reply: func() time.Duration { return time.Duration(random.Int64N(int64(4 * time.Millisecond))) },
							}.run(t)
							useful := form == "exact" || form == "seconds"
							most, least := 1.1, 0.85
							if !useful {
								most, least = 1.2, 0.1
							}
							windows := got.took.Seconds() / span.Seconds()
							// The first window may be in full at the start.
							if most := most * size * (windows + 1); float64(got.seen) > most {
								t.Errorf("the service saw %d requests in %.1f windows, want at most %.0f", got.seen, windows, most)
							}
							if float64(got.seen) > most*rows {
								t.Errorf("the service saw %d requests for %d rows", got.seen, rows)
							}
							if share := rows / size / windows; share < least {
								t.Errorf("used %.0f %% of the rate", 100*share)
							}
						})
					})
				}
			}
		}
	}
}

// TestSmallLimit has a limit below the concurrency at the start.
func TestSmallLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := simulation{
			service:    &fixedWindow{begin: time.Now(), span: time.Minute, size: 3},
			retryAfter: seconds, concurrency: 16, rows: 300,
			reply: func() time.Duration { return 4 * time.Second },
		}.run(t)
		if got.seen > 330 || got.took > 110*time.Minute {
			t.Errorf("%d requests in %s", got.seen, got.took)
		}
	})
}

// TestLimitRemoved finds out that a limit is gone.
func TestLimitRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := simulation{
			service:    &until{end: time.Now().Add(10 * time.Second), limits: &fixedWindow{begin: time.Now(), span: time.Second, size: 20}},
			retryAfter: seconds, concurrency: 64, rows: 20_000,
			reply: func() time.Duration { return 20 * time.Millisecond },
		}.run(t)
		if got.took > 40*time.Second {
			t.Errorf("took %s", got.took)
		}
	})
}

// until is a service without limits from end on.
type until struct {
	limits
	end time.Time
}

func (s *until) request(now time.Time) time.Duration {
	if now.After(s.end) {
		return 0
	}
	return s.limits.request(now)
}

func TestLongWaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var waits [][2]time.Duration
		l := newLimiter(4, 0, func(wait, asked time.Duration) { waits = append(waits, [2]time.Duration{wait, asked}) })
		begin := time.Now()
		for _, asked := range []time.Duration{24 * time.Hour, 0, time.Second} {
			done, err := l.acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			done(outcome{limited, asked})
		}
		if _, err := l.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin); len(waits) != 3 || waits[0] != [2]time.Duration{time.Hour, 24 * time.Hour} || took < time.Hour || took > time.Hour+10*time.Second {
			t.Errorf("waits %v, %s in total", waits, took)
		}
	})
}

func TestRateIsFollowed(t *testing.T) {
	for _, perSecond := range []rate.Limit{0.1, 10, 5000} {
		synctest.Test(t, func(t *testing.T) {
			l := newLimiter(64, perSecond, nil)
			begin := time.Now()
			const rows = 500
			for range rows {
				done, err := l.acquire(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				done(outcome{kind: answered})
			}
			if got := rows / time.Since(begin).Seconds(); got < 0.95*float64(perSecond) || got > 1.12*float64(perSecond) {
				t.Errorf("%.2f a second, want %.1f", got, perSecond)
			}
		})
	}
}

func TestAcquireEndsWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, l := range map[string]*limiter{"rate": newLimiter(1, 0.001, nil), "concurrency": newLimiter(1, 0, nil)} {
			if _, err := l.acquire(t.Context()); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			begin := time.Now()
			if _, err := l.acquire(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Minute {
				t.Errorf("%s: %v after %s", name, err, time.Since(begin))
			}
			cancel()
		}
	})
}

// TestConcurrencyFollowsReplies sends rows to a service whose replies become slow beyond
// a number of requests at the same time.
func TestConcurrencyFollowsReplies(t *testing.T) {
	for name, tc := range map[string]struct {
		reply    func(inFlight int, begin time.Time) time.Duration
		min, max int // mean concurrency in the last half
	}{
		"constant": {func(int, time.Time) time.Duration { return time.Second }, 64, 64},
		"overload": {func(inFlight int, _ time.Time) time.Duration {
			return time.Second * time.Duration(max(10, inFlight)) / 10
		}, 10, 45},
		// Fewer requests do not make these replies faster.
		"slow from some time on": {func(_ int, begin time.Time) time.Duration {
			if time.Since(begin) > 10*time.Minute {
				return 5 * time.Second
			}
			return time.Second
		}, 50, 64},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLimiter(64, 0, nil)
				begin := time.Now()
				var inFlight atomic.Int64
				var sum, count int
				var sending sync.WaitGroup
				for time.Since(begin) < 30*time.Minute {
					done, err := l.acquire(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					if time.Since(begin) > 15*time.Minute {
						sum += l.concurrency
						count++
					}
					sending.Go(func() {
						time.Sleep(tc.reply(int(inFlight.Add(1)), begin))
						inFlight.Add(-1)
						done(outcome{kind: answered})
					})
				}
				sending.Wait()
				if got := sum / count; got < tc.min || got > tc.max {
					t.Errorf("concurrency %d, want %d to %d", got, tc.min, tc.max)
				}
			})
		})
	}
}
