//go:build unix

package cmd

import (
	"fmt"
	"iter"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/agent"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// remember adds n conversations of one turn to the history. The last one is the newest.
func (s *screen) remember(n int) {
	s.t.Helper()
	store, err := history.Open(s.t.Context(), filepath.Join(s.home, ".local/share/hobnob"))
	if err != nil {
		s.t.Fatal(err)
	}
	trees := iter.Seq2[history.Tree, error](func(yield func(history.Tree, error) bool) {
		for i := range n {
			asked := time.Date(2024, 1, 1, 0, i, 0, 0, time.UTC)
			c := history.Conversation{
				ID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", i), Title: fmt.Sprintf("question %d", i), Profile: "work", AgentID: agent.EchoID, Created: asked, Updated: asked,
			}
			turn := history.Turn{
				ID: fmt.Sprintf("%08x-1111-4000-8000-000000000000", i), Conversation: c.ID, Question: c.Title, Reply: fmt.Sprintf("the answer\n\nwith word%d", i),
				State: history.Answered, AgentID: c.AgentID, Asked: asked, Ended: asked,
			}
			c.Head = turn.ID
			if !yield(history.Tree{Conversation: c, Turns: []history.Turn{turn}}, nil) {
				return
			}
		}
	})
	if _, err := store.Import(s.t.Context(), trees, ""); err != nil {
		s.t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		s.t.Fatal(err)
	}
}

// chosen waits until a title is selected in the list.
func (s *screen) chosen(title string) {
	s.t.Helper()
	s.until(fmt.Sprintf("%q selected", title), func() bool {
		for line := range strings.Lines(s.text()) {
			if rest, ok := strings.CutPrefix(strings.TrimRight(line, " \n"), "> "); ok && (rest == title || strings.HasPrefix(rest, title+"  ")) {
				return true
			}
		}
		return false
	})
}

// exits waits until hobnob exits with a code.
func (s *screen) exits(code int) {
	s.t.Helper()
	var got string
	s.until("an exit code", func() bool {
		s.run("run-shell", ":") // tmux 3.3 may not notice an exit until that of another child
		got = strings.TrimSpace(s.run("display-message", "-p", "#{pane_dead_status}"))
		return got != ""
	})
	if got != strconv.Itoa(code) {
		s.t.Errorf("exit code %s, want %d; the screen:\n%s", got, code, s.text())
	}
}

func TestPickAmongManyConversations(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.remember(10_000)
	for _, size := range []struct {
		columns, rows int
		help          string
	}{
		{80, 24, "Up and Down move, Enter chooses, Esc cancels"},
		{40, 15, "Enter chooses, Esc cancels"},
	} {
		s.resize(size.columns, size.rows)
		show := func() {
			t.Helper()
			s.start(nil, "conversations", "show", "--pick")
			s.chosen("question 9999")
			s.shows("1 of 10000 - " + size.help)
		}
		show()
		s.keys("Down", "C-n", "Down", "Up", "C-p")
		s.chosen("question 9998")
		s.keys("End")
		s.chosen("question 0")
		s.shows("10000 of 10000")
		s.keys("Down", "PageUp", "Home", "Up")
		s.chosen("question 9999")
		s.keys("NPage")
		s.chosen("question 9987")
		s.keys("PPage")
		s.chosen("question 9999")

		// Typing fast and Enter during the search choose what it finds.
		s.types("word4711")
		s.keys("Enter")
		s.exits(0)
		s.shows("word4711")

		show()
		s.types("no such words")
		s.shows("  no matches")
		s.keys("Enter", "Down") // nothing to choose
		s.keys("C-w", "BSpace", "BSpace")
		s.shows("search: no suc")
		s.keys("C-u")
		s.chosen("question 9999")
		s.types("QUESTION 77")
		s.chosen("question 7799")
		s.keys("Escape")
		s.exits(1)
	}
}

// hidden reports whether a program shows another screen than that of the shell.
func (s *screen) hidden() bool {
	s.t.Helper()
	return strings.TrimSpace(s.run("display-message", "-p", "#{alternate_on}")) == "1"
}

func TestPickRestoresTerminal(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.remember(100)
	s.shell()
	for i, c := range []struct {
		how   string
		leave func()
		code  int
	}{
		{"Enter", func() { s.keys("Enter") }, 0},
		{"Escape", func() { s.keys("Escape") }, 1},
		{"Ctrl-C", func() { s.keys("C-c") }, 130},
		{"Ctrl-D", func() { s.keys("C-d") }, 1},
		{"SIGTERM", func() { s.kill(syscall.SIGTERM) }, 143},
		{"SIGHUP", func() { s.kill(syscall.SIGHUP) }, 129},
		{"SIGINT", func() { s.kill(syscall.SIGINT) }, 130},
	} {
		s.clears()
		s.enters(fmt.Sprintf(`modes=$(stty -g); sh -c 'echo $$ >~/pid; exec hobnob conversations show -q --pick >~/out'; echo "code $?, modes $([ "$modes" = "$(stty -g)" ] && echo same) %d"`, i))
		s.chosen("question 99")
		if !s.hidden() {
			t.Errorf("%s: the list replaced the text of the shell", c.how)
		}
		c.leave()
		s.shows(fmt.Sprintf("code %d, modes same %d", c.code, i))
		s.prompted("ready>")
		if s.hidden() {
			t.Errorf("%s: the screen of the list is still shown", c.how)
		}
	}
	if got := s.read("out"); strings.Contains(got, "\x1b") {
		t.Errorf("stdout has escape sequences: %q", got)
	}
}

// kill sends a signal to the hobnob whose process id is in the file pid.
func (s *screen) kill(signal syscall.Signal) {
	s.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(s.read("pid")))
	if err == nil {
		err = syscall.Kill(pid, signal)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func TestCtrlZInPicker(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.remember(100)
	s.shell()
	s.enters("hobnob conversations show --pick")
	s.types("question 7")
	s.chosen("question 79")
	s.keys("C-z")
	s.shows("Stopped")
	s.prompted("ready>")
	if s.hidden() {
		t.Error("the list is shown while hobnob is stopped")
	}
	s.computes(1)
	s.enters("fg")
	s.chosen("question 79")
	s.types("7")
	s.chosen("question 77")
	s.keys("Enter")
	s.shows("word77")
	s.rested()
}

func TestPickerFollowsSizeOfTerminal(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.remember(100)
	s.start([]string{"NO_COLOR=1"}, "conversations", "show", "--pick")
	s.keys("End", "Up")
	s.chosen("question 1")
	for _, size := range [][2]int{{40, 15}, {150, 40}, {20, 4}, {60, 30}} {
		s.resize(size[0], size[1])
		s.until("a preview if it fits", func() bool { return strings.Contains(s.text(), "the answer") == (size[1] >= 20) })
		s.until("the typed text in the first line", func() bool {
			text, _ := s.line()
			return strings.HasPrefix(text, "search:") == (size[0] >= 40)
		})
		s.until("help if it fits", func() bool { return strings.Contains(s.text(), "99 of 100 - ") == (size[0] >= 40) })
		s.chosen("question 1")
	}
	s.resize(80, 24)
	s.types("word5")
	s.chosen("question 59")
	s.keys("Enter")
	s.exits(0)
}

func TestPasteAndHostileTitlesInPicker(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.remember(100)
	const title = "\x1b]0;owned\x07標題 \x1b[31mred\u202e end"
	db := openDatabase(t, filepath.Join(s.home, ".local/share/hobnob", history.FileName))
	if _, err := db.ExecContext(t.Context(), `UPDATE conversations SET title = ? WHERE title = 'question 99'`, title); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s.start(nil, "conversations", "show", "--pick")
	s.chosen("␛]0;owned␇標題 ␛[31mred<U+202E> end")
	if got := s.run("display-message", "-p", "#{pane_title}"); strings.Contains(got, "owned") {
		t.Errorf("a title changed that of the terminal: %q", got)
	}

	// A pasted newline does not choose.
	s.paste(strings.Repeat("pasted text 標題\r\n", 62) + "end")
	s.shows("  no matches")
	s.until("the end of the paste", func() bool {
		text, column := s.line()
		return strings.HasSuffix(strings.TrimRight(text, " "), "標題  end") && column < 80
	})
	s.keys("C-u")
	s.chosen("␛]0;owned␇標題 ␛[31mred<U+202E> end")
	s.paste("question\n42")
	s.chosen("question 42")
	s.types("標")
	s.keys("BSpace", "Enter")
	s.exits(0)
	s.shows("word42")
}

func TestOpenChoosesConversation(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.remember(100)
	s.chat()
	s.types("/open")
	s.keys("Enter")
	s.chosen("question 99")
	s.keys("Escape")
	s.prompted("new conversation (echo)>")
	s.types("/open")
	s.keys("Enter")
	s.chosen("question 99")
	s.keys("C-c")
	s.prompted("new conversation (echo)>")

	// Keys after Enter go to the list, and those after the choice to the chat.
	s.run("send-keys", "/open", "Enter", "word77", "Enter", "and now?", "Enter")
	s.asked("and now?")
	s.prompted("question 77 (echo)>")
	s.service.faultyService.mu.Lock()
	defer s.service.faultyService.mu.Unlock()
	if sent := s.service.requests[len(s.service.requests)-1].body; !strings.Contains(sent, `"content":"question 77"`) {
		t.Errorf("sent %s", sent)
	}
}

func TestPickerWithPipedPrompt(t *testing.T) {
	t.Parallel()
	s := newScreen(t)
	s.remember(100)
	s.shell()
	s.enters("echo what about this | hobnob chat -q -C >~/answer; cat ~/answer")
	s.chosen("question 99")
	s.types("word55")
	s.keys("Enter")
	s.asked("what about this")
	s.shows("what about this\nready>")
}
