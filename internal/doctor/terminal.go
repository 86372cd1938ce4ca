package doctor

import (
	"context"
	"fmt"

	"github.com/hobnob-cli/hobnob/internal/plural"
)

// checkTerminal reports the detected properties of the terminal. It never finds a
// problem.
func checkTerminal(_ context.Context, e *examination) Finding {
	s := e.f.IO
	what, color, charset, also := "standard output is not a terminal", "no colour", "ASCII", ""
	if s.OutTTY {
		what = fmt.Sprintf("TERM=%s, %s", e.f.Env("TERM"), plural.Count(s.Columns(), "column"))
	}
	if s.OutColor {
		color = "colour"
	}
	if s.UTF8 {
		charset = "UTF-8"
	}
	if s.OutTTY && s.Dumb {
		also += ", dumb"
	}
	if s.Accessible {
		also += ", for a screen reader (ACCESSIBLE)"
	}
	return e.passed("%s, %s, %s%s", what, color, charset, also)
}
