package credential

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestTokenIsMasked(t *testing.T) {
	token, err := newToken(canary, SourceFile)
	if err != nil || token.Reveal() != canary || token.Source() != SourceFile {
		t.Fatalf("got %q from %q, %v", token.Reveal(), token.Source(), err)
	}
	wantSilent(t, token)
	wantSilent(t, &token)
	wantSilent(t, struct{ token Token }{token})
	wantSilent(t, Status{Token: token})
	for _, got := range []string{token.String(), token.GoString(), fmt.Sprintf("%d", token), token.LogValue().String()} {
		if got != "***" {
			t.Errorf("token printed as %q", got)
		}
	}
	if text, err := token.MarshalText(); string(text) != "***" || err != nil {
		t.Errorf("MarshalText returned %q, %v", text, err)
	}
	if text, err := token.MarshalJSON(); string(text) != `"***"` || err != nil {
		t.Errorf("MarshalJSON returned %s, %v", text, err)
	}
	if got := (Token{}).Reveal(); got != "" {
		t.Errorf("zero token reveals %q", got)
	}
}

func TestResolverHidesEnvironment(t *testing.T) {
	r := Resolver{Environment: canary}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%v %+v %#v %q %s %d %v %+v", r, r, r, r, r, r, &r, []Resolver{r})
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "resolver", r)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "resolver", r)
	if strings.Contains(out.String(), canary) {
		t.Errorf("token shown in %s", out.String())
	}
}

func TestValidate(t *testing.T) {
	for _, good := range []string{"a", "!~", canary, strings.Repeat("x", MaxLength), "Bearer", "bearer-token"} {
		if err := Validate(good); err != nil {
			t.Errorf("rejected a token of %d bytes: %v", len(good), err)
		}
	}
	for name, bad := range map[string]string{
		"empty":        "",
		"too long":     strings.Repeat("x", MaxLength+1),
		"space":        canary + " x",
		"scheme":       "Bearer " + canary,
		"line feed":    canary + "\nX-Injected: 1",
		"control":      canary + "\x1b[2J",
		"delete":       canary + "\x7f",
		"not ASCII":    canary + "é",
		"invalid UTF8": canary + "\xff",
	} {
		err := Validate(bad)
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: got error %v, want ErrInvalid", name, err)
		}
		wantSilent(t, err)
	}
}

func TestTrim(t *testing.T) {
	for _, pasted := range []string{"x", " x\n", "\tx\r\n", "\ufeffx\r\n", "\n\nx"} {
		if got := Trim(pasted); got != "x" {
			t.Errorf("Trim(%q) = %q", pasted, got)
		}
	}
}
