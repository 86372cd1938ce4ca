package transfer

import (
	"fmt"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// shownTime formats a time to the minute, in UTC so that documents do not depend on the time zone.
func shownTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// title returns the title of a conversation on one line.
func title(c history.Conversation) string {
	if text := strings.Join(strings.Fields(visible(c.Title)), " "); text != "" {
		return text
	}
	return "untitled"
}

// instructionsTitle returns the line above instructions.
func instructionsTitle(i history.Instructions) string {
	return "Instructions of " + strings.Join(strings.Fields(visible(i.Owner())), " ")
}

// outcome returns the reason why a turn has no reply, or "" if it has one.
func outcome(t history.Turn) string {
	switch t.State {
	case history.Answered:
		return ""
	case history.Pending:
		return "No answer yet."
	}
	text := "No answer: " + string(t.State)
	if reason := strings.Join(strings.Fields(visible(t.Failure.Text)), " "); reason != "" {
		return text + ", " + reason
	}
	return text + "."
}

// aside returns the line under a title.
func aside(t history.Tree) string {
	text := shownTime(t.Conversation.Created)
	switch n := t.Conversation.Turns - len(t.Turns); {
	case n == 1:
		text += " · 1 more turn on other branches"
	case n > 1:
		text += fmt.Sprintf(" · %d more turns on other branches", n)
	}
	return text
}

// visible replaces characters that could hide or reorder text with visible ones: control
// characters except tab and newline, and bidi controls (https://trojansource.codes).
// Line ends become newlines, and invalid UTF-8 becomes U+FFFD.
func visible(text string) string {
	text = strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\ufffd")
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n', r == '\t':
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune('\u2400' + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		case r > 0x7f && r <= 0x9f, r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
