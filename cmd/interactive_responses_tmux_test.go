//go:build unix

package cmd

import (
	"slices"
	"strings"
	"testing"
)

// lateResponses are responses of terminals to queries, which may arrive late.
var lateResponses = []string{
	"\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b]11;rgb:0000/2b2b/3636\a", "\x1b]4;1;rgb:ff/ff/ff\a",
	"\x1b[?62;22c", "\x1b[>0;276;0c", "\x1b[12;40R", "\x1b[?2026;2$y", "\x1b[?1u",
}

func TestLateResponsesAreDiscarded(t *testing.T) {
	t.Parallel()
	chatInEditingModes(t, func(t *testing.T, s *screen, mode string) {
		const prompt = "new conversation (echo)> "
		s.types("what is")
		for _, response := range lateResponses {
			s.types(response)
		}
		s.types(" thi")
		s.prompted(prompt + "what is thi")
		for _, response := range lateResponses {
			for _, parts := range []int{3, 5, len(response) - 1} {
				s.types(response[:parts])
				s.types(response[parts:])
			}
		}
		s.types(lateResponses[0] + "s?" + lateResponses[3])
		s.prompted(prompt + "what is this?")
		if mode == "vi" {
			s.escape("what is this?")
			s.types(lateResponses[0] + lateResponses[3])
			s.types("A!")
			s.prompted(prompt + "what is this?!")
		}
		s.keys("Enter")
		s.until("the question", func() bool { return len(s.service.prompts()) == 1 })
		if got := strings.TrimRight(s.service.prompts()[0], "!"); got != "what is this?" {
			t.Errorf("asked %q", got)
		}
	})
}

func TestLateResponseInParts(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	for _, response := range []string{lateResponses[0], lateResponses[3], lateResponses[5]} {
		for part := range strings.SplitSeq(response, "") {
			s.types(part)
		}
	}
	s.types("ok")
	s.prompted("new conversation (echo)> ok")
}

func TestLateResponsesInMenuAndSearch(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	const prompt = "new conversation (echo)> "
	s.types("/un")
	s.keys("Tab")
	s.shows("/undo")
	for _, response := range lateResponses {
		s.types(response)
	}
	s.types("X")
	s.prompted(prompt + "/undoX")
	s.keys("C-c")
	s.prompted(strings.TrimSpace(prompt))

	s.keys("C-r")
	s.types("un")
	s.shows("search: un")
	for _, response := range lateResponses {
		s.types(response)
	}
	s.types("do")
	s.shows("search: undo")
	s.keys("C-g")
	s.prompted(strings.TrimSpace(prompt))
}

func TestLateResponsesInPrompts(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.start([]string{"HOBNOB_TOKEN=", "DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere/bus"}, "login", "-p", "fresh", "--insecure-storage")
	s.shows("Address of the service")
	s.types(lateResponses[0] + s.service.server.URL + lateResponses[3])
	s.keys("Enter")
	s.shows("Token for")
	s.types("t" + lateResponses[0])
	s.keys("Enter")
	s.shows("UUID of the agent")
	s.keys("Enter")
	s.ended()
	if text := s.text(); !strings.Contains(text, "Logged in") {
		t.Errorf("the screen shows\n%s", text)
	}

	s.chat()
	s.types("x")
	s.keys("Enter")
	s.asked("x")
	s.shows("x (echo)>")
	s.write("reply.md", "before")
	s.types("/save ~/reply.md")
	s.keys("Enter")
	s.shows("[y/N]")
	s.types(lateResponses[0] + "y" + lateResponses[3])
	s.keys("Enter")
	s.until("the file", func() bool { return s.read("reply.md") == "x\n" })
}

func TestTypeAheadSurvivesCtrlC(t *testing.T) {
	t.Parallel()
	for _, term := range []string{"tmux-256color", "dumb"} {
		t.Run(term, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			s.chat("TERM=" + term)
			release := s.service.hold()
			defer release()
			s.types("in flight")
			s.keys("Enter")
			s.asked("in flight")
			s.types("typed ahead, 漢字")
			s.keys("C-c")
			s.shows("/again retries the question")
			release()
			s.types("!")
			s.keys("Enter")
			s.until("the second question", func() bool { return len(s.service.prompts()) == 2 })
			if got := s.service.prompts(); !slices.Contains(got, "typed ahead, 漢字!") {
				t.Errorf("asked %q", got)
			}
		})
	}
}
