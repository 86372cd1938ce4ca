package view_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

func TestDeepTreeShowsIDsAndQuestions(t *testing.T) {
	const depth = 40
	// Every turn has a sibling.
	conversation := history.Conversation{ID: "aaaaaaaa-0000-4000-8000-000000000000", Title: "deep"}
	var turns []history.Turn
	for i := range 2 * depth {
		turn := history.Turn{
			ID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", i+1), Parent: conversation.Head, State: history.Answered,
			Question: fmt.Sprintf("question %d %s", i, strings.Repeat("long ", 20)), Reply: "r", Asked: time.Unix(int64(i+1), 0),
		}
		turns = append(turns, turn)
		if i%2 == 1 {
			conversation.Head = turn.ID
		}
	}
	for _, streams := range []*terminal.Streams{
		{OutTTY: true, Width: 80, Height: 24, UTF8: true},
		{OutTTY: true, Width: 80, Height: 24},
		{OutTTY: true, Width: 80, Height: 24, UTF8: true, Accessible: true},
		{OutTTY: true, Width: 40, Height: 24, UTF8: true},
		{UTF8: true},
	} {
		out := &strings.Builder{}
		streams.Out, streams.Err = out, &strings.Builder{}
		printer := cli.New(streams, func(string) string { return "" }).Print
		if err := view.Tree(printer, history.Tree{Conversation: conversation, Turns: turns}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")[1:]
		if len(lines) != 2*depth {
			t.Fatalf("%d lines, want %d", len(lines), 2*depth)
		}
		for _, line := range lines {
			i := slices.IndexFunc(turns, func(turn history.Turn) bool { return strings.HasPrefix(line, history.Short(turn.ID)+"  ") })
			if i < 0 || !strings.Contains(line, "que") {
				t.Errorf("%d columns: no id or question in %q", streams.Width, line)
			}
			if i == 2*depth-1 && !strings.Contains(line, "(head)") {
				t.Errorf("%d columns: head is not marked in %q", streams.Width, line)
			}
			if n := utf8.RuneCountInString(line); streams.OutTTY && n > streams.Width {
				t.Errorf("%d columns: line is %d wide: %q", streams.Width, n, line)
			}
		}
	}
}
