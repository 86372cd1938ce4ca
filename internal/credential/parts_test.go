package credential

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	keyring "github.com/zalando/go-keyring"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// short is a Keyring with the limit of Windows. After left writes, it fails.
type short struct {
	*memory
	left int
}

func (s *short) Set(service, user, secret string) error {
	if len(secret) > 2560 {
		return keyring.ErrSetDataTooBig
	}
	if s.left--; s.left < 0 {
		return &KeyringError{Reason: ReasonDenied}
	}
	return s.memory.Set(service, user, secret)
}

func entries(k *short) []string { return slices.Sorted(maps.Keys(k.secrets)) }

func TestLongLoginIsStoredInParts(t *testing.T) {
	k := &short{keyringWith(nil), 1000}
	r := Resolver{Keyring: k, LockDir: t.TempDir()}
	long := grantFor("long", time.Hour)
	for i, size := range []int{2000, 5000, 8000, 3000, 10, 8000} {
		long.AccessToken = canary + strings.Repeat(string(rune('a'+i)), size)
		if source, err := r.StoreLogin(t.Context(), work, long, false); err != nil || source != SourceKeyring {
			t.Fatal(source, err)
		}
		token, err := r.Token(t.Context(), work)
		if err != nil || token.Reveal() != long.AccessToken || token.grant().RefreshToken != long.RefreshToken {
			t.Fatalf("a token of %d bytes: %v", size, err)
		}
		if got, want := len(entries(k)), (size+maxPart+500)/maxPart+1; size > 2048 && got != want || size < 2048 && got != 1 {
			t.Errorf("a token of %d bytes is in %q", size, entries(k))
		}
	}
	if _, _, err := r.Logout(t.Context(), work); err != nil || len(entries(k)) != 0 {
		t.Errorf("%q remain: %v", entries(k), err)
	}
}

// A change that is interrupted at any point leaves the old value.
func TestInterruptedChangeOfPartsHasNoEffect(t *testing.T) {
	before, after := canary+strings.Repeat("b", 7000), canary+strings.Repeat("a", 7900)
	for writes := range 5 {
		k := &short{keyringWith(nil), 1000}
		r := Resolver{Keyring: k}
		if _, err := r.Store(t.Context(), work, before, false); err != nil {
			t.Fatal(err)
		}
		k.left = writes
		if _, err := r.Store(t.Context(), work, after, false); err == nil {
			t.Errorf("stored with %d writes", writes)
		}
		if token, err := r.Token(t.Context(), work); err != nil || token.Reveal() != before {
			t.Errorf("%d writes: %v", writes, err)
		}
	}
}

func TestMissingPartIsReported(t *testing.T) {
	k := &short{keyringWith(nil), 1000}
	r := Resolver{Keyring: k}
	if _, err := r.Store(t.Context(), work, canary+strings.Repeat("b", 7000), false); err != nil {
		t.Fatal(err)
	}
	delete(k.secrets, entries(k)[2])
	_, err := r.Token(t.Context(), work)
	if err == nil || !strings.Contains(err.Error(), "incomplete entry") || failure.Of(err).Kind != failure.Auth {
		t.Error(err)
	}
	wantSilent(t, err)
	if _, err := r.Delete(t.Context(), work); err != nil || len(entries(k)) != 0 {
		t.Errorf("%q remain: %v", entries(k), err)
	}
}
