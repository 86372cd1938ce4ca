package lineedit

import (
	"testing"

	"github.com/reeflective/readline"
)

// TestReadlineHasTheFieldOfItsReports fails when a new version of readline renames
// the unexported fields that takeReports reads, or gives them other types.
func TestReadlineHasTheFieldOfItsReports(t *testing.T) {
	reports, guard := reportChannel(readline.NewShell())
	if reports == nil || guard == nil {
		t.Fatal("readline has no unexported field cursor or mutex any more: read how it reports the cursor's position, and change reportChannel")
	}
	guard.Lock() // the real ones, or this would panic
	*reports = make(chan []byte)
	guard.Unlock()
}
