package guide

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/docs"
)

const unknownStart = "The guide has no section on that."

func newTestGuide(t testing.TB) *Guide {
	t.Helper()
	g, err := New(docs.Guide)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestAnAnswerIsTheSectionWithItsCommands(t *testing.T) {
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
	if strings.Contains(got, "<!--") {
		t.Errorf("the words of the section are shown:\n%s", got)
	}
}

func TestCloseSectionsAreNamed(t *testing.T) {
	got := newTestGuide(t).Answer([]string{"list conversations"})
	_, also, ok := strings.Cut(got, "**See also:** ")
	if n := strings.Count(also, "·") + 1; !ok || n > 2 {
		t.Errorf("want one or two names in:\n%s", got)
	}
}

func TestFollowUps(t *testing.T) {
	const pipe = "how do I pipe a file into a chat?"
	tests := []struct {
		name string
		said []string
		want []string // each is in the answer
	}{
		{"a platform that the section has", []string{pipe, "and in PowerShell?"},
			[]string{"## Pipe a file into a chat (PowerShell)", "Get-Content error.log | hobnob chat \"what went wrong?\""}},
		{"a platform mistyped", []string{pipe, "what about powershel?"}, []string{"## Pipe a file into a chat (PowerShell)"}},
		{"a platform that is near another", []string{pipe, "and on Windows?"}, []string{"## Pipe a file into a chat (PowerShell)"}},
		{"one platform after another", []string{pipe, "and in PowerShell?", "fish?"}, []string{"## Pipe a file into a chat (fish)"}},
		{"a platform that the section has not", []string{"list my conversations", "and in PowerShell?"},
			[]string{"## List your conversations\n", "The manual has no PowerShell variant for this", "hobnob conversations list"}},
		{"a platform that needs no variant", []string{pipe, "and on macOS?"},
			[]string{"The manual has no macOS variant for this", "need no change", "cat error.log | hobnob chat"}},
		{"a platform in the question", []string{"how do I pipe a file in powershell?"}, []string{"## Pipe a file into a chat (PowerShell)"}},
		{"a platform and no question", []string{"powershell?"}, []string{"## Use hobnob in PowerShell"}},
		{"the next sections", []string{"how do I list my conversations?", "more"}, []string{"## List conversations"}},
		{"the next sections for a platform", []string{pipe, "and in PowerShell?", "tell me more"}, []string{"(PowerShell)"}},
		{"nothing more", []string{"proxy", "more", "more", "more", "more"}, []string{"That is all the guide has on that.", "- Go through a proxy"}},
		{"more about nothing known", []string{"how do I cook pasta?", "more"}, []string{unknownStart}},
		{"more with no question before", []string{"more"}, []string{"Its topics:", "Remove an agent"}},
		{"a subject with the word continue", []string{"continue"}, []string{"## Continue the last conversation"}},
		{"continue as more", []string{"how do I list my conversations?", "continue", "continue"}, []string{"## "}},
		{"a pronoun", []string{"how do I list my conversations?", "and how do I delete them?"}, []string{"## Delete a conversation"}},
		{"a new subject", []string{pipe, "and how do I log out?"}, []string{"## Log out"}},
		{"an unknown subject", []string{pipe, "and how do I cook pasta?"}, []string{unknownStart}},
		{"a platform after an unknown subject", []string{"how do I cook pasta?", "and in PowerShell?"}, []string{unknownStart}},
	}
	g := newTestGuide(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := g.Answer(tt.said)
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in:\n%s", want, got)
				}
			}
		})
	}
}

func TestMoreNeverRepeatsASection(t *testing.T) {
	g := newTestGuide(t)
	said := []string{"conversations"}
	seen := map[string]bool{}
	for range 20 {
		for line := range strings.Lines(g.Answer(said)) {
			if strings.HasPrefix(line, "## ") {
				if seen[line] {
					t.Fatalf("%q is shown twice", line)
				}
				seen[line] = true
			}
		}
		said = append(said, "more")
	}
	if len(seen) < 3 {
		t.Errorf("only %d sections on conversations", len(seen))
	}
}

