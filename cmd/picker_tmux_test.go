//go:build unix

package cmd

import (
	"fmt"
	"iter"
	"path/filepath"
	"strconv"
	"strings"
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
	s.ended()
	if got := strings.TrimSpace(s.run("display-message", "-p", "#{pane_dead_status}")); got != strconv.Itoa(code) {
		s.t.Errorf("exit code %s, want %d; the screen:\n%s", got, code, s.text())
	}
}

func TestPickAmongManyConversations(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {40, 15}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			s := newScreen(t)
			s.remember(10_000)
			s.resize(size[0], size[1])
			s.until("the width", func() bool { return s.columns() == size[0] })
			show := func() {
				t.Helper()
				s.start(nil, "conversations", "show", "--pick")
				s.chosen("question 9999")
				s.shows("1 of 10000")
			}
			show()
			s.keys("Down", "C-n", "Down", "Up", "C-p")
			s.chosen("question 9998")
			s.keys("End")
			s.chosen("question 0")
			s.shows("10000 of 10000")
			s.keys("Down", "PageUp", "Home", "Up")
			s.chosen("question 9999")
			s.keys("NPage", "PPage")
			s.chosen("question 9999")

			// Typing fast and Enter during the search choose what it finds.
			s.types("word4711")
			s.keys("Enter")
			s.exits(0)
			s.shows("word4711")

			show()
			s.types("no such words")
			s.shows("no conversation contains this")
			s.keys("Enter", "Down") // nothing to choose
			s.keys("C-w", "BSpace", "BSpace")
			s.shows("search: no suc")
			s.keys("C-u")
			s.chosen("question 9999")
			s.types("QUESTION 77")
			s.chosen("question 7799")
			s.keys("Escape")
			s.exits(1)
		})
	}
}
