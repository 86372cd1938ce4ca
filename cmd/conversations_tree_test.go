package cmd

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
)

func TestEveryTurnOfADeepTreeShowsItsIDAndItsQuestion(t *testing.T) {
	const depth = 40
	data := t.TempDir()
	store, err := history.Open(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	// Asking on and asking that again, in turn, branches at each question.
	tree := history.Tree{Conversation: history.Conversation{ID: "aaaaaaaa-0000-4000-8000-000000000000", Title: "deep", Profile: "local", Created: time.Unix(1, 0)}}
	for i := range 2 * depth {
		turn := history.Turn{
			ID: fmt.Sprintf("%08x-0000-4000-8000-000000000000", i+1), Parent: tree.Conversation.Head, State: history.Answered,
			Question: fmt.Sprintf("question %d %s", i, strings.Repeat("long ", 20)), Reply: "r", Asked: time.Unix(int64(i+1), 0),
		}
		tree.Turns = append(tree.Turns, turn)
		if i%2 == 1 {
			tree.Conversation.Head = turn.ID
		}
	}
	if _, err := store.Import(t.Context(), func(yield func(history.Tree, error) bool) { yield(tree, nil) }, ""); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
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
		f := cli.New(streams, func(key string) string {
			return map[string]string{"HOBNOB_DATA_DIR": data, "HOME": data}[key]
		})
		if err := runConversationsTree(t.Context(), conversationsTreeOptions{f: f, Ref: "deep"}); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")[1:]
		if len(lines) != 2*depth {
			t.Fatalf("%d lines, want %d", len(lines), 2*depth)
		}
		for _, line := range lines {
			i := slices.IndexFunc(tree.Turns, func(turn history.Turn) bool { return strings.HasPrefix(line, history.Short(turn.ID)+"  ") })
			if i < 0 || !strings.Contains(line, "que") {
				t.Errorf("%d columns: no id or no question in %q", streams.Width, line)
			}
			if i == 2*depth-1 && !strings.Contains(line, "(head)") {
				t.Errorf("%d columns: the head is not marked in %q", streams.Width, line)
			}
			if n := utf8.RuneCountInString(line); streams.OutTTY && n > streams.Width {
				t.Errorf("%d columns: a line has %d: %q", streams.Width, n, line)
			}
		}
	}
}
