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

// helpColumn is the column of descriptions in /help.
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
	const leaving = `Commands can be abbreviated. exit or quit without a slash also leaves; ` +
		`to send that word as a question, put a space before it.`
	var text strings.Builder
	format, indent := fmt.Sprintf("%%-%ds%%s\n", helpColumn), helpColumn
	if columns < 2*helpColumn {
		format, indent = "%s\n  %s\n", 2
	}
	for _, c := range commands() {
		fmt.Fprintf(&text, format, c.usage(), c.help)
	}
	keys := `Enter sends. Alt-Enter starts a new line, and so does Enter between """ and """. ` +
		`Ctrl-C clears the line or cancels a pending question. Up and Ctrl-R recall earlier input, ` +
		`Tab completes, Ctrl-X Ctrl-E opens the editor. ` + leaving
	if !s.lines.editor.Rich() {
		keys = `Enter sends; between """ and """ it starts a new line. Ctrl-C cancels a pending question. ` + leaving
	}
	return s.f.Print.Page(terminal.Wrap(text.String(), columns, indent) + "\n" + terminal.Wrap(keys, columns, 0) + "\n")
}
