package guide

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/docs"
)

func newTestGuide(t testing.TB) *Guide {
	t.Helper()
	g, err := New(docs.Guide)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestAnswerHasCommands(t *testing.T) {
	got := newTestGuide(t).Answer([]string{"how do I pipe a file into a chat?"})
	for _, want := range []string{
		"## Pipe a file into a chat\n",
		"```sh\nhobnob chat \"summarise\" < notes.txt\ncat error.log | hobnob chat \"what went wrong?\"\n```",
		"and in PowerShell?",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestSeeAlso(t *testing.T) {
	got := newTestGuide(t).Answer([]string{"list conversations"})
	_, also, ok := strings.Cut(got, "**See also:** ")
	if n := strings.Count(also, "·") + 1; !ok || n > 2 {
		t.Errorf("want one or two names in:\n%s", got)
	}
}

func TestFollowUps(t *testing.T) {
	const pipe = "how do I pipe a file into a chat?"
	tests := []struct {
		name      string
		questions []string
		want      []string // each is in the answer
	}{
		{"platform of the section", []string{pipe, "and in PowerShell?"},
			[]string{"## Pipe a file into a chat (PowerShell)", "Get-Content error.log | hobnob chat \"what went wrong?\""}},
		{"mistyped platform", []string{pipe, "what about powershel?"}, []string{"## Pipe a file into a chat (PowerShell)"}},
		{"similar platform", []string{pipe, "and on Windows?"}, []string{"## Pipe a file into a chat (PowerShell)"}},
		{"two platforms in a row", []string{pipe, "and in PowerShell?", "fish?"}, []string{"## Pipe a file into a chat (fish)"}},
		{"platform without variant", []string{"list my conversations", "and in PowerShell?"},
			[]string{"## List your conversations\n", "The manual has no PowerShell variant for this", "hobnob conversations list"}},
		{"POSIX platform without variant", []string{pipe, "and on macOS?"},
			[]string{"The manual has no macOS variant for this", "need no change", "cat error.log | hobnob chat"}},
		{"platform in the question", []string{"how do I pipe a file in powershell?"}, []string{"## Pipe a file into a chat (PowerShell)"}},
		{"platform without question", []string{"powershell?"}, []string{"## Use hobnob in PowerShell"}},
		{"next sections", []string{"how do I list my conversations?", "more"}, []string{"## List conversations"}},
		{"next sections for a platform", []string{pipe, "and in PowerShell?", "show me more"}, []string{"(PowerShell)"}},
		{"no more sections", []string{"proxy", "more", "more", "more", "more"}, []string{"The guide has nothing more on that.", "- Go through a proxy"}},
		{"more after a refusal", []string{"how do I cook pasta?", "more"}, []string{refusal}},
		{"more without earlier question", []string{"more"}, []string{"Its topics:", "Remove an agent"}},
		{"continue as subject", []string{"continue"}, []string{"## Continue a conversation"}},
		{"continue as more", []string{"how do I list my conversations?", "continue", "continue"}, []string{"## "}},
		{"pronoun", []string{"how do I list my conversations?", "and how do I delete them?"}, []string{"## Delete or restore a conversation"}},
		{"new subject", []string{pipe, "and how do I log out?"}, []string{"## Log out"}},
		{"unknown subject", []string{pipe, "and how do I cook pasta?"}, []string{refusal}},
		{"platform after an unknown subject", []string{"how do I cook pasta?", "and in PowerShell?"}, []string{refusal}},
	}
	g := newTestGuide(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := g.Answer(tt.questions)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in:\n%s", want, got)
				}
			}
		})
	}
}

func TestMoreRepeatsNoSection(t *testing.T) {
	g := newTestGuide(t)
	questions := []string{"conversations"}
	seen := map[string]bool{}
	for range 20 {
		for line := range strings.Lines(g.Answer(questions)) {
			if strings.HasPrefix(line, "## ") {
				if seen[line] {
					t.Fatalf("%q appears twice", line)
				}
				seen[line] = true
			}
		}
		questions = append(questions, "more")
	}
	if len(seen) < 3 {
		t.Errorf("only %d sections about conversations", len(seen))
	}
}

func TestTopics(t *testing.T) {
	g := newTestGuide(t)
	for _, message := range []string{"what can you do?", "", "  \n", "???"} {
		if got := g.Answer([]string{message}); !strings.Contains(got, "Its topics:") || !strings.Contains(got, "**Piping and files**") {
			t.Errorf("%q: no topics in:\n%s", message, got)
		}
	}
}

func TestSmallTalk(t *testing.T) {
	g := newTestGuide(t)
	for message, want := range map[string]string{
		"thanks": "You are welcome.", "Thank you very much!": "You are welcome.", "ok, thanks a lot": "You are welcome.",
		"hello": "Hello.", "Hi there!": "Hello.", "good morning": "Hello.", "bye": "Goodbye.", "thanks, bye": "Goodbye.",
		"great": "Good.", "thanks, how do I log out?": "## Log out\n",
	} {
		if got := g.Answer([]string{message}); !strings.HasPrefix(got, want) || len(got) > 1000 {
			t.Errorf("%q: got %q", message, got)
		}
	}
}

