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
