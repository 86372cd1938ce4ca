package guide

import (
	_ "embed"
	"slices"
	"strings"
	"testing"
)

// Further questions of newcomers, one a line, each with the headings of the
// sections that answer it; any of them may come first. A line that begins with
// "~ " is one that the guide gets wrong so far: it counts in the share below.
//
//go:embed testdata/questions.txt
var newcomers string

// Further questions on other subjects, one a line, many with a word of ours.
//
//go:embed testdata/unrelated.txt
var strangers string

func TestNewcomersFindTheirSection(t *testing.T) {
	g := newTestGuide(t)
	headings := map[string]bool{}
	for _, s := range manualSections(t) {
		headings[s.heading] = true
	}
	found, all := 0, 0
	for line := range strings.Lines(newcomers) {
		asked, known := strings.CutPrefix(strings.TrimSpace(line), "~ ")
		fields := strings.Split(asked, " | ")
		got, want := heading(g.Answer([]string{fields[0]})), fields[1:]
		for _, h := range want {
			if !headings[h] {
				t.Errorf("%q wants %q, which is no section", fields[0], h)
			}
		}
		all++
		if slices.Contains(want, got) {
			found++
		} else if !known {
			t.Errorf("%q\n\tfound %q\n\twant  %q", fields[0], got, want)
		}
	}
	if t.Logf("%d of %d questions found their section", found, all); found*100 < all*90 {
		t.Errorf("only %d of %d questions found their section", found, all)
	}
}

func TestStrangersAreNotAnswered(t *testing.T) {
	g := newTestGuide(t)
	answered, all := 0, 0
	for line := range strings.Lines(strangers) {
		asked, known := strings.CutPrefix(strings.TrimSpace(line), "~ ")
		all++
		if got := g.Answer([]string{asked}); !strings.HasPrefix(got, unknownStart) {
			answered++
			if !known {
				t.Errorf("%q was answered with %q", asked, heading(got))
			}
		}
	}
	if t.Logf("%d of %d questions were answered", answered, all); answered*100 > all*5 {
		t.Errorf("%d of %d questions on other subjects were answered", answered, all)
	}
}
