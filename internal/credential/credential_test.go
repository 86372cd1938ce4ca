package credential

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	keyring "github.com/zalando/go-keyring"
)

// tokenFileWith writes a token file with a token for work.
func tokenFileWith(t *testing.T, token string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tokens.json")
	if err := setFile(path, work, token); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSourcePrecedence(t *testing.T) {
	command := printCommand(t, "from-command\n")
	full := keyringWith(map[string]string{"work https://chat.example.com": "from-keyring"})
	empty := keyringWith(nil)
	hidden := failing(keyring.ErrUnsupportedPlatform)
	file := tokenFileWith(t, "from-file")
	none := filepath.Join(t.TempDir(), "none", "tokens.json")

	for name, tt := range map[string]struct {
		r      Resolver
		want   string
		source Source
		err    error // for errors.Is
		reason Reason
	}{
		"all":                       {Resolver{Environment: "from-env", Command: command, Keyring: full, File: file}, "from-env", SourceEnvironment, nil, ""},
		"command, keyring and file": {Resolver{Command: command, Keyring: full, File: file}, "from-command", SourceCommand, nil, ""},
		"keyring and file":          {Resolver{Keyring: full, File: file}, "from-keyring", SourceKeyring, nil, ""},
		"file":                      {Resolver{Keyring: empty, File: file}, "from-file", SourceFile, nil, ""},
		"file, no keyring":          {Resolver{Keyring: hidden, File: file}, "from-file", SourceFile, nil, ""},
		"no token":                  {Resolver{Keyring: empty, File: none}, "", "", ErrNoToken, ""},
		"no token, no file path":    {Resolver{Keyring: empty}, "", "", ErrNoToken, ""},
		"no token, no keyring":      {Resolver{Keyring: hidden, File: none}, "", "", nil, ReasonAbsent},
		"surrounding white space":   {Resolver{Environment: " from-env\r\n"}, "from-env", SourceEnvironment, nil, ""},
		"blank environment":         {Resolver{Environment: " ", Keyring: full}, "", "", ErrInvalid, ""},
		"broken environment":        {Resolver{Environment: "a b", Keyring: full}, "", "", ErrInvalid, ""},
		"broken keyring entry":      {Resolver{Keyring: keyringWith(map[string]string{"work https://chat.example.com": "a\nb"}), File: file}, "", "", ErrInvalid, ""},
		"broken file entry":         {Resolver{Keyring: empty, File: tokenFileWith(t, "a\nb")}, "", "", ErrInvalid, ""},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(token Token, err error) {
				t.Helper()
				if token.Reveal() != tt.want || token.Source() != tt.source {
					t.Errorf("got %q from %q, want %q from %q", token.Reveal(), token.Source(), tt.want, tt.source)
				}
				switch {
				case tt.reason != "":
					wantReason(t, err, tt.reason)
				case !errors.Is(err, tt.err):
					t.Errorf("got error %v, want %v", err, tt.err)
				}
			}
			check(tt.r.Token(t.Context(), work))
			status := tt.r.Probe(t.Context(), work)
			check(status.Token, status.Err)
		})
	}
	if _, err := os.Stat(filepath.Dir(none)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("directory of the token file was created: %v", err)
	}
}

func TestProbeReportsKeyring(t *testing.T) {
	absent := failing(keyring.ErrUnsupportedPlatform)
	status := Resolver{Environment: canary, Keyring: absent}.Probe(t.Context(), work)
	wantReason(t, status.Keyring, ReasonAbsent)
	if status.Err != nil || status.Token.Source() != SourceEnvironment {
		t.Errorf("token from %q, %v", status.Token.Source(), status.Err)
	}
	status = Resolver{Keyring: keyringWith(nil)}.Probe(t.Context(), work)
	if status.Keyring != nil || !errors.Is(status.Err, ErrNoToken) {
		t.Errorf("empty keyring: %v and %v", status.Keyring, status.Err)
	}
}

func TestTokenBelongsToProfileAndOrigin(t *testing.T) {
	for _, insecure := range []bool{false, true} {
		r := Resolver{Keyring: keyringWith(nil), File: filepath.Join(t.TempDir(), "tokens.json")}
		if _, err := r.Store(t.Context(), work, canary, insecure); err != nil {
			t.Fatal(err)
		}
		for _, other := range []Key{
			{"work", "https://chat.example.org"},
			{"work", "http://chat.example.com"},
			{"work", "https://chat.example.com:8443"},
			{"Work", "https://chat.example.com"},
			{"wor", "https://chat.example.com"},
			{"work2", "https://chat.example.com"},
		} {
			if token, err := r.Token(t.Context(), other); !errors.Is(err, ErrNoToken) {
				t.Errorf("%v got a token from %q, %v", other, token.Source(), err)
			}
		}
	}
}

func TestInvalidKeys(t *testing.T) {
	r := Resolver{Keyring: keyringWith(nil), File: filepath.Join(t.TempDir(), "tokens.json")}
	for _, key := range []Key{
		{},
		{"", "https://chat.example.com"},
		{"work", ""},
		{"work", "https://a https://b"},
		{"work\n", "https://a"},
		{"work\x00", "https://a"},
		{"wo\xffrk", "https://a"},
		{"work", "https://a\xff"},
		{"work", "https://a\t"},
	} {
		if _, err := r.Store(t.Context(), key, canary, false); err == nil {
			t.Errorf("stored a token in the keyring for %q", key)
		}
		if _, err := r.Store(t.Context(), key, canary, true); err == nil {
			t.Errorf("stored a token in the file for %q", key)
		}
		if _, err := r.Token(t.Context(), key); err == nil || errors.Is(err, ErrNoToken) {
			t.Errorf("Token for %q: %v", key, err)
		}
		if _, err := r.Delete(t.Context(), key); err == nil {
			t.Errorf("deleted a token for %q", key)
		}
	}
}

