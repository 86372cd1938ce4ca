package credential

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRenewReadsSourceAgain(t *testing.T) {
	const entry, fresh = "work https://chat.example.com", "fresh-5f0c2b1e9a"
	ring := keyringWith(map[string]string{entry: canary})
	path := tokenFileWith(t, canary)
	dir := t.TempDir()
	answer := filepath.Join(dir, "answer")
	if err := os.WriteFile(answer, []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := keyringWith(nil)
	for name, tt := range map[string]struct {
		r      Resolver
		change func() error
		want   string
	}{
		"environment": {Resolver{Environment: canary, Keyring: ring, File: path}, func() error { return nil }, canary},
		"keyring":     {Resolver{Keyring: ring}, func() error { return ring.Set("hobnob", entry, fresh) }, fresh},
		"file":        {Resolver{Keyring: empty, File: path}, func() error { return Resolver{File: path}.setFile(work, fresh) }, fresh},
		"command":     {Resolver{Command: testCommand(t, "show"), Dir: dir}, func() error { return os.WriteFile(answer, []byte(fresh), 0o600) }, fresh},
	} {
		t.Run(name, func(t *testing.T) {
			refused, err := tt.r.Token(t.Context(), work)
			if err != nil || refused.Reveal() != canary {
				t.Fatalf("got the token %q, %v", refused.Reveal(), err)
			}
			same, err := tt.r.Renew(t.Context(), work, refused)
			if err != nil || same.Reveal() != canary {
				t.Errorf("unchanged: got the token %q, %v", same.Reveal(), err)
			}
			if err := tt.change(); err != nil {
				t.Fatal(err)
			}
			token, err := tt.r.Renew(t.Context(), work, refused)
			if err != nil || token.Reveal() != tt.want || token.Source() != refused.Source() {
				t.Errorf("got the token %q from %q, %v", token.Reveal(), token.Source(), err)
			}
		})
	}
	// After a logout in another process there is no token.
	if _, err := (Resolver{Keyring: empty}).Renew(t.Context(), work, Token{}); !errors.Is(err, ErrNoToken) {
		t.Errorf("got error %v", err)
	}
}

func TestCommandRunsInDirectoryAndEnvironment(t *testing.T) {
	dir := t.TempDir()
	r := Resolver{Command: testCommand(t, "where"), Dir: dir}
	for _, variable := range os.Environ() {
		if !strings.HasPrefix(variable, "HOBNOB_TEST_OUTPUT=") {
			r.Variables = append(r.Variables, variable)
		}
	}
	r.Variables = append(r.Variables, "HOBNOB_TEST_OUTPUT="+canary)
	token, err := r.Token(t.Context(), work)
	if want := filepath.Base(dir) + "/" + canary; err != nil || token.Reveal() != want {
		t.Errorf("got the token %q, %v, want %q", token.Reveal(), err, want)
	}
}
