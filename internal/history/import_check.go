package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// ImportError reports invalid content. Nothing was imported.
type ImportError struct {
	Object string // "conversation ID", "turn ID" or a path like "conversations[2].turns[0].reply"; empty for the file
	Reason string
}

func (e *ImportError) Error() string {
	if e.Object == "" {
		return e.Reason
	}
	return e.Object + ": " + e.Reason
}

func refuse(object, format string, args ...any) error {
	return &ImportError{Object: object, Reason: fmt.Sprintf(format, args...)}
}

// Maximum sizes of a text, in bytes; hobnob itself does not store larger ones.
const (
	maxLine = 1 << 20 // titles, names and ids
	maxText = 32 << 20
)

// firstYearAfter is the first time that RFC 3339 cannot represent.
var firstYearAfter = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)

// checker checks trees against the rules of the history.
type checker struct {
	conversations, turns map[string]bool // by id
	perMilli             map[int64]int   // turns asked in each millisecond
}

func (c *checker) tree(tree Tree) error {
	conversation := tree.Conversation
	object := "conversation " + conversation.ID
	switch {
	case !isID(conversation.ID):
		return refuse(fmt.Sprintf("conversation %q", Clip(conversation.ID)), "id is not a UUID in lower case")
	case c.conversations[conversation.ID]:
		return refuse(object, "appears twice")
	}
	c.conversations[conversation.ID] = true
	if err := cmp.Or(
		checkLines(object, "title", conversation.Title, "profile", conversation.Profile, "name of the instructions", tree.Instructions.Name),
		checkInstructions(object, tree.Instructions),
		checkAgent(object, conversation.AgentID),
		checkTimes(object, conversation.Created, conversation.Updated, conversation.Deleted),
	); err != nil {
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
			return refuse("turn "+t.ID, "parent %q is not in the conversation", Clip(t.Parent))
		}
	}
	if id, ok := cycle(tree.Turns, byID); ok {
		return refuse("turn "+id, "is its own ancestor")
	}
	if head, ok := byID[conversation.Head]; conversation.Head != "" && (!ok || head.State != Answered) {
		return refuse(object, "head %q is not an answered turn of the conversation", Clip(conversation.Head))
	}
	return nil
}

func checkInstructions(object string, i Instructions) error {
	switch {
	case !slices.Contains([]InstructionsSource{"", OwnInstructions, AgentInstructions, ProjectInstructions, ProfileInstructions}, i.Source):
		return refuse(object, "invalid source of instructions %q: must be own, agent, project or profile", Clip(string(i.Source)))
	case len(i.Text) > maxText:
		return refuse(object, "instructions are longer than %d MiB", maxText>>20)
	case !utf8.ValidString(i.Text):
		return refuse(object, "instructions are not valid UTF-8")
	}
	return nil
}

func (c *checker) turn(conversation string, t Turn) error {
	object, s, usage := "turn "+t.ID, t.Service, Usage{}
	if s.Usage != nil {
		usage = *s.Usage
	}
	twice := c.turns[t.ID]
	c.turns[t.ID] = true
	switch {
	case !isID(t.ID):
		return refuse(conversation, "turn id %q is not a UUID in lower case", Clip(t.ID))
	case twice:
		return refuse(object, "appears twice")
	case !slices.Contains([]State{Pending, Answered, Failed, Unknown}, t.State):
		return refuse(object, "invalid state %q: must be pending, answered, failed or unknown", Clip(string(t.State)))
	case !slices.Contains([]Mark{Unmarked, Pinned, Skipped}, t.Mark):
		return refuse(object, "invalid mark %q: must be pin or skip", Clip(string(t.Mark)))
	case t.State != Answered && t.Reply != "":
		return refuse(object, "has a reply but is %s", t.State)
	case max(len(t.Question), len(t.Reply), len(s.Response), len(t.Failure.Text)) > maxText:
		return refuse(object, "text is longer than %d MiB", maxText>>20)
	case !utf8.ValidString(t.Question + t.Reply + t.Failure.Text):
		return refuse(object, "text is not valid UTF-8")
	}
	if err := checkLines(object, "service id", s.ID, "service conversation id", s.ConversationID, "model", s.Model, "finish reason", s.FinishReason); err != nil {
		return err
	}
	switch {
	case min(usage.PromptTokens, usage.CompletionTokens, usage.TotalTokens) < 0:
		return refuse(object, "negative token count")
	case max(usage.PromptTokens, usage.CompletionTokens, usage.TotalTokens) > MaxTokens:
		return refuse(object, "token count is larger than %d", MaxTokens)
	}
	if err := cmp.Or(checkAgent(object, t.AgentID), checkTimes(object, t.Asked, t.Ended)); err != nil {
		return err
	}
	asked := millis(t.Asked)
	if c.perMilli[asked]++; c.perMilli[asked] > SeqPerMilli {
		return refuse(object, "more than %d turns in the same millisecond", SeqPerMilli)
	}
	return nil
}

// checkLines checks the length and the encoding of texts, given as pairs of name and text.
func checkLines(object string, pairs ...string) error {
	for pair := range slices.Chunk(pairs, 2) {
		switch name, text := pair[0], pair[1]; {
		case len(text) > maxLine:
			return refuse(object, "%s is longer than %d MiB", name, maxLine>>20)
		case !utf8.ValidString(text):
			return refuse(object, "%s is not valid UTF-8", name)
		}
	}
	return nil
}

func checkAgent(object, id string) error {
	if id != "" && !isID(strings.ToLower(id)) {
		return refuse(object, "agent id %q is not a UUID", Clip(id))
	}
	return nil
}

// checkTimes rejects times outside of the range of turn keys and of RFC 3339.
func checkTimes(object string, times ...time.Time) error {
	for _, t := range times {
		if millis(t) < 0 || !t.Before(firstYearAfter) {
			return refuse(object, "time is before 1970 or after 9999")
		}
	}
	return nil
}

// cycle returns a turn that is its own ancestor, if there is one. All parents must exist.
func cycle(turns []Turn, byID map[string]Turn) (string, bool) {
	from := make(map[string]int, len(turns)) // by turn: the number, from 1, of the turn from which it was first reached
	for i, t := range turns {
		for id := t.ID; id != "" && (from[id] == 0 || from[id] == i+1); id = byID[id].Parent {
			if from[id] == i+1 {
				return id, true
			}
			from[id] = i + 1
		}
	}
	return "", false
}

// isID reports whether id is a UUID in the canonical form.
func isID(id string) bool {
	parsed, err := uuid.Parse(id)
	return err == nil && parsed.String() == id
}

// Clip shortens an untrusted text in a message to 60 bytes.
func Clip(text string) string {
	if len(text) > 60 {
		return strings.ToValidUTF8(text[:60], "") + "…"
	}
	return text
}
