//go:build unix

package cmd

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestAnAgainThatIsStoppedKeepsTheLastAnswer(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	for _, question := range []string{"one", "two"} {
		s.types(question)
		s.keys("Enter")
		s.asked(question)
		s.prompted("one (echo)>")
	}
	release := s.service.hold()
	defer release()
	s.types("/again")
	s.keys("Enter")
	s.until("the second asking", func() bool { return len(s.service.prompts()) == 3 })
	s.shows("asking echo")
	s.keys("C-c")
	s.shows("is unknown; /again asks it once more")
	s.prompted("one (echo)>")
	release()
	s.types("three")
	s.keys("Enter")
	s.asked("three")
	s.prompted("one (echo)>")
	const want = `{"role":"assistant","content":"two"},{"role":"user","content":"three"}]`
	s.service.faultyService.mu.Lock()
	defer s.service.faultyService.mu.Unlock()
	if last := s.service.requests[len(s.service.requests)-1].body; !strings.Contains(last, want) {
		t.Errorf("sent %s", last)
	}
}

func TestWhatTheEditorLeavesOfALineIsALine(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.write("notes.txt", "what the notes say")
	s.chat("EDITOR=true")
	const prompt = "new conversation (echo)>"
	s.types("/file ~/notes.txt")
	s.keys("C-x", "C-e")
	s.shows("notes.txt goes with the next question")
	s.prompted("new conversation (echo, 1 file)>")
	s.types("/file -")
	s.keys("Enter")
	s.prompted(prompt)

	s.types("//etc/hosts what?")
	s.keys("C-x", "C-e")
	s.asked("/etc/hosts what?")
	s.prompted("/etc/hosts what? (echo)>")
	s.types("/undo")
	s.keys("Enter")
	s.shows("which is kept")
	s.prompted("/etc/hosts what? from the start (echo)> //etc/hosts what?")
	s.keys("Enter")
	s.until("the second asking", func() bool { return len(s.service.prompts()) == 2 })
	s.prompted("/etc/hosts what? (echo)>")
	if got := s.service.prompts(); got[1] != "/etc/hosts what?" {
		t.Errorf("asked %q", got)
	}
	s.types("/exit")
	s.keys("C-x", "C-e")
	s.ended()
	if left, _ := filepath.Glob(filepath.Join(s.home, ".local/state/hobnob/drafts/*.md")); len(left) > 0 {
		t.Errorf("drafts are left: %q", left)
	}
}

// says waits until the screen shows these words, on whatever lines.
func (s *screen) says(words string) {
	s.t.Helper()
	s.until(fmt.Sprintf("%q", words), func() bool {
		return strings.Contains(strings.Join(strings.Fields(s.text()), " "), words)
	})
}

func TestThePromptLeavesRoomForTyping(t *testing.T) {
	t.Parallel()
	for columns, want := range map[int]struct{ fresh, file, undone string }{
		20: {"new con…> ", "new con…> ", "a quest…> "},
		40: {"new conversa… (echo)> ", "new conversa… (echo)> ", "a question o… (echo)> "},
		80: {"new conversation (echo)> ", "new conversation (echo, 1 file)> ", "a question of some words from the start (echo, 1 file)> "},
	} {
		t.Run(strconv.Itoa(columns), func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			s.write("a", "a file")
			s.resize(columns, 24)
			s.until("the width", func() bool { return s.columns() == columns })
			// empty is a line with this prompt alone and the cursor behind it.
			empty := func(prompt string) {
				t.Helper()
				s.until(fmt.Sprintf("the prompt %q", prompt), func() bool {
					line, column := s.line()
					return strings.TrimRight(line, " ") == strings.TrimRight(prompt, " ") && column == ansi.StringWidth(prompt)
				})
			}
			s.start(nil, "chat")
			empty(want.fresh)
			s.types("/file ~/a")
			s.keys("Enter")
			s.says("goes with the next question")
			empty(want.file)
			s.types("/file -")
			s.keys("Enter")
			s.says("no file goes with")
			s.types("a question of some words")
			s.keys("Enter")
			s.asked("a question of some words")
			s.types("/file ~/a")
			s.keys("Enter")
			s.types("/undo")
			s.keys("Enter")
			s.says("which is kept")
			s.keys("C-c")
			empty(want.undone)
		})
	}
}

func TestTextsOfTheChatBreakBetweenWords(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.resize(40, 50)
	s.until("the width", func() bool { return s.columns() == 40 })
	s.start(nil, "chat")
	s.draws("hobnob: note: asking echo; /help lists\nthe commands, Ctrl-D leaves\nnew conversa… (echo)>")
	s.types("/tilte x")
	s.keys("Enter")
	s.shows("hobnob: hint: did you mean /title? to\nask a question that begins with a slash,\nbegin it with two\n")
	s.types("/help export")
	s.keys("Enter")
	s.shows("\n/export PATH\n  write the conversation to a file\n  The name decides: .md, .json or .html.\n")
	s.run("clear-history")
	s.types("/help")
	s.keys("Enter")
	s.shows("\n/edit [TEXT]\n  write the next question in $VISUAL or\n  $EDITOR\n/again\n")
	s.shows("\nEnter sends. Alt-Enter begins a new\nline; so does Enter after")

	wide := newScreen(t)
	wide.resize(60, 50)
	wide.until("the width", func() bool { return wide.columns() == 60 })
	wide.start(nil, "chat")
	wide.prompted("new conversation (echo)>")
	wide.types("/help")
	wide.keys("Enter")
	wide.shows("\n/edit [TEXT]              write the next question in $VISUAL\n                          or $EDITOR\n/again ")
}

func TestTabCompletesPathsAsTheyAreTyped(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.write("d/plan (final).md", "what is planned")
	s.write("d/it's done $now.md", "what is done")
	s.chat()
	const prompt = "new conversation (echo)> "
	for _, c := range []struct{ typed, completed, name string }{
		{`~/d/pl`, `~/d/plan\ \(final\).md`, "plan (final).md"},
		{`~/d/plan\ \(f`, `~/d/plan\ \(final\).md`, "plan (final).md"},
		{`~/d/plan (f`, `~/d/plan (final\).md`, "plan (final).md"},
		{`'~/d/it`, `'~/d/it'\''s done $now.md'`, "it's done $now.md"},
		{`"~/d/it`, `"~/d/it's done \$now.md"`, "it's done $now.md"},
		{`~/d/it's`, `~/d/it's done $now.md`, "it's done $now.md"},
		{`~/d/it`, `~/d/it\'s\ done\ \$now.md`, "it's done $now.md"},
	} {
		s.types("/file " + c.typed)
		s.keys("Tab")
		s.until(c.completed, func() bool {
			line, _ := s.line()
			return strings.TrimRight(line, " ") == prompt+"/file "+c.completed
		})
		s.keys("Enter")
		s.says("home/d/" + c.name + " goes with the next question")
		s.types("/file -")
		s.keys("Enter")
		s.says("no file goes with the next question")
		s.keys("C-l")
		s.prompted(strings.TrimSpace(prompt))
	}
}
