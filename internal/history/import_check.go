package history

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// ImportError is what makes an import invalid. Nothing of it was written.
type ImportError struct {
	Object string // "conversation ID", "turn ID" or a path like "conversations[2].turns[0].reply"
	Reason string
}

func (e *ImportError) Error() string { return e.Object + ": " + e.Reason }

func refuse(object, format string, args ...any) error {
	return &ImportError{Object: object, Reason: fmt.Sprintf(format, args...)}
}

// The maximum sizes of one text, in bytes: more than hobnob itself stores.
const (
	maxLine = 1 << 20 // titles, names and ids
	maxText = 32 << 20
)

// firstYearAfter is the first time that RFC 3339 cannot write.
var firstYearAfter = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

// checker checks trees against the rules of the history.
type checker struct {
	conversations, turns map[string]bool // by id
	perMilli             map[int64]int   // turns asked in each millisecond
}

func (c *checker) tree(tree Tree) error {
	conversation := tree.Conversation
	if !isID(conversation.ID) {
		return refuse(fmt.Sprintf("conversation %q", Clip(conversation.ID)), "its id is not a UUID in lower case")
	}
	object := "conversation " + conversation.ID
	if c.conversations[conversation.ID] {
		return refuse(object, "stands there twice")
	}
	c.conversations[conversation.ID] = true
	if err := checkLines(object, "title", conversation.Title, "profile", conversation.Profile); err != nil {
		return err
	}
	if err := checkAgent(object, conversation.AgentID); err != nil {
		return err
	}
	if err := checkTimes(object, conversation.Created, conversation.Updated, conversation.Deleted); err != nil {
		return err
	}
	byID := make(map[string]Turn, len(tree.Turns))
	for _, t := range tree.Turns {
		if err := c.turn(object, t); err != nil {
			return err
		}
		byID[t.ID] = Turn{Parent: t.Parent, State: t.State}
	}
	for _, t := range tree.Turns {
		if _, ok := byID[t.Parent]; t.Parent != "" && !ok {
			return refuse("turn "+t.ID, "its parent %q is not in its conversation", Clip(t.Parent))
		}
	}
	if id, ok := cycle(tree.Turns, byID); ok {
		return refuse("turn "+id, "it is its own ancestor")
	}
	if head, ok := byID[conversation.Head]; conversation.Head != "" && (!ok || head.State != Answered) {
		return refuse(object, "its head %q is not an answered turn of it", Clip(conversation.Head))
	}
	return nil
}

func (c *checker) turn(conversation string, t Turn) error {
	if !isID(t.ID) {
		return refuse(conversation, "the id %q of a turn is not a UUID in lower case", Clip(t.ID))
	}
	object := "turn " + t.ID
	if c.turns[t.ID] {
		return refuse(object, "stands there twice")
	}
	c.turns[t.ID] = true
	switch t.State {
	case Pending, Answered, Failed, Unknown:
	default:
		return refuse(object, "the state %q is none of pending, answered, failed, unknown", Clip(string(t.State)))
	}
	switch t.Mark {
	case Unmarked, Pinned, Skipped:
	default:
		return refuse(object, "the mark %q is neither pin nor skip", Clip(string(t.Mark)))
	}
	if t.State != Answered && t.Reply != "" {
		return refuse(object, "it is %s and has a reply", t.State)
	}
	if len(t.Question) > maxText || len(t.Reply) > maxText || len(t.Service.Response) > maxText || len(t.Failure.Text) > maxText {
		return refuse(object, "a text is longer than %d MiB", maxText>>20)
	}
	if !utf8.ValidString(t.Question + t.Reply + t.Failure.Text) {
		return refuse(object, "a text is not UTF-8")
	}
	s := t.Service
	if err := checkLines(object, "service id", s.ID, "service conversation id", s.ConversationID, "model", s.Model, "finish reason", s.FinishReason); err != nil {
		return err
	}
	if u := s.Usage; u != nil && min(u.PromptTokens, u.CompletionTokens, u.TotalTokens) < 0 {
		return refuse(object, "a number of tokens is negative")
	}
	if u := s.Usage; u != nil && max(u.PromptTokens, u.CompletionTokens, u.TotalTokens) > MaxTokens {
		return refuse(object, "a number of tokens is larger than %d", MaxTokens)
	}
	if err := checkAgent(object, t.AgentID); err != nil {
		return err
	}
	if err := checkTimes(object, t.Asked, t.Ended); err != nil {
		return err
	}
	asked := stored(t.Asked)
	if c.perMilli[asked]++; c.perMilli[asked] > SeqPerMilli {
		return refuse(object, "more than %d turns were asked in its millisecond", SeqPerMilli)
	}
	return nil
}

// checkLines checks pairs of a name and a text.
func checkLines(object string, pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		switch name, text := pairs[i], pairs[i+1]; {
		case len(text) > maxLine:
			return refuse(object, "its %s is longer than %d MiB", name, maxLine>>20)
		case !utf8.ValidString(text):
			return refuse(object, "its %s is not UTF-8", name)
		}
	}
	return nil
}

func checkAgent(object, id string) error {
	if id != "" && !isID(strings.ToLower(id)) {
		return refuse(object, "its agent %q is not a UUID", Clip(id))
	}
	return nil
}

// checkTimes refuses times that the keys of turns cannot be made from.
func checkTimes(object string, times ...time.Time) error {
	for _, t := range times {
		if stored(t) < 0 || !t.Before(firstYearAfter) {
			return refuse(object, "a time is before 1970 or after the year 9999")
		}
	}
	return nil
}

// cycle returns a turn that is its own ancestor, if there is one. Parents exist.
func cycle(turns []Turn, byID map[string]Turn) (string, bool) {
	rooted := make(map[string]bool, len(turns)) // reaches a root
	for _, t := range turns {
		var path []string
		on := map[string]bool{}
		for id := t.ID; id != "" && !rooted[id]; id = byID[id].Parent {
			if on[id] {
				return id, true
			}
			on[id] = true
			path = append(path, id)
		}
		for _, id := range path {
			rooted[id] = true
		}
	}
	return "", false
}

// isID reports whether id is a UUID as hobnob writes it.
func isID(id string) bool {
	parsed, err := uuid.Parse(id)
	return err == nil && parsed.String() == id
}

// Clip shortens a hostile text for a message, to 60 bytes.
func Clip(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}