// Regression tests for questions that were answered with a wrong section or refused.
func TestQuestionsOfNewcomers(t *testing.T) {
	g := newTestGuide(t)
	for asked, want := range map[string]string{
		"run the service on my own machine":    "hobnob serve",
		"give me json for a script":            "--json",
		"write the question in vim":            "hobnob chat -e",
		"how do I list profiles?":              "hobnob profiles list",
		"can I set a system prompt?":           "what other tools call a system prompt",
		"what is a turn?":                      "A **turn** is a question and its **reply**",
		"use it on a server without a desktop": "--insecure-storage",
		"stop it after a minute":               "--timeout",
		"copy code to clipboard":               "hobnob chat --copy",
	} {
		if got := g.Answer([]string{asked}); !strings.HasPrefix(got, "## ") || !strings.Contains(got, want) {
			t.Errorf("%q: no %q in:\n%s", asked, want, got)
		}
	}
}

func TestUnrelatedQuestionIsRefused(t *testing.T) {
	got := newTestGuide(t).Answer([]string{"how do I cook pasta?"})
	if got != refusal || !strings.Contains(got, "hobnob login") {
		t.Errorf("got:\n%s", got)
	}
}

func TestClosestSectionShowsItsCommand(t *testing.T) {
	g := newTestGuide(t)
	got := closest(g.index.rank(g.understand("sum the token usage").terms), nil)
	for _, want := range []string{"The closest section is **Show token usage**:", "```sh\nhobnob chat --usage", "\nhobnob usage\n", "Other close sections: "} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if n := strings.Count(got, "·") + 1; n != 3 {
		t.Errorf("%d other sections in:\n%s", n, got)
	}
}

func TestTypingErrors(t *testing.T) {
	g := newTestGuide(t)
	for asked, want := range map[string]string{
		"how do i ppie a fiel into a caht":    "Pipe a file into a chat",
		"inclued several flies in one prompt": "Add files to a question",
		"contineu an earlier conversaton":     "Continue a conversation",
		"conect my companys servcie":          "Connect a service",
		"no clours please":                    "Turn off colours",
		"swich profile":                       "Use several services",
		"environemtn varialbes":               "Environment variables",
		"powershel":                           "Use hobnob in PowerShell",
		"hwo to isntall hobnob":               "Install hobnob",
	} {
		if got := answeredWith(g.Answer([]string{asked})); got != want {
			t.Errorf("%q: got section %q, want %q", asked, got, want)
		}
	}
}

func TestQuestionBeforePipedInput(t *testing.T) {
	g := newTestGuide(t)
	const question = "how do I go through a proxy?"
	for name, piped := range map[string]string{
		"recipe":        "boil the pasta for ten minutes\n\nadd salt",
		"log":           strings.Repeat("2026-01-01 error: token expired, keyring locked\n", 1000),
		"binary":        string([]byte{0, 0xff, 0xfe, 0x80}),
		"cut character": strings.Repeat("é", maxQuestion),
	} {
		if got := answeredWith(g.Answer([]string{question + "\n\n" + piped})); got != "Go through a proxy" {
			t.Errorf("%s: got section %q", name, got)
		}
	}
}

func TestHugePrompts(t *testing.T) {
	g := newTestGuide(t)
	const size = 10 << 20
	for name, questions := range map[string][]string{
		"one word":      {strings.Repeat("a", size)},
		"unknown words": {strings.Repeat("qzxv wvut ", size/10)},
		"blank lines":   {strings.Repeat("\n", size)},
		"invalid UTF-8": {strings.Repeat("\xff\x00\xed\xa0\x80", size/5)},
		"follow-ups":    slices.Repeat([]string{strings.Repeat("more ", 400)}, size/2000),
		"messages":      slices.Repeat([]string{"and in fish?"}, size/12),
		"no questions":  nil,
	} {
		if g.Answer(questions) == "" {
			t.Errorf("%s: no answer", name)
		}
	}
}

func TestDeterminism(t *testing.T) {
	a, b := newTestGuide(t), newTestGuide(t)
	for _, asked := range learnedQuestions(t) {
		for _, questions := range [][]string{{asked}, {asked, "more"}, {asked, "and on Windows?"}} {
			if one, two := a.Answer(questions), b.Answer(questions); one != two {
				t.Fatalf("%q: got\n%s\nand\n%s", questions, one, two)
			}
		}
	}
}

func TestEmptyManual(t *testing.T) {
	if _, err := New(fstest.MapFS{}); err == nil {
		t.Error("empty manual: no error")
	}
}

func FuzzAnswer(f *testing.F) {
	g := newTestGuide(f)
	for _, q := range readUnrelated(unrelatedFile) {
		f.Add([]byte(q), []byte("and in PowerShell?"))
	}
	f.Add([]byte("more\x00\xff"), []byte("show me more"))
	f.Add([]byte("## x\n\n\n-f--f -- '"), []byte("it's\u2019s"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		questions := []string{string(first), string(second)}
		got := g.Answer(questions)
		if got == "" || len(got) > 16<<10 || !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x1b") {
			t.Errorf("%q", got)
		}
		if g.Answer(questions) != got {
			t.Error("the second answer is different")
		}
	})
}

func BenchmarkIndex(b *testing.B) {
	for b.Loop() {
		newTestGuide(b)
	}
}

func BenchmarkAnswer(b *testing.B) {
	g := newTestGuide(b)
	for b.Loop() {
		g.Answer([]string{"how do i ppie a fiel into a caht?"})
	}
}
