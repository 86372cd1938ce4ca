//go:build unix

package cmd

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestCtrlCDuringAgainKeepsLastAnswer(t *testing.T) {
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
	s.until("the third request", func() bool { return len(s.service.prompts()) == 3 })
	s.shows("asking echo")
	s.keys("C-c")
	s.shows("hint: /again retries the question")
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

func TestEditedLine(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.write("notes.txt", "what the notes say")
	s.chat("EDITOR=true")
	const prompt = "new conversation (echo)>"
	s.types("/file ~/notes.txt")
	s.keys("C-x", "C-e")
	s.showsWords("notes.txt, 18 bytes")
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
	s.shows("stays in the history")
	s.prompted("/etc/hosts what? from the start (echo)> //etc/hosts what?")
	s.keys("Enter")
	s.until("the second request", func() bool { return len(s.service.prompts()) == 2 })
	s.prompted("/etc/hosts what? (echo)>")
	if got := s.service.prompts(); got[1] != "/etc/hosts what?" {
		t.Errorf("asked %q", got)
	}
	s.types("/exit")
	s.keys("C-x", "C-e")
	s.ended()
	if left, _ := filepath.Glob(filepath.Join(s.home, ".local/state/hobnob/drafts/*.md")); len(left) > 0 {
		t.Errorf("drafts remain: %q", left)
	}
}

// showsWords waits until the screen contains words, regardless of line breaks.
func (s *screen) showsWords(words string) {
	s.t.Helper()
	s.until(fmt.Sprintf("%q", words), func() bool {
		return strings.Contains(strings.Join(strings.Fields(s.text()), " "), words)
	})
}

func TestPromptLeavesRoomForTyping(t *testing.T) {
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
			// empty waits for a line with only the prompt, with the cursor after it.
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
			s.showsWords("attached to the next question")
			empty(want.file)
			s.types("/file -")
			s.keys("Enter")
			s.showsWords("no files attached")
			s.types("a question of some words")
			s.keys("Enter")
			s.asked("a question of some words")
			s.types("/file ~/a")
			s.keys("Enter")
			s.types("/undo")
			s.keys("Enter")
			s.until("the question to edit", func() bool {
				return strings.Contains(strings.ReplaceAll(s.text(), "\n", ""), want.undone+"a question of some words")
			})
			s.keys("C-c")
			empty(want.undone)
		})
	}
}

func TestChatTextWraps(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.resize(40, 50)
	s.until("the width", func() bool { return s.columns() == 40 })
	s.start(nil, "chat")
	s.draws("hobnob: note: chatting with echo; /help\nlists the commands, Ctrl-D leaves\nnew conversa… (echo)>")
	s.types("/tilte x")
	s.keys("Enter")
	s.shows("hobnob: hint: did you mean /title? to\nask a question that begins with a slash,\ntype two slashes\n")
	s.types("/help export")
	s.keys("Enter")
	s.shows("\n/export PATH\n  write the conversation to a file\n  The extension selects the format: .md,\n")
	s.run("clear-history")
	s.types("/help")
	s.keys("Enter")
	s.shows("\n/edit [TEXT]\n  write the next question in $VISUAL or\n  $EDITOR\n/again\n")
	s.shows("\nEnter sends. Alt-Enter starts a new\nline, and so does Enter between")

	wide := newScreen(t)
	wide.resize(60, 50)
	wide.until("the width", func() bool { return wide.columns() == 60 })
	wide.start(nil, "chat")
	wide.prompted("new conversation (echo)>")
	wide.types("/help")
	wide.keys("Enter")
	wide.shows("\n/edit [TEXT]              write the next question in $VISUAL\n                          or $EDITOR\n/again ")
}

func TestTabCompletesPaths(t *testing.T) {
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
		s.showsWords("home/d/" + c.name + ",")
		s.types("/file -")
		s.keys("Enter")
		s.showsWords("no files attached")
		s.keys("C-l")
		s.prompted(strings.TrimSpace(prompt))
	}
}

func TestAgainUsesNewToken(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	const noKeyring = "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere/bus"
	login := func() {
		t.Helper()
		command := exec.CommandContext(t.Context(), filepath.Join(s.home, "bin", "hobnob"), "login", "-p", "work", "--with-token", "--insecure-storage")
		command.Env = []string{"HOME=" + s.home, noKeyring, "GORACE=atexit_sleep_ms=0"}
		command.Stdin = strings.NewReader("t")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	login()
	const file = ".config/hobnob/tokens.json"
	s.write(file, strings.ReplaceAll(s.read(file), `"t"`, `"expired"`))
	s.chat("HOBNOB_TOKEN=", noKeyring)
	s.types("a question")
	s.keys("Enter")
	s.shows("hint: then /again retries the question")
	if text := s.text(); !strings.Contains(text, "run: hobnob login") {
		t.Errorf("the screen does not suggest login:\n%s", text)
	}
	s.ready()
	login()
	s.types("/again")
	s.keys("Enter")
	s.until("the answer", func() bool { return strings.Contains(s.text(), "/again\na question\n") })
}
