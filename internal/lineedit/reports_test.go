package lineedit

import (
	"testing"

	"github.com/reeflective/readline"
)

// TestReportChannel fails if a new version of readline renames the unexported fields
// that takeReports reads, or changes their types.
func TestReportChannel(t *testing.T) {
	reports, guard := reportChannel(readline.NewShell())
	if reports == nil || guard == nil {
		t.Fatal("readline has no unexported fields cursor and mutex of the expected types: update reportChannel")
	}
	guard.Lock() // panics unless these are the real fields
	*reports = make(chan []byte)
	guard.Unlock()
}

func TestFedKeysAreTakenUnchanged(t *testing.T) {
	lib := readline.NewShell()
	queue := keyQueue{lib: lib}
	for _, keys := range []string{"", "abc\r", "漢字é\x1b[A", "a\x1b[200~漢\n\x1b[201~字", "\x1b[200~\x1b[201~é"} {
		queue.feed(keys)
		if got := queue.take(); got != keys {
			t.Errorf("%q became %q", keys, got)
		}
	}
}
