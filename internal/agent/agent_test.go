package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestEchoReturnsLastUserMessage(t *testing.T) {
	for _, text := range []string{"hello", "", "  two\r\n\nlines \n", "\x00\xff\x1b[31m", "日本語"} {
		a, err := builtin(t, "echo").Complete(t.Context(), []Message{{"user", "before"}, {"assistant", "yes"}, {"user", text}, {"assistant", "no"}})
		if err != nil || a.Content != text || a.Model != "echo" {
			t.Errorf("%q: %+v, %v", text, a, err)
		}
	}
}

func TestEchoNeedsQuestion(t *testing.T) {
	if _, err := builtin(t, "echo").Complete(t.Context(), []Message{{"assistant", "hello"}}); !errors.Is(err, ErrNoQuestion) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := builtin(t, "echo").Complete(ctx, []Message{{"user", "hello"}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]int64{"": 0, "a": 1, "abcd": 1, "abcde": 2, "日本語": 3} {
		if got := tokens(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
	for _, a := range []Agent{builtin(t, "echo"), builtin(t, "guide")} {
		got, err := a.Complete(t.Context(), []Message{{"user", "abcd"}, {"assistant", "abcdefgh"}, {"user", "proxy"}})
		if err != nil || got.PromptTokens != 1+2+2 || got.CompletionTokens != tokens(got.Content) {
			t.Errorf("%s: %d and %d tokens, %v", got.Model, got.PromptTokens, got.CompletionTokens, err)
		}
	}
}

func TestGuideAnswersUserMessages(t *testing.T) {
	g := builtin(t, "guide")
	a, err := g.Complete(t.Context(), []Message{{"user", "proxy"}, {"assistant", "colours"}, {"system", "log out"}})
	if err != nil || !strings.HasPrefix(a.Content, "## Go through a proxy\n") || a.Model != "guide" {
		t.Errorf("got %+v, %v", a, err)
	}
	if _, err := g.Complete(t.Context(), []Message{{"assistant", "hello"}}); !errors.Is(err, ErrNoQuestion) {
		t.Errorf("without a question: %v", err)
	}
}

func TestGuideReturnsContextError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := builtin(t, "guide").Complete(ctx, []Message{{"user", "proxy"}}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// builtin returns a built-in agent by name.
func builtin(t *testing.T, name string) Agent {
	t.Helper()
	table := Builtins()
	a, err := table[slices.IndexFunc(table, func(b Builtin) bool { return b.Name == name })].New()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestBuiltinsAreUnique(t *testing.T) {
	names := map[string]bool{}
	for _, b := range Builtins() {
		if names[b.Name] || names[b.ID] || len(b.ID) != 36 || strings.ToLower(b.ID) != b.ID {
			t.Errorf("%q has the ID %q", b.Name, b.ID)
		}
		names[b.Name], names[b.ID] = true, true
	}
	if ids := BuiltinIDs(); len(ids)*2 != len(names) || ids["guide"] != GuideID || ids["echo"] != EchoID {
		t.Errorf("BuiltinIDs() = %v", ids)
	}
}
