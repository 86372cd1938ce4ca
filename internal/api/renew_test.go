package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// renewed is a token that replaces the canary. It contains a star so that masking one
// of them could create the other.
const renewed = "renewed/***/0123456789"

// renewable returns the canary, which is renewed to another token, and counts the
// renewals.
func renewable(to string, err error, renewals *int) func(context.Context) (Token, error) {
	return func(context.Context) (Token, error) {
		return Token{Secret: canary, Renew: func(context.Context) (string, error) {
			*renewals++
			return to, err
		}}, nil
	}
}

func TestRefusedTokenIsRenewedOnce(t *testing.T) {
	ok, refused := step{status: 200}, step{status: 401}
	for name, tc := range map[string]struct {
		steps    []step
		retries  int
		sent     string // the tokens of the requests: o is the old one, n the new one
		renewals int
		waits    int
		kind     failure.Kind // 0: a reply
		maybe    bool
	}{
		"accepted":              {[]step{ok}, 2, "o", 0, 0, 0, false},
		"refused":               {[]step{refused, ok}, 2, "on", 1, 0, 0, false},
		"without retries":       {[]step{refused, ok}, 0, "on", 1, 0, 0, false},
		"refused again":         {[]step{refused}, 2, "on", 1, 0, failure.Auth, false},
		"unavailable afterward": {[]step{refused, {status: 503, retryAfter: "1"}, ok}, 1, "onn", 1, 1, 0, false},
		"unavailable before":    {[]step{{status: 503, retryAfter: "1"}, refused, ok}, 1, "oon", 1, 1, 0, false},
		"retries are limited":   {[]step{refused, {status: 429, retryAfter: "1"}}, 2, "onnn", 1, 2, failure.Limited, false},
		"refused later":         {[]step{refused, {status: 429, retryAfter: "1"}, refused, ok}, 2, "onn", 1, 1, failure.Auth, false},
		"reset afterward":       {[]step{refused, {err: syscall.ECONNRESET, handedOver: true}, ok}, 2, "on", 1, 0, failure.Unknown, true},
		"500 afterward":         {[]step{refused, {status: 500}, ok}, 2, "on", 1, 0, failure.Unknown, true},
		"forbidden":             {[]step{{status: 403}, ok}, 2, "o", 0, 0, failure.Auth, false},
		"forbidden afterward":   {[]step{refused, {status: 403}, ok}, 2, "on", 1, 0, failure.Auth, false},
		"other status":          {[]step{{status: 400}, ok}, 2, "o", 0, 0, failure.Refused, false},
	} {
		for _, keys := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", keys), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					sent, bodies, ids, waits, renewals, attempts := "", []string{}, []string{}, 0, 0, 0
					answer := play(tc.steps, &attempts)
					c := newClient(t, Options{
						Retries: tc.retries, Token: renewable(renewed, nil, &renewals), IdempotencyKeys: keys,
						OnWait: func(Wait) { waits++ },
						Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
							sent += map[string]string{"Bearer " + canary: "o", "Bearer " + renewed: "n"}[r.Header.Get("Authorization")]
							body, err := io.ReadAll(r.Body)
							if err != nil {
								t.Error(err)
							}
							bodies, ids = append(bodies, string(body)), append(ids, r.Header.Get("Idempotency-Key"))
							return answer(r)
						}),
					})
					reply, err := c.Chat(t.Context(), question, "id")
					if sent != tc.sent || renewals != tc.renewals || waits != tc.waits {
						t.Errorf("sent %s with %d renewals and %d waits, want %s, %d, %d", sent, renewals, waits, tc.sent, tc.renewals, tc.waits)
					}
					if len(slices.Compact(bodies)) != 1 || bodies[0] == "" || len(slices.Compact(ids)) != 1 || (ids[0] == "id") != keys {
						t.Errorf("sent the bodies %q and the ids %q", bodies, ids)
					}
					if tc.kind != 0 {
						wantError(t, err, tc.kind, tc.maybe)
					} else if err != nil || reply.Attempts != len(tc.sent) {
						t.Errorf("got %+v, %v", reply, err)
					}
				})
			})
		}
	}
}

func TestListingWithRefusedToken(t *testing.T) {
	attempts, renewals := 0, 0
	c := newClient(t, Options{
		Token: renewable(renewed, nil, &renewals),
		Transport: transportFunc(func(r *http.Request) (*http.Response, error) {
			attempts++
			switch {
			case r.Header.Get("Authorization") != "Bearer "+renewed:
				return response(http.StatusUnauthorized, ""), nil
			case r.URL.Path == conversationsPath:
				return response(http.StatusNotFound, ""), nil
			}
			return response(http.StatusOK, `[{"id":"a"}]`), nil
		}),
	})
	list, err := c.Conversations(t.Context(), 1)
	if err != nil || len(list) != 1 || attempts != 3 || renewals != 1 {
		t.Errorf("got %v, %v after %d attempts and %d renewals", list, err, attempts, renewals)
	}
}

