//go:build unix

package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobnob-cli/hobnob/internal/api"
)

// lastMessage returns the last message of a request.
func lastMessage(body string) string {
	var request api.Request
	if json.Unmarshal([]byte(body), &request) != nil || len(request.Messages) == 0 {
		return ""
	}
	return request.Messages[len(request.Messages)-1].Content
}

func TestPasteOfTwoThousandLines(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	var paste strings.Builder
	for n := range 2000 {
		fmt.Fprintf(&paste, "line %d of a log: \t漢字 and \x1b[31mred\x1b[0m\n", n+1)
	}
	s.types("what is wrong here? ")
	s.paste(paste.String())
	s.shows("what is wrong here? [text #1: 2001 lines]")
	s.types(" and why?")
	s.shows("lines] and why?")
	s.keys("Enter")
	s.asked("what is wrong here? " + paste.String() + " and why?")

	s.ready()
	s.keys("Up")
	s.showsWords("line … (echo)> what is wrong here? [text #1: 2001 lines] and why?")
}

func TestShortPaste(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	s.paste("one\ntwo\nthree")
	s.shows("three")
	s.keys("Enter")
	s.asked("one\ntwo\nthree")
}

func TestResizeWhilePending(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	release := s.service.hold()
	defer release()
	question := strings.Repeat("word ", 30) + "end"
	s.types(question)
	s.keys("Enter")
	s.asked(question)
	s.shows("asking echo")
	for _, columns := range []int{40, 120, 30, 60} {
		s.resize(columns, 24)
		s.until("the new width", func() bool { return s.columns() == columns })
		s.until("the spinner", func() bool { return strings.Contains(s.text(), "asking") })
	}
	release()
	s.prompted("word word word word… (echo)>")
	if text := s.text(); strings.Contains(text, "asking echo ") && strings.Contains(text, "⠋") {
		t.Errorf("the spinner was not removed:\n%s", text)
	}
	for _, line := range strings.Split(s.text(), "\n") {
		if ansi.StringWidth(line) > 60 {
			t.Errorf("a line is wider than the terminal: %q", line)
		}
	}
}

func TestCtrlCAtEachMoment(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	const prompt = "new conversation (echo)>"

	s.keys("C-c")
	s.shows("Ctrl-D or /exit leaves the chat")
	s.prompted(prompt)

	s.types("a text in the line")
	s.shows("in the line")
	s.keys("C-c")
	s.prompted(prompt)
	s.keys("Up")
	s.prompted(prompt + " a text in the line")
	s.keys("C-c")
	s.prompted(prompt)

	s.types(`"""`)
	s.keys("Enter")
	s.types("second line")
	s.shows("second line")
	s.keys("C-c")
	s.prompted(prompt)

	s.keys("C-r")
	s.shows("search:")
	s.keys("C-c")
	s.prompted(prompt)

	s.types("/")
	s.keys("Tab")
	s.shows("list commands, or")
	s.keys("C-c")
	s.prompted(prompt)

	release := s.service.hold()
	defer release()
	s.types("in flight")
	s.keys("Enter")
	s.asked("in flight")
	s.shows("asking echo")
	s.keys("C-c")
	s.shows("stopped by Ctrl-C; the service may have accepted the question")
	s.shows("hint: /again retries the question")
	s.prompted("in flight (echo)>")

	s.types("twice")
	s.keys("Enter")
	s.asked("twice")
	s.keys("C-c", "C-c", "C-c")
	s.until("the second hint", func() bool { return strings.Count(s.text(), "/again retries the question") == 2 })
	s.prompted("in flight (echo)>")
	release()

	s.types("after all")
	s.keys("Enter")
	s.asked("after all")
	s.prompted("in flight (echo)>")
	s.keys("C-d")
	s.ended()
}

func TestEditWideCharacters(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	const prompt = "new conversation (echo)> "
	at := func(text string, column int) {
		t.Helper()
		s.until(fmt.Sprintf("%q with the cursor in column %d", text, column), func() bool {
			line, x := s.line()
			return strings.TrimRight(line, " ") == strings.TrimRight(prompt+text, " ") && x == len(prompt)+column
		})
	}
	s.types("漢字かな混じり")
	at("漢字かな混じり", 14)
	s.keys("Left", "Left", "Left")
	at("漢字かな混じり", 8)
	s.types("é文X")
	at("漢字かなé文X混じり", 12)
	s.keys("BSpace")
	at("漢字かなé文混じり", 11)
	s.keys("Left", "DC")
	at("漢字かなé混じり", 9)
	s.keys("C-a")
	at("漢字かなé混じり", 0)
	s.keys("Right", "C-k")
	at("漢", 2)
	s.keys("C-y")
	at("漢字かなé混じり", 15)
	s.types(" 🙂!")
	at("漢字かなé混じり 🙂!", 19)
	s.keys("Enter")
	s.asked("漢字かなé混じり 🙂!")
}

