package credential

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestTokenPrintsAsStarsByEveryRoad(t *testing.T) {
	token, err := newToken(canary, SourceFile)
	if err != nil || token.Reveal() != canary || token.Source() != SourceFile {
		t.Fatalf("the token reveals %q from %q, %v", token.Reveal(), token.Source(), err)
	}
	wantSilent(t, token)
	wantSilent(t, &token)
	wantSilent(t, struct{ token Token }{token})
	wantSilent(t, Status{Token: token})
	for _, got := range []string{token.String(), token.GoString(), fmt.Sprintf("%d", token), token.LogValue().String()} {
		if got != "***" {
			t.Errorf("the token prints as %q", got)
		}
	}
	if text, err := token.MarshalText(); string(text) != "***" || err != nil {
		t.Errorf("MarshalText gives %q, %v", text, err)
	}
	if text, err := token.MarshalJSON(); string(text) != `"***"` || err != nil {
		t.Errorf("MarshalJSON gives %s, %v", text, err)
	}
	if got := (Token{}).Reveal(); got != "" {
		t.Errorf("the zero token reveals %q", got)
	}
}

func TestAResolverPrintsWithoutTheEnvironment(t *testing.T) {
	r := Resolver{Environment: canary}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%v %+v %#v %q %s %d %v %+v", r, r, r, r, r, r, &r, []Resolver{r})
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "resolver", r)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "resolver", r)
	if strings.Contains(out.String(), canary) {
		t.Errorf("the token shows in %s", out.String())
	}
}

func TestValidateTakesWhatAHeaderCanCarry(t *testing.T) {
	for _, good := range []string{"a", "!~", canary, strings.Repeat("x", MaxLength), "Bearer", "bearer-token"} {
		if err := Validate(good); err != nil {
			t.Errorf("a token of %d bytes is refused: %v", len(good), err)
		}
	}
	for name, bad := range map[string]string{
		"empty":        "",
		"too long":     strings.Repeat("x", MaxLength+1),
		"space":        canary + " x",
		"with scheme":  "Bearer " + canary,
		"line feed":    canary + "\nX-Injected: 1",
		"control":      canary + "\x1b[2J",
		"delete":       canary + "\x7f",
		"not ASCII":    canary + "é",
		"invalid UTF8": canary + "\xff",
	} {
		err := Validate(bad)
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: the error is %v, want ErrInvalid", name, err)
		}
		wantSilent(t, err)
	}
}

func TestTrimRemovesWhatAPasteAdds(t *testing.T) {
	for _, pasted := range []string{"x", " x\n", "\tx\r\n", "\ufeffx\r\n", "\n\nx"} {
		if got := Trim(pasted); got != "x" {
			t.Errorf("Trim(%q) = %q", pasted, got)
		}
	}
}
