package picker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/hobnob-cli/hobnob/internal/duration"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/plural"
)

// plainRows is the number of conversations in a numbered list.
const plainRows = 20

// choosePlain prints the newest conversations with numbers and asks for a number or for
// words that the conversations contain.
func (p Picker) choosePlain(ctx context.Context) (history.Conversation, error) {
	text := ""
	for {
		found, err := p.search(ctx, request{text: text, limit: plainRows})
		if err != nil {
			return history.Conversation{}, err
		}
		if err := p.IO.PrintTTY(numbered(found)...); err != nil {
			return history.Conversation{}, err
		}
		answer, err := p.IO.Ask(ctx, "Number of the conversation, or words to search for (Enter cancels):")
		switch {
		case errors.Is(err, io.EOF), err == nil && answer == "":
			return history.Conversation{}, ErrCancelled
		case err != nil:
			return history.Conversation{}, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 1 && n <= len(found.conversations) {
			return found.conversations[n-1], nil
		}
		text = answer
	}
}

// numbered returns the lines of a list.
func numbered(found part) []string {
	if found.total == 0 {
		return []string{fmt.Sprintf("No matches for %q.", found.text)}
	}
	var lines []string
	for i, c := range found.conversations {
		lines = append(lines, fmt.Sprintf("%d. %s (%s, %s)", i+1, titleOf(c), plural.Count(c.Turns, "turn"), duration.Ago(c.Updated, time.Now())))
	}
	switch more := found.total - len(found.conversations); {
	case found.text != "" && found.total >= history.MaxMatches:
		lines = append(lines, fmt.Sprintf("Not listed: %d or more.", more))
	case more > 0:
		lines = append(lines, fmt.Sprintf("Not listed: %d more.", more))
	}
	return lines
}
