//go:build unix

package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/shell"
)

// from returns the end of the screen, from the last occurrence of first on.
func (s *screen) from(first string) string {
	s.t.Helper()
	text := s.text()
	if at := strings.LastIndex(text, first); at >= 0 {
		text = text[at:]
	}
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		lines = append(lines, strings.TrimRight(line, " "))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// draws waits until the screen ends with want.
func (s *screen) draws(want string) {
	s.t.Helper()
	first, _, _ := strings.Cut(want, "\n")
	s.until(fmt.Sprintf("the drawing\n%s\n", want), func() bool { return s.from(first[:min(len(first), 20)]) == want })
}

func TestEditLongTextAtBottomOfScreen(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	for range 2 { // fills the screen
		s.types("/help")
		s.prompted("new conversation (echo)> /help")
		s.keys("Enter")
		s.prompted("new conversation (echo)>")
	}
	s.types("START " + strings.Repeat("word ", 25) + "END")
	s.keys("M-Enter")
	s.types("second 漢字")
	s.keys("M-Enter")
	s.types("third")
	const begin, middle = "new conversation (echo)> ", "\n word word word word word word word word word word word word word word word END\n                         "
	s.draws(begin + "START word word word word word word word word word word" + middle + "second 漢字\n                         third")
	s.keys("Up", "C-a")
	s.types("UP:")
	s.draws(begin + "START word word word word word word word word word word" + middle + "UP:second 漢字\n                         third")
	s.keys("Up", "C-a", "M-d", "C-k")
	s.draws("new conversation (echo)>\n                         UP:second 漢字\n                         third")
	s.keys("C-y")
	s.types("!")
	s.keys("Enter")
	s.asked(" " + strings.Repeat("word ", 25) + "END!\nUP:second 漢字\nthird")
}

func TestResizeWhileTyping(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	text := strings.Repeat("resize ", 15) + "漢字"
	s.types(text)
	s.shows("漢字")
	for _, columns := range []int{50, 100, 64} {
		s.resize(columns, 20)
		s.until("the new width", func() bool { return s.columns() == columns })
	}
	s.keys("C-a")
	s.types("X ")
	s.keys("C-e")
	s.types("Y")
	s.keys("Enter")
	s.asked("X " + text + "Y")
	s.prompted("X resize resize resi… (echo)>")
	s.types("next")
	s.prompted("X resize resize resi… (echo)> next")
}

func TestTabCompletes(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.write("notes of today.txt", "what the notes say")
	s.chat()
	const prompt = "new conversation (echo)>"
	s.types("/se")
	s.keys("Tab")
	s.until("the command", func() bool { line, _ := s.line(); return strings.HasPrefix(line, prompt+" /search") })
	s.keys("C-u")
	s.types("/")
	s.keys("Tab")
	for _, name := range []string{
		"help", "new", "open", "title", "agent", "file", "edit", "again", "undo", "tree", "at", "context", "search", "copy", "save", "export", "usage", "raw", "exit",
	} {
		s.shows("/" + name + " ")
	}
	s.keys("Tab", "Tab")
	s.shows(prompt + " /new")
	s.keys("C-c")
	s.prompted(prompt)

	s.types("/agent g")
	s.keys("Tab")
	s.shows("/agent guide")
	s.keys("C-u")
	s.types("/file ~/notes")
	s.keys("Tab")
	s.shows(`notes\ of\ today.txt`)
	s.keys("Enter")
	s.shows("18 bytes")
	s.shows("(echo, 1 file)>")
	s.types("first of all")
	s.keys("Enter")
	s.until("the question", func() bool {
		asked := s.service.prompts()
		return len(asked) == 1 && strings.HasPrefix(asked[0], "first of all\n\n") && strings.Contains(asked[0], "what the notes say")
	})
	s.prompted("first of all (echo)>")
	s.types("/new")
	s.keys("Enter")
	s.prompted(prompt)
	s.types("/open fir")
	s.keys("Tab")
	s.shows("/open first of all")
	s.keys("Enter")
	s.prompted("first of all (echo)>")
}

func TestTypeAhead(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	release := s.service.hold()
	defer release()
	s.types("one")
	s.keys("Enter")
	s.asked("one")
	s.shows("asking echo")
	s.types("two, 漢字")
	s.keys("Enter")
	s.types("half of three")
	if strings.Contains(s.text(), "two") {
		t.Errorf("typed keys are echoed while the question is pending:\n%s", s.text())
	}
	release()
	s.asked("two, 漢字")
	s.prompted("one (echo)> half of three")
}

func TestEditorOpensLine(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.write("ed", `printf ', written' >>"$1"`)
	s.chat("EDITOR=sh '" + filepath.Join(s.home, "ed") + "'")
	s.types("typed")
	s.keys("M-Enter")
	s.types("here")
	s.keys("C-x", "C-e")
	s.asked("typed\nhere, written")
	s.prompted("typed (echo)>")
	s.until("the removal of the draft", func() bool {
		left, _ := filepath.Glob(filepath.Join(s.home, ".local/state/hobnob/drafts/*.md"))
		return len(left) == 0
	})
}

func TestFailedEditorLosesNothing(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat("EDITOR=false")
	s.types("precious")
	s.keys("C-x", "C-e")
	s.shows(`the editor "false" failed`)
	s.prompted("new conversation (echo)> precious")
	s.keys("Enter")
	s.asked("precious")
}

func TestConcurrentChatsHaveSeparateDrafts(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	s.types("draft of the first")
	s.shows("draft of the first")
	other := &screen{t: t, home: s.home, service: s.service, tmux: s.tmux}
	other.run("split-window", "cat")
	other.start(nil, "chat")
	other.prompted("new conversation (echo)>")
	other.types("draft of the second")
	other.shows("draft of the second")
	s.until("both drafts", func() bool {
		files, _ := filepath.Glob(filepath.Join(s.home, ".local/state/hobnob/drafts/*.md"))
		var texts []string
		for _, file := range files {
			data, _ := os.ReadFile(file)
			texts = append(texts, string(data))
		}
		return strings.Join(texts, "|") == "draft of the first|draft of the second"
	})
}

func TestPlaceholderIsOneCharacter(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	long := strings.Repeat("a line\n", 20) + "the end"
	const prompt = "new conversation (echo)>"
	s.types("explain ")
	s.paste(long)
	s.prompted(prompt + " explain [text #1: 21 lines]")
	s.keys("BSpace")
	s.prompted(prompt + " explain")
	s.paste(long)
	s.shows("lines]")
	s.keys("M-b")
	s.types("X")
	s.keys("Enter")
	s.shows("nothing was sent: a placeholder [text #…] was changed")
	s.prompted(prompt + " explain [text #1: 21 linesX]")
	s.keys("M-b", "BSpace")
	s.prompted(prompt + " explain [text #1: 21 lines]")
	s.keys("C-e", "Left")
	s.types("this: ")
	s.keys("Enter")
	s.asked("explain this: " + long)
}

func TestPasteWhilePending(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.chat()
	release := s.service.hold()
	defer release()
	s.types("slow")
	s.keys("Enter")
	s.asked("slow")
	s.shows("asking echo")
	paste := strings.Repeat("a line of a log that was pasted too early\n", 300)
	s.paste(paste)
	release()
	s.shows("slow (echo)> [text #1: 301 lines]")
	s.keys("Enter")
	s.asked(strings.TrimSuffix(paste, "\n") + "\n")
	if got := s.service.prompts(); len(got) != 2 {
		t.Errorf("%d questions were asked, want 2", len(got))
	}
}

func TestCtrlZRestoresText(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.write(".bashrc", "PS1='shell$ '\n")
	s.run("respawn-pane", "-k", "exec env -u TMUX HOME="+shell.Quote(s.home)+" PATH="+shell.Quote(filepath.Join(s.home, "bin")+":"+os.Getenv("PATH"))+" HOBNOB_TOKEN=t LC_ALL=C.UTF-8 TERM=tmux-256color bash")
	s.prompted("shell$")
	s.types("hobnob chat -q")
	s.keys("Enter")
	s.prompted("new conversation (echo)>")
	s.types("half a text")
	s.keys("C-z")
	s.prompted("shell$")
	s.types("fg")
	s.keys("Enter")
	s.prompted("new conversation (echo)> half a text")
	s.types("!")
	s.keys("Enter")
	s.asked("half a text!")
	s.prompted("half a text! (echo)>")
}