func TestStoreRemovesTokenFromOtherPlace(t *testing.T) {
	ring := keyringWith(nil)
	dir := t.TempDir()
	r := Resolver{Keyring: ring, File: filepath.Join(dir, "tokens.json")}
	for _, step := range []struct {
		insecure bool
		want     Source
		keyring  int
		files    []string
	}{
		{false, SourceKeyring, 1, nil},
		{true, SourceFile, 0, []string{"tokens.json", "tokens.json.lock"}},
		{false, SourceKeyring, 1, []string{"tokens.json.lock"}},
	} {
		source, err := r.Store(t.Context(), work, canary, step.insecure)
		if source != step.want || err != nil {
			t.Fatalf("stored in %q, %v; want %q", source, err, step.want)
		}
		if len(ring.secrets) != step.keyring {
			t.Errorf("%d entries in the keyring after storing in the %s", len(ring.secrets), source)
		}
		wantFiles(t, dir, step.files...)
	}
}

func TestStoreReportsLeftoverToken(t *testing.T) {
	var leftover *LeftoverError

	r := Resolver{Keyring: failing(errors.New("broken")), File: filepath.Join(t.TempDir(), "tokens.json")}
	source, err := r.Store(t.Context(), work, canary, true)
	if source != SourceFile || !errors.As(err, &leftover) || leftover.Source != SourceKeyring {
		t.Errorf("stored in %q with %v, want the file and a LeftoverError for the keyring", source, err)
	}
	wantSilent(t, err)
	r.Keyring = failing(keyring.ErrUnsupportedPlatform)
	if source, err := r.Store(t.Context(), work, canary, true); source != SourceFile || err != nil {
		t.Errorf("no keyring: stored in %q, %v", source, err)
	}

	r.Keyring = keyringWith(nil)
	if err := os.WriteFile(r.File, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	source, err = r.Store(t.Context(), work, canary, false)
	if source != SourceKeyring || !errors.As(err, &leftover) || leftover.Source != SourceFile {
		t.Errorf("stored in %q with %v, want the keyring and a LeftoverError for the file", source, err)
	}
	if token, err := r.Token(t.Context(), work); token.Source() != SourceKeyring || err != nil {
		t.Errorf("token from %q, %v", token.Source(), err)
	}
}

func TestStoreRefusesInvalidToken(t *testing.T) {
	dir := t.TempDir()
	ring := keyringWith(nil)
	r := Resolver{Keyring: ring, File: filepath.Join(dir, "tokens.json")}
	for _, insecure := range []bool{false, true} {
		_, err := r.Store(t.Context(), work, canary+"\n", insecure)
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("got error %v, want ErrInvalid", err)
		}
		wantSilent(t, err)
	}
	if len(ring.secrets) > 0 {
		t.Error("the keyring was written to")
	}
	wantFiles(t, dir)
}

func TestDeleteReportsSources(t *testing.T) {
	const user = "work https://chat.example.com"
	absent := failing(keyring.ErrUnsupportedPlatform)
	broken := failing(errors.New("broken"))
	for name, tt := range map[string]struct {
		keyring Keyring
		filed   bool
		want    []Source
		reason  Reason
	}{
		"both":                   {keyringWith(map[string]string{user: canary}), true, []Source{SourceKeyring, SourceFile}, ""},
		"keyring":                {keyringWith(map[string]string{user: canary}), false, []Source{SourceKeyring}, ""},
		"file":                   {keyringWith(nil), true, []Source{SourceFile}, ""},
		"none":                   {keyringWith(nil), false, nil, ""},
		"file, no keyring":       {absent, true, []Source{SourceFile}, ""},
		"no keyring, no file":    {absent, false, nil, ReasonAbsent},
		"file, keyring broken":   {broken, true, []Source{SourceFile}, ReasonOther},
		"deletion has no effect": {scripted(func(string) (string, error) { return canary, nil }), false, nil, ReasonNoEffect},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := Resolver{Keyring: tt.keyring, File: filepath.Join(dir, "tokens.json")}
			if tt.filed {
				r.File = tokenFileWith(t, canary)
			}
			got, err := r.Delete(t.Context(), work)
			if !slices.Equal(got, tt.want) {
				t.Errorf("deleted from %q, want %q", got, tt.want)
			}
			if tt.reason != "" {
				wantReason(t, err, tt.reason)
			} else if err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(r.File); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("empty token file still exists: %v", err)
			}
			wantFiles(t, dir)
		})
	}
}

func TestCancelledContextStoresNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ring := keyringWith(nil)
	r := Resolver{Keyring: ring}
	if _, err := r.Store(ctx, work, canary, false); !errors.Is(err, context.Canceled) || len(ring.secrets) > 0 {
		t.Errorf("got error %v, %d entries", err, len(ring.secrets))
	}
	if _, err := r.Token(ctx, work); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want context.Canceled", err)
	}
}

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
		"file":        {Resolver{Keyring: empty, File: path}, func() error { return setFile(path, work, fresh) }, fresh},
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
