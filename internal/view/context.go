package view

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/plural"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

type contextRow struct {
	Turn       string        `json:"turn"`
	Question   string        `json:"question"`
	Characters int           `json:"characters"`
	Tokens     int           `json:"tokens"`
	Mark       *history.Mark `json:"mark"`
	Sent       bool          `json:"sent"`
	Left       *string       `json:"left"`
}

// Context prints the instructions and the turns of a conversation that the next question
// sends. Unanswered is the turn of the last question if it has no answer, otherwise a zero
// turn.
func Context(p *cli.Printer, conversation string, sent chat.Context, unanswered history.Turn) error {
	considered := sent.Turns
	rows, cells := make([]contextRow, len(considered)), make([][]string, len(considered))
	ids := make([]string, len(considered))
	for i, c := range considered {
		ids[i] = c.Turn.ID
	}
	short := history.Shorts(ids...)
	turns, characters, tokens := 0, utf8.RuneCountInString(sent.Instructions.Text), sent.InstructionsTokens
	for i, c := range considered {
		size := utf8.RuneCountInString(c.Turn.Question) + utf8.RuneCountInString(c.Turn.Reply)
		what := "sent"
		if c.Left != "" {
			what = "omitted: " + c.Left
		} else if c.Turn.Mark != history.Unmarked {
			what = "sent, pinned"
		}
		cells[i] = []string{short(c.Turn.ID), c.Turn.Question, strconv.Itoa(size), strconv.Itoa(c.Tokens), what}
		rows[i] = contextRow{c.Turn.ID, c.Turn.Question, size, c.Tokens, cli.OrNull(c.Turn.Mark), c.Left == "", cli.OrNull(c.Left)}
		if c.Left == "" {
			turns, characters, tokens = turns+1, characters+size, tokens+c.Tokens
		}
	}
	first := NewInstructions(sent.Instructions, sent.InstructionsTokens)
	if first != nil {
		cells = slices.Insert(cells, 0, []string{"", sent.Instructions.Text, strconv.Itoa(first.Characters), strconv.Itoa(first.Tokens), "sent, instructions of " + sent.Instructions.Owner()})
	}
	last := ""
	if unanswered.ID != "" {
		last = history.TitleOf(unanswered.Question)
	}
	if p.WantsJSON() {
		return p.JSON(map[string]any{
			"conversation": conversation, "instructions": first, "turns": turns, "characters": characters, "tokens": tokens, "path": rows, "unanswered": cli.OrNull(last),
		})
	}
	if err := p.Table([]terminal.Column{
		{Title: "TURN"}, {Title: "QUESTION", Flexible: true}, {Title: "CHARACTERS", Right: true}, {Title: "TOKENS", Right: true}, {Title: "CONTEXT"},
	}, cells); err != nil {
		return err
	}
	if last != "" {
		p.Note("the last question has no answer and is omitted from the context: %s", last)
	}
	with := ""
	if first != nil {
		with = "the instructions and "
	}
	p.Note("the next question sends %s%d of %s, %s, about %s", with, turns, plural.Count(len(rows), "turn"), plural.Count(characters, "character"), plural.Count(tokens, "token"))
	return nil
}
