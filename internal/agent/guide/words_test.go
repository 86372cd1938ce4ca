package guide

import (
	"slices"
	"testing"
)

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{
		"What's the -f flag, and -C?":   {"what", "the", "-f", "flag", "and", "-C"},
		"use --no-save or no-save":      {"use", "--no-save", "or", "no-save"},
		"HOBNOB_TOKEN=x":                {"hobnob_token", "x"},
		"don’t DON'T o'":                {"dont", "dont", "o"},
		"I log in; carry on":            {"i", "login", "continue"},
		"a - b -- c --- -":              {"a", "b", "c"},
		"127.0.0.1:8080":                {"127", "0", "0", "1", "8080"},
		"Größe 日本語":                     {"größe", "日本語"},
		"\xff\x00":                      nil,
		"x" + string(make([]byte, 100)): {"x"},
	} {
		if got := splitWords(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for _, forms := range [][]string{
		{"file", "files", "filing", "filed"},
		{"continue", "continues", "continued", "continuing"},
		{"set", "sets", "setting", "settings"},
		{"retry", "retries", "retried", "retrying"},
		{"connect", "connects", "connected", "connection", "connecting"},
		{"proxy", "proxies"},
		{"id", "ids"},
		{"run", "runs", "running"},
	} {
		for _, form := range forms[1:] {
			if stem(form) != stem(forms[0]) {
				t.Errorf("stem of %q is %q, but of %q it is %q", form, stem(form), forms[0], stem(forms[0]))
			}
		}
	}
	for _, word := range []string{"string", "no", "日本語", "-f", "s"} {
		if got := stem(word); got != word {
			t.Errorf("stem of %q: got %q", word, got)
		}
	}
}

func TestTypos(t *testing.T) {
	s := newSpeller([]string{"chat", "file", "token", "conversation", "continue", "paste", "start", "printed", "proxy"})
	for typed, want := range map[string]string{
		"caht": "chat", "fiel": "file", "convesation": "conversation", "cnoversation": "conversation",
		"contineu": "continue", "porxy": "proxy", "rpoxy": "proxy",
	} {
		if got, sure := s.correct(typed); got != want || sure < 0.6 {
			t.Errorf("%q: got %q (%.2f), want %q", typed, got, sure, want)
		}
	}
	for _, word := range []string{"pasta", "star", "printer", "weather", "x", "", "日本", "potato"} {
		if got, sure := s.correct(word); sure > 0.5 {
			t.Errorf("%q: got %q (%.2f), want no correction", word, got, sure)
		}
	}
}

func FuzzStem(f *testing.F) {
	f.Add("conversations")
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range splitWords(text) {
			if s := stem(w); s == "" || len(s) > len(w) {
				t.Errorf("stem of %q: got %q", w, s)
			}
		}
	})
}
