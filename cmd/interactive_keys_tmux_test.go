//go:build unix

package cmd

import (
	"strings"
	"testing"
)

func TestKeysMoveByCharacters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		keys       []string
		then, want string
	}{
		{"before letter with mark", "cafe\u0301 s", []string{"Left", "Left", "Left"}, "X", "cafXe\u0301 s"},
		{"after letter with mark", "cafe\u0301 s", []string{"C-a", "Right", "Right", "Right", "Right"}, "X", "cafe\u0301X s"},
		{"before family emoji", "a👨\u200d👩\u200d👧z", []string{"Left", "Left"}, "X", "aX👨\u200d👩\u200d👧z"},
		{"emoji with skin tone", "👍🏽z", []string{"C-a", "Right", "BSpace"}, "X", "Xz"},
		{"flag", "🇩🇪z", []string{"Left", "Left"}, "X", "X🇩🇪z"},
		{"count", "cafe\u0301s", []string{"M-2", "Left"}, "X", "cafXe\u0301s"},
		{"delete back to space", "one two-three/four ", []string{"C-w"}, "X", "one X"},
		{"restore deleted word", "one two-three", []string{"C-w", "C-a", "C-y"}, "X", "two-threeXone "},
		{"delete back to punctuation", "one two-three", []string{"M-BSpace"}, "X", "one two-X"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			s.chat()
			s.types(c.text)
			s.keys(c.keys...)
			s.types(c.then)
			s.keys("Enter")
			s.asked(c.want)
		})
	}
}

func TestUnboundKeys(t *testing.T) {
	t.Parallel()
	const text = "nothing but this"
	chatInEditingModes(t, func(t *testing.T, s *screen, mode string) {
		s.types(text)
		strays := func() {
			t.Helper()
			for _, key := range []string{
				"\x1b[1;2R", // Shift-F3, which looks like a report of the cursor position
				"\x1b[1;2D", "\x1b[1;2C", "\x1b[1;2A", "\x1b[1;2P", "\x1b[15~", "\x1b[15;2~", "\x1b[24~", "\x1b[6~", "\x1bOP", "\x1bOS", "\x1b[I", "\x1b[<0;12;7M",
			} {
				s.run("send-keys", "-l", key)
			}
		}
		strays()
		if mode == "vi" {
			s.escape(text)
			strays()
			s.types("A")
		}
		s.types("!")
		s.keys("Enter")
		s.asked(text + "!")
	})
}

func TestCursorReportsDoNotBlockChat(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	s.paste("a log with \x1b[12;40R in it\n")
	s.types(" goes on")
	s.shows("goes on")
	s.keys("Enter")
	s.until("the question", func() bool { return len(s.service.prompts()) == 1 })
	if got := s.service.prompts()[0]; !strings.HasPrefix(got, "a log with ") || !strings.HasSuffix(got, " goes on") {
		t.Errorf("asked %q", got)
	}

	s.ready()
	release := s.service.hold()
	defer release()
	s.types("two")
	s.keys("Enter")
	s.asked("two")
	s.run("send-keys", "-l", "\x1b[1;1R")
	release()
	s.types("three")
	s.keys("Enter")
	s.asked("three")
}

func TestTypingImmediatelyAfterCtrlC(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	s.types("old text")
	s.shows("old text")
	s.run("send-keys", "C-c", ";", "send-keys", "-l", "漢字, new")
	s.keys("Enter")
	s.asked("漢字, new")
	s.ready()

	s.types("old text")
	s.keys("C-c", "C-c", "C-c")
	s.types("after three")
	s.keys("Enter")
	s.asked("after three")
	if got := s.service.prompts(); len(got) != 2 {
		t.Errorf("asked %q", got)
	}
}

func TestQuotesOnOneLine(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	const question = `"""foo""" is what?`
	s.types(question)
	s.keys("Enter")
	s.asked(question)
}

func TestViKeysDeleteCharacters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, keys, want string }{
		{"x", "cafe\u0301", "x", "caf"},
		{"X", "e\u0301 👍🏽z", "X", "e\u0301 z"},
		{"x with a count", "e\u0301👍🏽z", "02x", "z"},
		{"x and p", "e\u0301z", "0xp", "ze\u0301"},
		{"h and l", "ae\u0301👍🏽z", "hhlix", "ae\u0301x👍🏽z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			s.write(".inputrc", "set editing-mode vi\n")
			s.chat()
			s.types(c.text)
			s.escape(c.text)
			s.types(c.keys)
			s.keys("Enter")
			s.asked(c.want)
		})
	}
}

func TestCtrlDDeletesForwardOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, inputrc string }{
		{"emacs", ""},
		{"emacs with delete-char", "\"\\C-d\": delete-char\n"},
		{"vi", "set editing-mode vi\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			s.write(".inputrc", c.inputrc)
			s.chat()
			s.types("cafe\u0301 abc")
			s.keys("C-d", "C-d", "Left", "Left", "C-d")
			s.keys("C-a", "Right", "Right", "Right", "C-d")
			s.types("!")
			s.keys("Enter")
			s.asked("caf! ac")
			s.ready()
			s.types("x")
			s.keys("BSpace", "C-d")
			s.ended()
		})
	}
}

func TestCtrlCClearsLineAndMenu(t *testing.T) {
	t.Parallel()
	chatInEditingModes(t, func(t *testing.T, s *screen, _ string) {
		const prompt = "new conversation (echo)>"
		for _, tabs := range []int{1, 2, 3} {
			s.types("/")
			for range tabs {
				s.keys("Tab")
			}
			s.shows("list commands, or")
			s.keys("C-c")
			s.types("X")
			s.prompted(prompt + " X")
			if text := s.text(); strings.Contains(text, "list commands, or") {
				t.Errorf("the menu is still open after %d tabs:\n%s", tabs, text)
			}
			s.keys("C-c")
			s.prompted(prompt)
		}
	})
}

func TestArrowKeysInViInsertMode(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.write(".inputrc", "set editing-mode vi\n")
	s.chat()
	s.types("one twothree")
	s.keys("Left", "Left", "Left", "Left", "Left")
	s.types(" ")
	s.keys("Home", "DC", "End")
	s.types("!")
	s.keys("Enter")
	s.asked("ne two three!")
	s.ready()
	s.keys("Up")
	s.prompted("ne two three! (echo)> ne two three!")
}