func TestEditWrappedWideLine(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	text := strings.Repeat("漢字", 30)
	s.types(text)
	s.until("the end of the text", func() bool { return strings.Count(s.text(), "漢") == 30 })
	s.keys("C-a")
	s.types("X")
	s.keys("C-e")
	s.types("Y")
	s.keys("Enter")
	s.asked("X" + text + "Y")
}

func TestInputHistory(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	for _, text := range []string{"the first question", "something else"} {
		s.types(text)
		s.keys("Enter")
		s.asked(text)
		s.prompted("the first question (echo)>")
	}
	s.keys("C-d")
	s.ended()

	var many strings.Builder
	for n := range 60 {
		fmt.Fprintf(&many, "{\"text\":\"filler %d\"}\n", n)
	}
	s.write(".local/state/hobnob/input/work.jsonl", s.read(".local/state/hobnob/input/work.jsonl")+many.String())
	s.chat()
	s.keys("C-r")
	s.types("filler 4")
	s.shows("search: filler 4")
	s.shows("> filler 49")
	s.keys("C-r")
	s.shows("> filler 48")
	s.keys("C-g")
	s.prompted("new conversation (echo)>")
	s.keys("C-r")
	s.types("first")
	s.shows("> the first question")
	s.keys("Enter")
	s.prompted("the first question (echo)>")
	if got := s.service.prompts(); len(got) != 3 || got[2] != "the first question" {
		t.Errorf("asked %q", got)
	}

	// Each profile has its own input history.
	s.start(nil, "chat", "-p", "other")
	s.ready()
	s.keys("Up")
	s.types("x")
	s.prompted("new conversation (echo)> x")
}

func TestDraftSurvivesKill(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGHUP} {
		s.chat()
		s.types("half a question, 漢字")
		s.keys("M-Enter")
		s.types("on two lines")
		s.shows("on two lines")
		s.until("the draft", func() bool {
			files, _ := filepath.Glob(filepath.Join(s.home, ".local", "state", "hobnob", "drafts", "*.md"))
			if len(files) != 1 {
				return false
			}
			data, _ := os.ReadFile(files[0])
			return string(data) == "half a question, 漢字\non two lines"
		})
		pid, err := strconv.Atoi(strings.TrimSpace(s.run("display-message", "-p", "#{pane_pid}")))
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, signal); err != nil {
			t.Fatal(err)
		}
		s.ended()
		s.chat()
		s.shows("restored unsent text of an earlier chat")
		s.shows("on two lines")
		s.keys("C-c")
		s.prompted("new conversation (echo)>")
		s.keys("C-d")
		s.ended()
	}
	s.chat()
	s.keys("Up")
	s.shows("on two lines") // cleared, not lost
	s.keys("Enter")
	s.asked("half a question, 漢字\non two lines")
	s.prompted("half a question, 漢字 (echo)>")
	s.start(nil, "chat")
	s.prompted("new conversation (echo)>")
}

func TestSavedQuestionIsNotDraft(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	release := s.service.hold()
	defer release()
	s.types("killed in flight")
	s.keys("Enter")
	s.asked("killed in flight")
	s.start(nil, "chat") // kills the first chat
	s.prompted("new conversation (echo)>")
	s.types("/open killed")
	s.keys("Tab", "Enter")
	s.shows("this conversation has no answers yet")
	s.prompted("killed in flight (echo)>")
	release()
	s.types("/again")
	s.keys("Enter")
	s.until("the second request", func() bool { return len(s.service.prompts()) == 2 })
	s.prompted("killed in flight (echo)>")
}

func TestViKeysInInputrc(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.write(".inputrc", "set editing-mode vi\n")
	s.chat()
	s.types("one two three")
	s.escape("one two three")
	s.types("bbcetwice")
	s.escape("one twice three")
	s.types("0xA!")
	s.shows("ne twice three!")
	s.keys("Enter")
	s.asked("ne twice three!")
}