func TestGreetingsListTopics(t *testing.T) {
	g := newTestGuide(t)
	for _, said := range []string{"what can you do?", "help", "hi", "Hello there!", "good morning", "who are you?", "", "  \n", "???", "thanks"} {
		if got := g.Answer([]string{said}); !strings.Contains(got, "Its topics:") || !strings.Contains(got, "**Piping and files**") {
			t.Errorf("%q: no topics in:\n%s", said, got)
		}
	}
}

func TestWhatTheGuideDoesNotKnowItSays(t *testing.T) {
	got := newTestGuide(t).Answer([]string{"how do I cook pasta?"})
	topics := strings.Count(got, "\n- ")
	if !strings.HasPrefix(got, unknownStart) || topics != 3 || !strings.Contains(got, "hobnob login") {
		t.Errorf("want no section, 3 topics and the way to an agent:\n%s", got)
	}
}

func TestTheQuestionComesBeforeWhatIsPiped(t *testing.T) {
	g := newTestGuide(t)
	const question = "how do I go through a proxy?"
	for name, piped := range map[string]string{
		"a recipe":      "boil the pasta for ten minutes\n\nadd salt",
		"a log":         strings.Repeat("2026-01-01 error: token expired, keyring locked\n", 1000),
		"binary":        string([]byte{0, 0xff, 0xfe, 0x80}),
		"cut character": strings.Repeat("é", maxQuestion),
	} {
		if got := heading(g.Answer([]string{question + "\n\n" + piped})); got != "Go through a proxy" {
			t.Errorf("%s: found %q", name, got)
		}
	}
}

func TestAPromptOf10MiBIsAnswered(t *testing.T) {
	g := newTestGuide(t)
	const size = 10 << 20
	for name, questions := range map[string][]string{
		"one word":      {strings.Repeat("a", size)},
		"unknown words": {strings.Repeat("qzxv wvut ", size/10)},
		"blank lines":   {strings.Repeat("\n", size)},
		"bytes":         {strings.Repeat("\xff\x00\xed\xa0\x80", size/5)},
		"follow-ups":    slices.Repeat([]string{strings.Repeat("more ", 400)}, size/2000),
		"messages":      slices.Repeat([]string{"and in fish?"}, size/12),
		"nothing":       nil,
	} {
		if g.Answer(questions) == "" {
			t.Errorf("%s: no answer", name)
		}
	}
}

func TestTheSameQuestionsGetTheSameAnswer(t *testing.T) {
	a, b := newTestGuide(t), newTestGuide(t)
	for _, q := range questions {
		for _, said := range [][]string{{q.asked}, {q.asked, "more"}, {q.asked, "and on Windows?"}} {
			if one, two := a.Answer(said), b.Answer(said); one != two {
				t.Fatalf("%q is answered with\n%s\nand\n%s", said, one, two)
			}
		}
	}
}

func TestAGuideNeedsAManual(t *testing.T) {
	if _, err := New(fstest.MapFS{}); err == nil {
		t.Error("an empty manual is accepted")
	}
}

func FuzzAnyQuestionsAreAnswered(f *testing.F) {
	g := newTestGuide(f)
	for _, q := range questions {
		f.Add([]byte(q.asked), []byte("and in PowerShell?"))
	}
	f.Add([]byte("more\x00\xff"), []byte("tell me more"))
	f.Add([]byte("## x\n\n\n-f--f -- '"), []byte("it's\u2019s"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		questions := []string{string(first), string(second)}
		got := g.Answer(questions)
		if got == "" || len(got) > 16<<10 || !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\x1b") {
			t.Errorf("%q", got)
		}
		if g.Answer(questions) != got {
			t.Error("a second answer is different")
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
		g.Answer([]string{"how do i pip a fiel into a caht?"})
	}
}
