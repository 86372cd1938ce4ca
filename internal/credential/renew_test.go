package credential

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/oauth"
)

// grantFor returns a grant whose access token expires after the given time.
func grantFor(name string, lifetime time.Duration) oauth.Grant {
	now := time.Now().UTC().Round(0)
	return oauth.Grant{
		Issuer: "https://login.example.com", TokenURL: "https://login.example.com/token", ClientID: "hobnob", Scope: "openid offline_access",
		AccessToken: "access-" + name + canary, RefreshToken: "refresh-" + name + canary, Obtained: now.Add(-time.Hour), Expiry: now.Add(lifetime),
	}
}

// issuerOf is an issuer that accepts each refresh token once.
type issuerOf struct {
	mu      sync.Mutex
	valid   string
	renewed atomic.Int32
	err     error
}

func (i *issuerOf) refresh(ctx context.Context, grant oauth.Grant) (oauth.Grant, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.err != nil || ctx.Err() != nil {
		return oauth.Grant{}, errors.Join(i.err, ctx.Err())
	}
	if grant.RefreshToken != i.valid {
		return oauth.Grant{}, &oauth.Error{Issuer: grant.Issuer, Code: oauth.CodeInvalidGrant}
	}
	i.renewed.Add(1)
	fresh := grantFor("new", time.Hour)
	i.valid = fresh.RefreshToken
	return fresh, nil
}

// loggedIn returns a Resolver with a stored login, and its issuer.
func loggedIn(t *testing.T, lifetime time.Duration) (Resolver, *issuerOf) {
	t.Helper()
	grant := grantFor("old", lifetime)
	issuer := &issuerOf{valid: grant.RefreshToken}
	r := Resolver{Keyring: keyringWith(nil), LockDir: filepath.Join(t.TempDir(), "state"), Refresh: issuer.refresh}
	if source, err := r.StoreLogin(t.Context(), work, grant, false); err != nil || source != SourceKeyring {
		t.Fatal(source, err)
	}
	return r, issuer
}

func wantToken(t *testing.T, token Token, err error, want string) {
	t.Helper()
	if err != nil || token.Reveal() != want+canary {
		t.Errorf("token %q, want %q: %v", strings.TrimSuffix(token.Reveal(), canary), want, err)
	}
}

func TestLoginIsRenewedBeforeItExpires(t *testing.T) {
	for _, tt := range []struct {
		lifetime time.Duration
		want     string
	}{{time.Hour, "access-old"}, {30 * time.Second, "access-new"}, {-time.Second, "access-new"}} {
		r, issuer := loggedIn(t, tt.lifetime)
		token, err := r.Token(t.Context(), work)
		wantToken(t, token, err, tt.want)
		again, err := r.Token(t.Context(), work)
		wantToken(t, again, err, tt.want)
		if got := issuer.renewed.Load(); got != 0 != (tt.want == "access-new") || token.Issuer() != "https://login.example.com" {
			t.Errorf("renewed %d times after %v", got, tt.lifetime)
		}
		wantSilent(t, token)
	}
}

func TestProbeDoesNotRenewLogin(t *testing.T) {
	r, issuer := loggedIn(t, -time.Second)
	status := r.Probe(t.Context(), work)
	wantToken(t, status.Token, status.Err, "access-old")
	if issuer.renewed.Load() != 0 || status.Token.Describe(time.Now()) != "keyring; login at https://login.example.com; renewed with the next question" {
		t.Error(status.Token.Describe(time.Now()))
	}
}

// Every Resolver has its own descriptor of the lock file, as a process has.
func TestConcurrentRenewalsRenewOnce(t *testing.T) {
	r, issuer := loggedIn(t, -time.Second)
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			token, err := r.Token(t.Context(), work)
			wantToken(t, token, err, "access-new")
		})
	}
	wg.Wait()
	if got := issuer.renewed.Load(); got != 1 {
		t.Errorf("renewed %d times", got)
	}
}

func TestRefusedTokenOfLoginIsRenewed(t *testing.T) {
	r, issuer := loggedIn(t, time.Hour)
	old, err := r.Token(t.Context(), work)
	wantToken(t, old, err, "access-old")
	for range 2 { // the second process finds the result of the first
		token, err := r.Renew(t.Context(), work, old)
		wantToken(t, token, err, "access-new")
	}
	// A process that was passed the token knows only its text.
	passed, err := Passed("access-new"+canary, SourceKeyring)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Renew(t.Context(), work, passed); err != nil || issuer.renewed.Load() != 2 {
		t.Errorf("renewed %d times: %v", issuer.renewed.Load(), err)
	}
}

