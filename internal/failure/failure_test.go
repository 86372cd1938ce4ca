package failure_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

func TestOfTakesTheOutermostExplainer(t *testing.T) {
	inner := failure.New(failure.Auth, failure.Plain("inner"), "no token")
	for _, c := range []struct {
		err  error
		kind failure.Kind
		hint string
	}{
		{errors.New("x"), failure.Other, ""},
		{inner, failure.Auth, "inner"},
		{fmt.Errorf("wrapped: %w", inner), failure.Auth, "inner"},
		{failure.WithHint(inner, "outer"), failure.Auth, "outer"},
		{errors.Join(errors.New("x"), inner), failure.Auth, "inner"},
	} {
		f := failure.Of(c.err)
		if f.Kind != c.kind || f.Hint.For("") != c.hint {
			t.Errorf("%v: %v, %q; want %v, %q", c.err, f.Kind, f.Hint.For(""), c.kind, c.hint)
		}
	}
	if err := failure.WithHint(inner, "outer"); !errors.Is(err, inner) || err.Error() != "no token" {
		t.Errorf("WithHint changed the error to %v", err)
	}
}

func TestCommandsOfAHintNameTheProfileThatWasChosen(t *testing.T) {
	login := failure.Run("hobnob login")
	for _, c := range []struct {
		hint           failure.Hint
		selected, want string
	}{
		{failure.Hintf("store one with %s, or set HOBNOB_TOKEN", login), "", "store one with hobnob login, or set HOBNOB_TOKEN"},
		{failure.Hintf("store one with %s, or set HOBNOB_TOKEN", login), "work", "store one with hobnob login -p work, or set HOBNOB_TOKEN"},
		{failure.Hintf("%s, then: %s", failure.Hintf("run %s", login), failure.Run("hobnob resend %s", "3f2a").In("lab")), "it's", `run hobnob login -p 'it'\''s', then: hobnob resend 3f2a -p lab`},
		{failure.Plain("100% of %s"), "work", "100% of %s"},
		{failure.Hint{}, "work", ""},
	} {
		if got := c.hint.For(c.selected); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if !failure.Plain("").IsZero() || failure.Plain("x").IsZero() {
		t.Error("IsZero is wrong")
	}
}

func TestKindsAreKnownByTheirNames(t *testing.T) {
	for kind := failure.Other; kind <= failure.Unrecorded; kind++ {
		if parsed := failure.ParseKind(kind.String()); parsed.String() != kind.String() || kind.String() == "" || kind.Exit() == 0 {
			t.Errorf("kind %d: %q, exit code %d, read as %v", kind, kind, kind.Exit(), parsed)
		}
	}
	if got := failure.ParseKind("from a newer hobnob"); got != failure.Unrecorded {
		t.Errorf("an unknown name is %v", got)
	}
	described := map[int]bool{}
	for _, code := range failure.ExitCodes() {
		described[code.Code] = true
	}
	for kind := failure.Other; kind <= failure.Unrecorded; kind++ {
		if !described[kind.Exit()] {
			t.Errorf("exit code %d of kind %v is not described", kind.Exit(), kind)
		}
	}
}
