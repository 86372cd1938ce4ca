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

func TestKeyringTimeout(t *testing.T) {
	for name, hangs := range map[string]func(op string) bool{
		"immediately":  func(string) bool { return true },
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
							<-time.After(2 * time.Second) // slow, but by itself within the limit
						}
						return canary, nil
					})}
					started := time.Now()
					wantReason(t, call(t.Context(), r), ReasonTimeout)
					if took := time.Since(started); took != keyringLimit {
						t.Errorf("took %v, want %v", took, keyringLimit)
					}

					ctx, cancel := context.WithTimeout(t.Context(), time.Second)
					defer cancel()
					started = time.Now()
					if err := call(ctx, r); !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("got error %v, want context.DeadlineExceeded", err)
					}
					if took := time.Since(started); took != time.Second {
						t.Errorf("took %v, want %v", took, time.Second)
					}
					close(release)
					<-time.After(time.Minute) // lets the abandoned calls finish
				})
				wantFiles(t, dir)
			})
		}
	}
}

func TestHangingKeyringFallsBackToFile(t *testing.T) {
	file := tokenFileWith(t, canary)
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r := Resolver{File: file, Keyring: scripted(func(string) (string, error) { <-release; return "", nil })}
		token, err := r.Token(t.Context(), work)
		if token.Reveal() != canary || token.Source() != SourceFile || err != nil {
			t.Errorf("token from %q, %v", token.Source(), err)
		}
		close(release)
	})
}

func TestStoreReadsTokenBack(t *testing.T) {
	for name, get := range map[string]func() (string, error){
		"no entry":        func() (string, error) { return "", ErrNotFound },
		"another token":   func() (string, error) { return "older", nil },
		"truncated token": func() (string, error) { return canary[:5], nil },
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
		wantReason(t, err, ReasonNoEffect)
		wantFiles(t, dir)
	}
}

func TestKeyringErrorHidesToken(t *testing.T) {
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

func TestKeyringErrorText(t *testing.T) {
	seen := map[string]Reason{}
	for _, reason := range []Reason{
		ReasonAbsent, ReasonLocked, ReasonDismissed, ReasonTimeout, ReasonDenied, ReasonNoEffect, ReasonTooLong, ReasonOther,
	} {
		text := (&KeyringError{Op: "store", Reason: reason}).Error()
		if other, ok := seen[text]; ok {
			t.Errorf("%q and %q have the same text: %s", reason, other, text)
		}
		seen[text] = reason
	}
	got := (&KeyringError{"read", ReasonAbsent, "no session bus"}).Error()
	if want := "cannot read the token: no system keyring is available (no session bus)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
