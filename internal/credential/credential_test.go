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

// keep writes a token file with the one token for work.
func keep(t *testing.T, token string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tokens.json")
	if err := (Resolver{File: path}).setFile(work, token); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheFirstSourceThatHasATokenGivesIt(t *testing.T) {
	command := printing(t, "from-command\n")
	full := remembering(map[string]string{"work https://chat.example.com": "from-keyring"})
	empty := remembering(nil)
	hidden := failing(keyring.ErrUnsupportedPlatform)
	file := keep(t, "from-file")
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
		"nothing":                   {Resolver{Keyring: empty, File: none}, "", "", ErrNoToken, ""},
		"nothing, no file at all":   {Resolver{Keyring: empty}, "", "", ErrNoToken, ""},
		"nothing, no keyring":       {Resolver{Keyring: hidden, File: none}, "", "", nil, ReasonAbsent},
		"white space around":        {Resolver{Environment: " from-env\r\n"}, "from-env", SourceEnvironment, nil, ""},
		"blank environment":         {Resolver{Environment: " ", Keyring: full}, "", "", ErrInvalid, ""},
		"broken environment":        {Resolver{Environment: "a b", Keyring: full}, "", "", ErrInvalid, ""},
		"broken keyring entry":      {Resolver{Keyring: remembering(map[string]string{"work https://chat.example.com": "a\nb"}), File: file}, "", "", ErrInvalid, ""},
		"broken file entry":         {Resolver{Keyring: empty, File: keep(t, "a\nb")}, "", "", ErrInvalid, ""},
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
					t.Errorf("the error is %v, want %v", err, tt.err)
				}
			}
			check(tt.r.Token(t.Context(), work))
			status := tt.r.Probe(t.Context(), work)
			check(status.Token, status.Err)
		})
	}
	if _, err := os.Stat(filepath.Dir(none)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking for a token made the directory of the file: %v", err)
	}
}

func TestProbeTellsWhetherTheKeyringAnswers(t *testing.T) {
	absent := failing(keyring.ErrUnsupportedPlatform)
	status := Resolver{Environment: canary, Keyring: absent}.Probe(t.Context(), work)
	wantReason(t, status.Keyring, ReasonAbsent)
	if status.Err != nil || status.Token.Source() != SourceEnvironment {
		t.Errorf("the token is from %q, %v", status.Token.Source(), status.Err)
	}
	status = Resolver{Keyring: remembering(nil)}.Probe(t.Context(), work)
	if status.Keyring != nil || !errors.Is(status.Err, ErrNoToken) {
		t.Errorf("an empty keyring gives %v and %v", status.Keyring, status.Err)
	}
}

func TestATokenIsBoundToProfileAndOrigin(t *testing.T) {
	for _, insecure := range []bool{false, true} {
		r := Resolver{Keyring: remembering(nil), File: filepath.Join(t.TempDir(), "tokens.json")}
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
				t.Errorf("%v is given a token from %q, %v", other, token.Source(), err)
			}
		}
	}
}

func TestAKeyThatCouldBeMistakenForAnotherIsRefused(t *testing.T) {
	r := Resolver{Keyring: remembering(nil), File: filepath.Join(t.TempDir(), "tokens.json")}
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
			t.Errorf("a token is stored for %q", key)
		}
		if _, err := r.Store(t.Context(), key, canary, true); err == nil {
			t.Errorf("a token is filed for %q", key)
		}
		if _, err := r.Token(t.Context(), key); err == nil || errors.Is(err, ErrNoToken) {
			t.Errorf("a token is looked for under %q: %v", key, err)
		}
		if _, err := r.Delete(t.Context(), key); err == nil {
			t.Errorf("a token is deleted under %q", key)
		}
	}
}