func TestRenewalFailures(t *testing.T) {
	down := &oauth.Error{Issuer: "https://login.example.com", Status: 503}
	for name, tt := range map[string]struct {
		lifetime time.Duration
		change   func(*Resolver, *issuerOf)
		want     string // the token, or ""
		err      string
		kind     failure.Kind
	}{
		"issuer down, token valid":   {30 * time.Second, func(_ *Resolver, i *issuerOf) { i.err = down }, "access-old", "", 0},
		"issuer down, token expired": {-time.Second, func(_ *Resolver, i *issuerOf) { i.err = down }, "", "cannot renew the login: the issuer https://login.example.com answered 503", failure.NotSent},
		"revoked":                    {-time.Second, func(_ *Resolver, i *issuerOf) { i.valid = "" }, "", "the login at https://login.example.com has expired", failure.Auth},
		"revoked, token valid":       {30 * time.Second, func(_ *Resolver, i *issuerOf) { i.valid = "" }, "access-old", "", 0},
		"no place for the lock":      {-time.Second, func(r *Resolver, _ *issuerOf) { r.LockDir = "/dev/null/state" }, "", "cannot renew the login: cannot lock /dev/null/state/login-570396145f5ebc4c.lock: not a directory", failure.Other},
		"renewed elsewhere": {-time.Second, func(r *Resolver, i *issuerOf) {
			refresh := i.refresh
			r.Refresh = func(ctx context.Context, grant oauth.Grant) (oauth.Grant, error) {
				other := Resolver{Keyring: r.Keyring, LockDir: t.TempDir(), Refresh: refresh}
				if _, err := other.Token(ctx, work); err != nil {
					t.Error(err)
				}
				return refresh(ctx, grant)
			}
		}, "access-new", "", 0},
		"logged out meanwhile": {-time.Second, func(r *Resolver, i *issuerOf) {
			r.Refresh = func(ctx context.Context, grant oauth.Grant) (oauth.Grant, error) {
				return oauth.Grant{}, errors.Join(r.Keyring.Delete(keyringService, "work https://chat.example.com"), &oauth.Error{Code: oauth.CodeInvalidGrant, Issuer: grant.Issuer})
			}
		}, "", "has expired", failure.Auth},
		"not stored": {-time.Second, func(r *Resolver, _ *issuerOf) { r.Keyring = readOnly{r.Keyring} }, "", "cannot renew the login: the new login could not be stored: cannot store the token: the keyring failed", failure.Auth},
		"token too long": {-time.Second, func(r *Resolver, i *issuerOf) {
			r.Refresh = func(context.Context, oauth.Grant) (oauth.Grant, error) {
				grant := grantFor("new", time.Hour)
				grant.AccessToken = strings.Repeat("a", MaxLength+1)
				return grant, nil
			}
		}, "", "longer than 8192 bytes", failure.Auth},
	} {
		t.Run(name, func(t *testing.T) {
			r, issuer := loggedIn(t, tt.lifetime)
			tt.change(&r, issuer)
			token, err := r.Token(t.Context(), work)
			if tt.want != "" {
				wantToken(t, token, err, tt.want)
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.err) || failure.Of(err).Kind != tt.kind || token != (Token{}) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			wantSilent(t, err)
			hint := failure.Of(err).Hint.For("work")
			if tt.kind == failure.Auth && hint != "log in again: hobnob login --issuer https://login.example.com --client-id hobnob --scope 'openid offline_access' -p work" {
				t.Errorf("hint %q", hint)
			}
		})
	}
}

// readOnly is a Keyring that refuses every change.
type readOnly struct{ Keyring }

func (readOnly) Set(string, string, string) error { return errors.New("refused " + canary) }

func TestLoginWithoutRefreshTokenExpires(t *testing.T) {
	grant := grantFor("old", 30*time.Second)
	grant.RefreshToken = ""
	r := Resolver{Keyring: keyringWith(nil), LockDir: t.TempDir()}
	if _, err := r.StoreLogin(t.Context(), work, grant, false); err != nil {
		t.Fatal(err)
	}
	token, err := r.Token(t.Context(), work)
	wantToken(t, token, err, "access-old")
	if _, err := r.Renew(t.Context(), work, token); !errors.As(err, new(*ExpiredError)) {
		t.Error(err)
	}
	if got := token.Describe(grant.Expiry); got != "keyring; login at https://login.example.com; expired, not renewable" {
		t.Error(got)
	}
}

// A response that is discarded has the only valid refresh token.
func TestSlowRenewalIsNotCut(t *testing.T) {
	for name, lifetime := range map[string]time.Duration{"refused": time.Hour, "due": 30 * time.Second, "expired": -time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, _ := loggedIn(t, lifetime)
				refresh := r.Refresh
				r.Refresh = func(ctx context.Context, grant oauth.Grant) (oauth.Grant, error) {
					time.Sleep(19 * time.Second)
					return refresh(ctx, grant)
				}
				old, err := r.lookup(t.Context(), work)
				if err != nil {
					t.Fatal(err)
				}
				token, err := r.Renew(t.Context(), work, old)
				wantToken(t, token, err, "access-new")
			})
		})
	}
}

