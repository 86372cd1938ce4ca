package credential

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	keyring "github.com/zalando/go-keyring"
)

func TestCopyUsesSamePlace(t *testing.T) {
	office := Key{"office", work.Origin}
	full := keyringWith(map[string]string{"work https://chat.example.com": "from-keyring"})
	for name, tt := range map[string]struct {
		r      Resolver
		source Source
		token  string
	}{
		"keyring":          {Resolver{Keyring: full, Environment: "other", Command: []string{"false"}}, SourceKeyring, "from-keyring"},
		"file":             {Resolver{Keyring: keyringWith(nil), File: tokenFileWith(t, "from-file")}, SourceFile, "from-file"},
		"file, no keyring": {Resolver{Keyring: failing(keyring.ErrUnsupportedPlatform), File: tokenFileWith(t, "from-file")}, SourceFile, "from-file"},
		"no token":         {Resolver{Keyring: keyringWith(nil)}, "", ""},
		"no keyring":       {Resolver{Keyring: failing(keyring.ErrUnsupportedPlatform)}, "", ""},
	} {
		source, err := tt.r.Copy(t.Context(), work, office)
		tt.r.Environment, tt.r.Command = "", nil
		token, _ := tt.r.Token(t.Context(), office)
		if source != tt.source || token.Reveal() != tt.token || token.Source() != tt.source && !IsAbsent(err) {
			t.Errorf("%s: %q, %v; then %q from %q", name, source, err, token.Reveal(), token.Source())
		}
	}
	locked := Resolver{Keyring: failing(errors.New("locked"))}
	if source, err := locked.Copy(t.Context(), work, office); err == nil || source != "" {
		t.Errorf("failing keyring: %q, %v", source, err)
	}
}

func TestDeleteProfileRemovesAllOrigins(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	elsewhere, other := Key{"work", "https://elsewhere.example.com"}, Key{"home", work.Origin}
	for _, ring := range []Keyring{keyringWith(map[string]string{"work https://chat.example.com": "t"}), failing(keyring.ErrUnsupportedPlatform)} {
		r := Resolver{Keyring: ring, File: path}
		for _, key := range []Key{elsewhere, other} {
			if err := setFile(r.File, key, "t"); err != nil {
				t.Fatal(err)
			}
		}
		from, err := r.DeleteProfile(t.Context(), work)
		if err != nil || !slices.Contains(from, SourceFile) {
			t.Errorf("removed from %v, %v", from, err)
		}
		for key, want := range map[Key]bool{work: false, elsewhere: false, other: true} {
			if token, _ := r.Token(t.Context(), key); (token.Reveal() != "") != want {
				t.Errorf("%v has a token: %t, want %t", key, !want, want)
			}
		}
	}
	if from, err := (Resolver{File: path}).DeleteProfile(t.Context(), Key{Profile: "nope"}); err != nil || len(from) != 0 {
		t.Errorf("removed from %v, %v", from, err)
	}
}
