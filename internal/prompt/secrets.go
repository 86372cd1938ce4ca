package prompt

import (
	"context"
	"slices"

	"github.com/hobnob-cli/hobnob/internal/attach"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/secrets"
)

// Check returns an error if the question must not be sent because of a secret, in its text
// or in instructions that are sent with it for the first time. Those that are nil are
// skipped.
func (a Assembled) Check(ctx context.Context, guard secrets.Guard, instructions ...*history.Instructions) error {
	text := secrets.Source{Name: "the question", Text: a.Text}
	var sources []secrets.Source
	for _, file := range append(slices.Clip(a.Files), attach.File{Name: "standard input", Data: a.Stdin}) {
		if text, err := attach.Text(file.Name, file.Data); err == nil {
			sources = append(sources, secrets.Source{Name: file.Name, Text: text})
		}
	}
	for _, i := range instructions {
		if i != nil && i.Text != "" {
			text.Text += "\n\n" + i.Text
			sources = append(sources, secrets.Source{Name: secrets.Instructions, Text: i.Text})
		}
	}
	return guard.Check(ctx, text, sources...)
}

// CheckTurns is like Assembled.Check for earlier turns that are sent with a question.
func CheckTurns(ctx context.Context, guard secrets.Guard, turns []history.Turn) error {
	var sources []secrets.Source
	for _, turn := range turns {
		id := history.Short(turn.ID)
		sources = append(sources, secrets.Source{Name: "question " + id, Text: turn.Question}, secrets.Source{Name: "reply " + id, Text: turn.Reply})
	}
	return guard.CheckAll(ctx, sources...)
}