func TestStoringInOnePlaceRemovesTheTokenFromTheOther(t *testing.T) {
	kept := remembering(nil)
	dir := t.TempDir()
	r := Resolver{Keyring: kept, File: filepath.Join(dir, "tokens.json")}
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
		if len(kept.secrets) != step.keyring {
			t.Errorf("%d entries in the keyring after storing in the %s", len(kept.secrets), source)
		}
		wantFiles(t, dir, step.files...)
	}
}

func TestStoringSaysWhenAnOlderTokenMayRemain(t *testing.T) {
	var leftover *LeftoverError

	r := Resolver{Keyring: failing(errors.New("broken")), File: filepath.Join(t.TempDir(), "tokens.json")}
	source, err := r.Store(t.Context(), work, canary, true)
	if source != SourceFile || !errors.As(err, &leftover) || leftover.Source != SourceKeyring {
		t.Errorf("stored in %q with %v, want the file and a word on the keyring", source, err)
	}
	wantSilent(t, err)
	r.Keyring = failing(keyring.ErrUnsupportedPlatform)
	if source, err := r.Store(t.Context(), work, canary, true); source != SourceFile || err != nil {
		t.Errorf("with no keyring the token is stored in %q, %v", source, err)
	}

	r.Keyring = remembering(nil)
	if err := os.WriteFile(r.File, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	source, err = r.Store(t.Context(), work, canary, false)
	if source != SourceKeyring || !errors.As(err, &leftover) || leftover.Source != SourceFile {
		t.Errorf("stored in %q with %v, want the keyring and a word on the file", source, err)
	}
	if token, err := r.Token(t.Context(), work); token.Source() != SourceKeyring || err != nil {
		t.Errorf("the token is from %q, %v", token.Source(), err)
	}
}

func TestAnUnusableTokenIsNeverStored(t *testing.T) {
	dir := t.TempDir()
	kept := remembering(nil)
	r := Resolver{Keyring: kept, File: filepath.Join(dir, "tokens.json")}
	for _, insecure := range []bool{false, true} {
		_, err := r.Store(t.Context(), work, canary+"\n", insecure)
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("the error is %v, want ErrInvalid", err)
		}
		wantSilent(t, err)
	}
	if len(kept.secrets) > 0 {
		t.Error("the keyring was written to")
	}
	wantFiles(t, dir)
}

func TestDeleteSaysFromWhere(t *testing.T) {
	const user = "work https://chat.example.com"
	absent := failing(keyring.ErrUnsupportedPlatform)
	broken := failing(errors.New("broken"))
	for name, tt := range map[string]struct {
		keyring Keyring
		filed   bool
		want    []Source
		reason  Reason
	}{
		"both":                  {remembering(map[string]string{user: canary}), true, []Source{SourceKeyring, SourceFile}, ""},
		"keyring":               {remembering(map[string]string{user: canary}), false, []Source{SourceKeyring}, ""},
		"file":                  {remembering(nil), true, []Source{SourceFile}, ""},
		"nothing":               {remembering(nil), false, nil, ""},
		"file, no keyring":      {absent, true, []Source{SourceFile}, ""},
		"no keyring, no file":   {absent, false, nil, ReasonAbsent},
		"file, keyring broken":  {broken, true, []Source{SourceFile}, ReasonOther},
		"deletion is pretended": {scripted(func(string) (string, error) { return canary, nil }), false, nil, ReasonNotKept},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := Resolver{Keyring: tt.keyring, File: filepath.Join(dir, "tokens.json")}
			if tt.filed {
				r.File = keep(t, canary)
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
				t.Errorf("the empty token file is still there: %v", err)
			}
			wantFiles(t, dir)
		})
	}
}

func TestAnEndedContextStoresNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	kept := remembering(nil)
	r := Resolver{Keyring: kept}
	if _, err := r.Store(ctx, work, canary, false); !errors.Is(err, context.Canceled) || len(kept.secrets) > 0 {
		t.Errorf("the error is %v, %d entries", err, len(kept.secrets))
	}
	if _, err := r.Token(ctx, work); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want context.Canceled", err)
	}
}