func TestTokenThatCannotBeRenewed(t *testing.T) {
	locked := failure.New(failure.Auth, failure.Plain("unlock it"), "the keyring is locked: "+canary)
	for name, tc := range map[string]struct {
		to         string
		err        error
		text, hint string
	}{
		"same token":            {canary, nil, "401 Unauthorized: expired", "log in"},
		"error with a hint":     {"", locked, "401 Unauthorized: expired: the token was not renewed: the keyring is locked: ***", "unlock it"},
		"error without a hint":  {"", errors.New("broken"), "the token was not renewed: broken", "log in"},
		"token with a new line": {renewed + "\n", nil, "the token was not renewed: the token is not one line", "log in"},
	} {
		t.Run(name, func(t *testing.T) {
			attempts, renewals := 0, 0
			c := newClient(t, Options{
				Retries: 2, Token: renewable(tc.to, tc.err, &renewals),
				Refused: func(int) failure.Hint { return failure.Plain("log in") },
				Transport: transportFunc(func(*http.Request) (*http.Response, error) {
					attempts++
					return response(http.StatusUnauthorized, "expired"), nil
				}),
			})
			_, err := c.Chat(t.Context(), question, "")
			e := errorOf(t, err, failure.Auth, false)
			wantText(t, err.Error(), tc.text)
			if got := failure.Of(err).Hint.String(); got != tc.hint || e.Status != http.StatusUnauthorized || attempts != 1 || renewals != 1 {
				t.Errorf("hint %q, status %d, %d attempts, %d renewals", got, e.Status, attempts, renewals)
			}
			if tc.err != nil && !errors.Is(err, tc.err) {
				t.Errorf("%v does not wrap the cause", err)
			}
		})
	}
}

func TestCancelDuringRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		interrupted := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		attempts := 0
		c := newClient(t, Options{
			Token: func(context.Context) (Token, error) {
				return Token{Secret: canary, Renew: func(ctx context.Context) (string, error) {
					time.AfterFunc(time.Second, func() { cancel(interrupted) })
					<-ctx.Done()
					return "", ctx.Err()
				}}, nil
			},
			Transport: play([]step{{status: 401}}, &attempts),
		})
		_, err := c.Chat(ctx, question, "")
		wantError(t, err, failure.Interrupted, false)
		if !errors.Is(err, interrupted) || attempts != 1 {
			t.Errorf("got %v after %d attempts", err, attempts)
		}
	})
}

func TestBothTokensAreMasked(t *testing.T) {
	renewals := 0
	var log strings.Builder
	o := serve(t, func(w http.ResponseWriter, r *http.Request) {
		both := canary + " and " + renewed
		if r.Header.Get("Authorization") == "Bearer "+canary {
			answerWith(http.StatusUnauthorized, "text/plain", both, "X-Seen", both)(w, r)
			return
		}
		answerWith(http.StatusOK, "application/json", strings.Replace(validReply, `"hi"`, `"`+both+`"`, 1), "X-Seen", both)(w, r)
	})
	o.Token, o.Log = renewable(renewed, nil, &renewals), func(line string) { fmt.Fprintln(&log, line) }
	reply, err := newClient(t, o).Chat(t.Context(), question, "")
	if err != nil || reply.Text != "*** and ***" {
		t.Errorf("got %q, %v", reply.Text, err)
	}
	// The new token was unknown when the first response arrived.
	_, after, _ := strings.Cut(log.String(), "< 401")
	_, after, _ = strings.Cut(after, "> POST")
	if strings.Contains(log.String(), canary) || strings.Contains(after, renewed) || strings.Count(after, "***") < 3 {
		t.Errorf("the log shows a token:\n%s", &log)
	}
}

func TestRecordingOfRenewedToken(t *testing.T) {
	renewals := 0
	var recorded []Exchange
	o := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+canary {
			answerWith(http.StatusUnauthorized, "text/plain", "expired "+renewed)(w, r)
			return
		}
		answerWith(http.StatusOK, "application/json", validReply)(w, r)
	})
	o.Token, o.Record = renewable(renewed, nil, &renewals), func(e Exchange) { recorded = append(recorded, e) }
	if _, err := newClient(t, o).Chat(t.Context(), question, ""); err != nil {
		t.Fatal(err)
	}
	if len(recorded) != 2 || recorded[0].Status != 401 || !recorded[0].Renewed || recorded[1].Renewed || strings.Contains(string(recorded[0].Body), renewed) {
		t.Fatalf("recorded %+v", recorded)
	}
	replayed := 0
	c := newClient(t, Options{Replay: func(Exchange) (Outcome, error) {
		replayed++
		return recorded[replayed-1].Outcome, nil
	}})
	if reply, err := c.Chat(t.Context(), question, ""); err != nil || reply.Attempts != 2 || replayed != 2 {
		t.Errorf("replayed %d: %+v, %v", replayed, reply, err)
	}
	// An edited recording cannot make the client send forever.
	recorded[1], replayed = recorded[0], 0
	if _, err := c.Chat(t.Context(), question, ""); replayed != 2 {
		t.Errorf("replayed %d: %v", replayed, err)
	} else {
		wantError(t, err, failure.Auth, false)
	}
	recorded[0].Renewed, replayed = false, 0
	if _, err := c.Chat(t.Context(), question, ""); replayed != 1 {
		t.Errorf("replayed %d: %v", replayed, err)
	} else {
		wantError(t, err, failure.Auth, false)
	}
}
