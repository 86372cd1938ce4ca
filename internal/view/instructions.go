package view

import (
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// Instructions are standing instructions as JSON, with their cost.
type Instructions struct {
	Text       string                     `json:"text"`
	Source     history.InstructionsSource `json:"source"`
	Name       *string                    `json:"name"`
	Characters int                        `json:"characters"`
	Tokens     int                        `json:"tokens,omitempty"` // 0 if not estimated
}

// NewInstructions returns instructions with an estimate of their tokens, or nil if they
// have no text.
func NewInstructions(i history.Instructions, tokens int) *Instructions {
	if i.Text == "" {
		return nil
	}
	return &Instructions{i.Text, i.Source, cli.OrNull(i.Name), utf8.RuneCountInString(i.Text), tokens}
}
