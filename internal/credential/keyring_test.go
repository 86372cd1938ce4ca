package credential

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	keyring "github.com/zalando/go-keyring"
)

func TestAHangingKeyringIsGivenThreeSecondsInTotal(t *testing.T) {
	for name, hangs := range map[string]func(op string) bool{
		"at once":      func(string) bool { return true },
		"when reading": func(op string) bool { return op == "get" },
	} {
		for op, call := range map[string]func(context.Context, Resolver) error{
			"read":   func(ctx context.Context, r Resolver) error { _, err := r.Token(ctx, work); return err },
			"probe":  func(ctx context.Context, r Resolver) error { return r.Probe(ctx, work).Err },
			"store":  func(ctx context.Context, r Resolver) error { _, err := r.Store(ctx, work, canary, false); return err },
			"delete": func(ctx context.Context, r Resolver) error { _, err := r.Delete(ctx, work); return err },
		} {
			t.Run(op+" "+name, func(t *testing.T) {
				dir := t.TempDir()
				synctest.Test(t, func(t *testing.T) {
					release := make(chan struct{})
					r := Resolver{File: filepath.Join(dir, "tokens.json"), Keyring: scripted(func(op string) (string, error) {
						if hangs(op) {
							<-release
						} else {
							<-time.After(2 * time.Second) // slow, and within the limit by itself
						}
						return canary, nil
					})}
					started := time.Now()
					wantReason(t, call(t.Context(), r), ReasonTimeout)
					if took := time.Since(started); took != keyringLimit {
						t.Errorf("it took %v, want %v", took, keyringLimit)
					}

					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					started = time.Now()
					if err := call(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("the error is %v, want that of the context", err)
					}
					if took := time.Since(started); took != time.Second {
						t.Errorf("it took %v, want %v", took, time.Second)
					}
					close(release)
					<-time.After(time.Minute) // of the bubble: lets the abandoned calls end
				})
				wantFiles(t, dir)
			})
		}
	}
}

func TestAHangingKeyringDoesNotHideTheFile(t *testing.T) {
	file := keep(t, canary)
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := Resolver{File: file, Keyring: scripted(func(string) (string, error) { <-release; return "", nil })}
		token, err := r.Token(t.Context(), work)
		if token.Reveal() != canary || token.Source() != SourceFile || err != nil {
			t.Errorf("the token is from %q, %v", token.Source(), err)
		}
		close(release)
	})
}

func TestAStoredTokenIsReadBack(t *testing.T) {
	for name, get := range map[string]func() (string, error){
		"nothing there":   func() (string, error) { return "", ErrNotFound },
		"another token":   func() (string, error) { return "older", nil },
		"token cut short": func() (string, error) { return canary[:5], nil },
	} {
		dir := t.TempDir()
		r := Resolver{File: filepath.Join(dir, "tokens.json"), Keyring: scripted(func(op string) (string, error) {
			if op == "set" {
				return "", nil
			}
			return get()
		})}
		source, err := r.Store(t.Context(), work, canary, false)
		if source != "" {
			t.Errorf("%s: reported as stored in %q", name, source)
		}
		wantReason(t, err, ReasonNotKept)
		wantFiles(t, dir)
	}
}

func TestAFailureOfTheKeyringSaysWhyAndNothingElse(t *testing.T) {
	for name, tt := range map[string]struct {
		keyring Keyring
		want    Reason
	}{
		"unsupported system":   {failing(keyring.ErrUnsupportedPlatform), ReasonAbsent},
		"token too long":       {failing(keyring.ErrSetDataTooBig), ReasonTooLong},
		"panic with the token": {scripted(func(string) (string, error) { panic(canary) }), ReasonOther},
		"panic with nil":       {scripted(func(string) (string, error) { var m *memory; return m.secrets[""], nil }), ReasonOther},
		"panic with an error":  {scripted(func(string) (string, error) { panic(errors.New(canary)) }), ReasonOther},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := Resolver{Keyring: tt.keyring, File: filepath.Join(dir, "tokens.json")}
			_, err := r.Token(t.Context(), work)
			wantReason(t, err, tt.want)
			_, err = r.Store(t.Context(), work, canary, false)
			wantReason(t, err, tt.want)
			_, err = r.Delete(t.Context(), work)
			wantReason(t, err, tt.want)
			wantFiles(t, dir)
		})
	}
}

func TestEveryReasonReadsAsASentence(t *testing.T) {
	seen := map[string]Reason{}
	for _, reason := range []Reason{
		ReasonAbsent, ReasonLocked, ReasonDismissed, ReasonTimeout, ReasonDenied, ReasonNotKept, ReasonTooLong, ReasonOther,
	} {
		text := (&KeyringError{Op: "store", Reason: reason}).Error()
		if other, ok := seen[text]; ok {
			t.Errorf("%q and %q read the same: %s", reason, other, text)
		}
		seen[text] = reason
	}
	got := (&KeyringError{"read", ReasonAbsent, "no session bus"}).Error()
	if want := "read the token: no keyring is reachable (no session bus)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
