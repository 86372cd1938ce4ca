package repl

import (
	"context"
	"fmt"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func completeHelp(context.Context, *session, string) []lineedit.Candidate {
	return completeCommands("")
}

// helpColumn is where help explains a command.
const helpColumn = 26

func runHelp(_ context.Context, s *session, name string) error {
	columns := min(s.f.IO.Columns(), 80)
	if name != "" {
		c, err := find(strings.TrimPrefix(name, "/"))
		if err != nil {
			return err
		}
		text := c.usage() + "\n  " + c.help + "\n"
		if c.more != "" {
			text += "  " + c.more + "\n"
		}
		return s.f.Print.Text(terminal.Wrap(text, columns, 2))
	}
	var text strings.Builder
	format, indent := fmt.Sprintf("%%-%ds%%s\n", helpColumn), helpColumn
	if columns < 2*helpColumn {
		format, indent = "%s\n  %s\n", 2
	}
	for _, c := range commands() {
		fmt.Fprintf(&text, format, c.usage(), c.help)
	}
	keys := `Enter sends. Alt-Enter begins a new line; so does Enter after """, until """ ends it. ` +
		`Ctrl-C clears the line, or stops a question that waits. Up and Ctrl-R find what was typed before, ` +
		`Tab completes, Ctrl-X Ctrl-E opens the editor.`
	if !s.lines.editor.Rich() {
		keys = `Enter sends; after """ it begins a new line, until """ ends it. Ctrl-C stops a question that waits.`
	}
	return s.f.Print.Page(terminal.Wrap(text.String(), columns, indent) + "\n" + terminal.Wrap(keys, columns, 0) + "\n")
}
