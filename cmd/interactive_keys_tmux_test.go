//go:build unix

package cmd

import (
	"strings"
	"testing"
)

func TestKeysMoveByWhatPeopleSee(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		keys       []string
		then, want string
	}{
		{"before a letter with a mark", "cafe\u0301 s", []string{"Left", "Left", "Left"}, "X", "cafXe\u0301 s"},
		{"after it", "cafe\u0301 s", []string{"C-a", "Right", "Right", "Right", "Right"}, "X", "cafe\u0301X s"},
		{"before a family", "a👨\u200d👩\u200d👧z", []string{"Left", "Left"}, "X", "aX👨\u200d👩\u200d👧z"},
		{"an emoji with its skin", "👍🏽z", []string{"C-a", "Right", "BSpace"}, "X", "Xz"},
		{"a flag", "🇩🇪z", []string{"Left", "Left"}, "X", "X🇩🇪z"},
		{"as often as a count says", "cafe\u0301s", []string{"M-2", "Left"}, "X", "cafXe\u0301s"},
		{"a word back to the space", "one two-three/four ", []string{"C-w"}, "X", "one X"},
		{"a word comes back", "one two-three", []string{"C-w", "C-a", "C-y"}, "X", "two-threeXone "},
		{"a word back to punctuation", "one two-three", []string{"M-BSpace"}, "X", "one two-X"},
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

func TestAKeyThatMeansNothingDoesNothing(t *testing.T) {
	t.Parallel()
	const text = "nothing but this"
	for _, mode := range []string{"emacs", "vi"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			s.write(".inputrc", "set editing-mode "+mode+"\n")
			s.chat()
			s.types(text)
			strays := func() {
				t.Helper()
				for _, key := range []string{
					"\x1b[1;2R", // F3 with Shift, which reads like a report of the cursor's place
					"\x1b[1;2D", "\x1b[1;2C", "\x1b[1;2A", "\x1b[1;2P", "\x1b[15~", "\x1b[15;2~", "\x1b[24~", "\x1b[6~", "\x1bOP", "\x1bOS", "\x1b[I", "\x1b[<0;12;7M",
				} {
					s.run("send-keys", "-l", key)
				}
			}
			strays()
			if mode == "vi" {
				s.escape()
				strays()
				s.types("A")
			}
			s.types("!")
			s.keys("Enter")
			s.asked(text + "!")
		})
	}
}

func TestReportsOfTheCursorsPlaceDoNotStopTheChat(t *testing.T) {
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

	s.shows("(echo)>")
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

func TestWhatIsTypedAtOnceAfterCtrlCIsTheNextLine(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	s.types("old text")
	s.shows("old text")
	s.run("send-keys", "C-c", ";", "send-keys", "-l", "漢字, new")
	s.keys("Enter")
	s.asked("漢字, new")
	s.shows("(echo)>")

	s.types("old text")
	s.keys("C-c", "C-c", "C-c")
	s.types("after three")
	s.keys("Enter")
	s.asked("after three")
	if got := s.service.prompts(); len(got) != 2 {
		t.Errorf("asked %q", got)
	}
}

func TestAQuoteThatEndsInItsFirstLineIsNone(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	const question = `"""foo""" is what?`
	s.types(question)
	s.keys("Enter")
	s.asked(question)
}

func TestViKeysTakeWhatPeopleSee(t *testing.T) {
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
			s.until("the text", func() bool { _, x := s.line(); return x > len("new conversation (echo)> ") })
			s.escape()
			s.types(c.keys)
			s.keys("Enter")
			s.asked(c.want)
		})
	}
}
