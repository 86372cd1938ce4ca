package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// newSending returns a journal with n slots, with and without memory that belongs to it.
func newSending(t *testing.T, n int) map[string]*sending {
	t.Helper()
	journals := map[string]*sending{}
	for _, name := range []string{"calls", "memory"} {
		s, err := lockSending(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.close(true) })
		if err := s.reset(n); err != nil {
			t.Fatal(err)
		}
		if s.memory != nil && name == "calls" {
			if err := unmap(s.memory); err != nil {
				t.Fatal(err)
			}
			s.memory = nil
		}
		journals[name] = s
	}
	return journals
}

func TestSending(t *testing.T) {
	longest := strings.Repeat("\x01", maxID)
	for name, s := range newSending(t, 3) {
		t.Run(name, func(t *testing.T) {
			for _, step := range []struct {
				slot int
				id   string
				want []string
			}{
				{1, "a long id", []string{"a long id"}},
				{0, "<ü>", []string{"<ü>", "a long id"}},
				{1, `"`, []string{"<ü>", `"`}},
				{2, longest, []string{"<ü>", `"`, longest}},
				{2, "", []string{"<ü>", `"`}},
				{0, "", []string{`"`}},
				{0, "a", []string{"a", `"`}},
			} {
				if err := s.set(step.slot, step.id); err != nil {
					t.Fatal(err)
				}
				if got, err := s.ids(); err != nil || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", step.want) {
					t.Fatalf("after slot %d is %q: %q, %v, want %q", step.slot, step.id, got, err, step.want)
				}
			}
		})
	}
}

// A slot in which a kill left half of a text is empty.
func TestHalfOfSlot(t *testing.T) {
	for name, s := range newSending(t, 2) {
		t.Run(name, func(t *testing.T) {
			if err := s.set(1, "sent"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.file.WriteAt([]byte(` "id":"ha`), slotSize); err != nil {
				t.Fatal(err)
			}
			if got, err := s.ids(); err != nil || len(got) != 1 || got[0] != "sent" {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}

// A journal that another program truncates is an error, not a crash.
func TestTruncatedJournal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the journal is written with system calls")
	}
	s := newSending(t, 2)["memory"]
	if s.memory == nil {
		t.Fatal("the journal has no memory")
	}
	if err := os.Truncate(s.path, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.set(1, "a"); err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("the error is %v", err)
	}
}
