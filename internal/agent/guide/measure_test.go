package guide

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// question is a line of a test set: the question, its register, the sections that answer
// it, and the command that must be in the answer.
type question struct {
	asked, register string
	sections        []string
	command         string
}

// TestHeldOutQuestions asks questions that the guide has not learned.
func TestHeldOutQuestions(t *testing.T) {
	g := newTestGuide(t)
	learned := learnedQuestions(t)
	found := newTally(t)
	for _, q := range readMeasure(t, "held_out.tsv") {
		if slices.Contains(learned, q.asked) {
			t.Errorf("%q is learned", q.asked)
		}
		found.add(q, g.Answer([]string{q.asked}))
	}
	found.atLeast(85)
}

// TestHeldOutUnrelatedQuestions asks unrelated questions that the guide has not learned.
func TestHeldOutUnrelatedQuestions(t *testing.T) {
	g := newTestGuide(t)
	learned := readUnrelated(unrelatedFile)
	refused, all := 0, 0
	for _, line := range readLines(t, "unrelated.tsv") {
		if slices.Contains(learned, line) {
			t.Errorf("%q is learned", line)
		}
		all++
		if got := g.Answer([]string{line}); got == refusal {
			refused++
		} else {
			t.Logf("%q: %s", line, firstLine(got))
		}
	}
	share(t, "refused", refused, all, 90)
}

// TestLearnedQuestions asks the learned questions, each of a guide that has not learned
// it.
func TestLearnedQuestions(t *testing.T) {
	questions := readMeasure(t, "train.tsv")
	found := newTally(t)
	for part := range leaveOut {
		left := map[string]bool{}
		for i, q := range questions {
			left[q.asked] = i%leaveOut == part
		}
		g := guideWithout(t, left)
		for _, q := range questions {
			if left[q.asked] {
				found.add(q, g.Answer([]string{q.asked}))
			}
		}
	}
	found.atLeast(85)
}

// TestLearnedUnrelatedQuestions does the same for unrelated questions.
func TestLearnedUnrelatedQuestions(t *testing.T) {
	questions := readLines(t, "unrelated_train.tsv")
	refused := 0
	for part := range leaveOut {
		left := map[string]bool{}
		for i, q := range questions {
			left[q] = i%leaveOut == part
		}
		g := guideWithout(t, left)
		for _, q := range questions {
			if !left[q] {
				continue
			}
			if got := g.Answer([]string{q}); got == refusal {
				refused++
			} else {
				t.Logf("%q: %s", q, firstLine(got))
			}
		}
	}
	share(t, "refused", refused, len(questions), 90)
}

// leaveOut is the number of parts of a cross-validation.
const leaveOut = 10

// guideWithout returns a guide that has not learned the questions in left.
func guideWithout(t *testing.T, left map[string]bool) *Guide {
	t.Helper()
	sections := manualSections(t)
	questions, err := readQuestions(questionsFile, sections)
	if err != nil {
		t.Fatal(err)
	}
	questions = slices.DeleteFunc(questions, func(l learned) bool { return left[l.question] })
	unrelated := slices.DeleteFunc(readUnrelated(unrelatedFile), func(q string) bool { return left[q] })
	return newGuide(sections, questions, unrelated)
}

func learnedQuestions(t *testing.T) []string {
	t.Helper()
	questions, err := readQuestions(questionsFile, manualSections(t))
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	for _, q := range questions {
		asked = append(asked, q.question)
	}
	return asked
}

// tally counts the questions, and those with the right section and command, by
// register.
type tally struct {
	t                *testing.T
	found, asked     int
	byRegister, each map[string]int
}

func newTally(t *testing.T) *tally {
	return &tally{t: t, byRegister: map[string]int{}, each: map[string]int{}}
}

func (c *tally) add(q question, answer string) {
	c.asked++
	c.each[q.register]++
	right := slices.ContainsFunc(q.sections, func(name string) bool {
		_, heading, _ := strings.Cut(name, "#")
		return heading == answeredWith(answer)
	})
	switch {
	case !right:
		c.t.Logf("%q\n\tfound %q\n\twant  %q", q.asked, answeredWith(answer), q.sections)
	case !strings.Contains(answer, q.command):
		c.t.Logf("%q: no %q in the answer", q.asked, q.command)
	default:
		c.found++
		c.byRegister[q.register]++
	}
}

func (c *tally) atLeast(percent int) {
	c.t.Helper()
	for register, n := range c.each {
		c.t.Logf("%s: %d of %d", register, c.byRegister[register], n)
	}
	share(c.t, "answered", c.found, c.asked, percent)
}

func share(t *testing.T, what string, n, all, percent int) {
	t.Helper()
	if t.Logf("%s: %d of %d", what, n, all); n*100 < all*percent {
		t.Errorf("only %d of %d %s, want %d%%", n, all, what, percent)
	}
}

// answeredWith returns the heading of the first section in an answer, or its
// first line.
func answeredWith(answer string) string {
	line := firstLine(answer)
	if _, rest, ok := strings.Cut(line, "The closest section is **"); ok {
		heading, _, _ := strings.Cut(rest, "**")
		return heading
	}
	heading := strings.TrimPrefix(line, "## ")
	for _, p := range platforms {
		heading = strings.TrimSuffix(heading, " ("+p.name+")")
	}
	return heading
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func readMeasure(t *testing.T, name string) []question {
	t.Helper()
	names := map[string]bool{}
	for _, s := range manualSections(t) {
		names[s.name()] = true
	}
	var questions []question
	for _, line := range readLines(t, name) {
		fields := strings.Split(line, "\t")
		if len(fields) != 4 {
			t.Fatalf("%s: %q has %d fields, want 4", name, line, len(fields))
		}
		q := question{fields[0], fields[1], strings.Split(fields[2], ";"), fields[3]}
		for _, s := range q.sections {
			if !names[s] {
				t.Errorf("%s: unknown section %q", name, s)
			}
		}
		questions = append(questions, q)
	}
	return questions
}

func readLines(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}
