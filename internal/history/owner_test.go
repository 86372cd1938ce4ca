package history

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestTurnOfEndedProcessReadsAsUnknown(t *testing.T) {
	dir := t.TempDir()
	open := func() *Store {
		s, err := Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	asker, watcher := open(), open()
	root := begin(t, watcher, Question{Text: "root"})
	answer(t, watcher, root, "0")
	lost := begin(t, asker, Question{Conversation: root.Conversation, Parent: root.ID, Text: "lost", Lifetime: time.Hour})
	state := func() State {
		turns, err := watcher.Turns(t.Context(), lost.Conversation)
		if err != nil {
			t.Fatal(err)
		}
		return turns[1].State
	}
	if got := state(); got != Pending {
		t.Errorf("while its process is running: %s", got)
	}
	sibling := begin(t, watcher, Question{Conversation: root.Conversation, Parent: root.ID, Text: "sibling"})
	if branch := answer(t, watcher, sibling, "1"); !branch.InFlight {
		t.Error("pending question is not reported")
	}
	_ = asker.Close()
	if got := state(); got != Unknown {
		t.Errorf("after its process ended: %s", got)
	}
	sibling = begin(t, watcher, Question{Conversation: root.Conversation, Parent: root.ID, Text: "sibling, later"})
	if branch := answer(t, watcher, sibling, "2"); branch.InFlight {
		t.Error("lost question is reported as pending")
	}
	_ = watcher.Close()
	if left, _ := os.ReadDir(filepath.Join(dir, "waiting")); len(left) != 0 {
		t.Errorf("%d lock files are left", len(left))
	}
}