func TestValidTokenDoesNotWaitForAnotherRenewal(t *testing.T) {
	r, issuer := loggedIn(t, 30*time.Second)
	unlock, err := renewal{r, work}.lock(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	token, err := r.Token(t.Context(), work)
	wantToken(t, token, err, "access-old")
	if got := issuer.renewed.Load(); got != 0 {
		t.Errorf("renewed %d times", got)
	}
}

func TestWaitForRenewalIsInterrupted(t *testing.T) {
	r, issuer := loggedIn(t, -time.Second)
	unlock, err := renewal{r, work}.lock(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := r.Token(ctx, work); !errors.Is(err, context.Canceled) || issuer.renewed.Load() != 0 {
		t.Errorf("%v after %d renewals", err, issuer.renewed.Load())
	}
}

// A response that is on its way has the only valid refresh token.
func TestInterruptedRenewalIsStored(t *testing.T) {
	r, issuer := loggedIn(t, -time.Second)
	refresh := r.Refresh
	ctx, cancel := context.WithCancel(t.Context())
	r.Refresh = func(sending context.Context, grant oauth.Grant) (oauth.Grant, error) {
		cancel()
		return refresh(sending, grant)
	}
	_, _ = r.Token(ctx, work)
	token, err := r.Token(t.Context(), work)
	wantToken(t, token, err, "access-new")
	if got := issuer.renewed.Load(); got != 1 {
		t.Errorf("renewed %d times", got)
	}
}

func TestLoginIsCopiedAndDeleted(t *testing.T) {
	r, issuer := loggedIn(t, -time.Second)
	home := Key{"home", work.Origin}
	if source, err := r.Copy(t.Context(), work, home); err != nil || source != SourceKeyring || issuer.renewed.Load() != 0 {
		t.Fatal(source, err)
	}
	token, err := r.Token(t.Context(), home)
	wantToken(t, token, err, "access-new")
	from, login, err := r.Logout(t.Context(), home)
	if err != nil || len(from) != 1 || login == nil || login.RefreshToken != "refresh-new"+canary {
		t.Errorf("%v, %v", from, err)
	}
	if _, err := r.Token(t.Context(), home); !errors.Is(err, ErrNoToken) {
		t.Error(err)
	}
}

func TestLoginInFile(t *testing.T) {
	grant := grantFor("old", -time.Second)
	issuer := &issuerOf{valid: grant.RefreshToken}
	dir := t.TempDir()
	r := Resolver{Keyring: failing(&KeyringError{Reason: ReasonAbsent}), File: filepath.Join(dir, "tokens.json"), LockDir: filepath.Join(dir, "state"), Refresh: issuer.refresh}
	if source, err := r.StoreLogin(t.Context(), work, grant, true); err != nil || source != SourceFile {
		t.Fatal(source, err)
	}
	token, err := r.Token(t.Context(), work)
	wantToken(t, token, err, "access-new")
	if token.Source() != SourceFile {
		t.Errorf("source %q", token.Source())
	}
	issuer.err = &oauth.Error{Issuer: grant.Issuer, Code: oauth.CodeInvalidGrant}
	_, err = r.Renew(t.Context(), work, token)
	if hint := failure.Of(err).Hint.String(); !strings.HasSuffix(hint, " --insecure-storage") {
		t.Errorf("%v: %q", err, hint)
	}
}

func TestDamagedLoginIsReported(t *testing.T) {
	for value, want := range map[string]string{
		"oauth ":              "the stored login is damaged",
		"oauth {":             "the stored login is damaged",
		`oauth {"version":1}`: "the stored login is damaged",
		`oauth {"version":2,"canary":"` + canary + `"}`: "written by a newer hobnob",
		`oauth {"version":1,"issuer":"ftp://login.example.com","token_endpoint":"https://login.example.com/t","access_token":"` + canary + `"}`: "the stored login is damaged",
	} {
		r := Resolver{Keyring: keyringWith(map[string]string{"work https://chat.example.com": value})}
		_, err := r.Token(t.Context(), work)
		if err == nil || !strings.Contains(err.Error(), want) || failure.Of(err).Kind != failure.Auth {
			t.Errorf("%v, want %q", err, want)
		}
		wantSilent(t, err)
	}
}

// FuzzStoredLogin checks that a stored login is read as it was written.
func FuzzStoredLogin(f *testing.F) {
	value, err := encodeLogin(grantFor("old", time.Hour))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(value)
	f.Add(`oauth {"version":1,"issuer":"http://127.0.0.1","token_endpoint":"http://localhost/t","access_token":"a","expiry":"2026-01-02T03:04:05+01:00"}`)
	f.Fuzz(func(t *testing.T, value string) {
		grant, err := decodeLogin(value)
		if err != nil {
			return
		}
		again, err := encodeLogin(grant)
		if err != nil {
			t.Skip(err) // a year after 9999
		}
		if got, err := decodeLogin(again); err != nil || got.AccessToken != grant.AccessToken || got.RefreshToken != grant.RefreshToken || !got.Expiry.Equal(grant.Expiry) {
			t.Errorf("%q becomes %q: %v", value, again, err)
		}
	})
}
