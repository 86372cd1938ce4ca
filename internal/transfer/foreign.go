package transfer

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// Format is what a file to import holds.
type Format string

// The formats that can be imported.
const (
	Hobnob Format = "hobnob" // what history.Export writes
	LLM    Format = "llm"    // llm logs --json, of https://llm.datasette.io
	Aichat Format = "aichat" // a session file of https://github.com/sigoden/aichat
)

// maxForeign bounds a foreign export, which is read as a whole.
const maxForeign = 256 << 20

// Detect tells the format of a file by its beginning, which it leaves in r.
func Detect(r *bufio.Reader) Format {
	for n := 1; n <= r.Size(); n++ {
		head, err := r.Peek(n)
		if len(head) < n || err != nil {
			break
		}
		switch c := head[n-1]; {
		case c == '{':
			return Hobnob
		case c == '[':
			return LLM
		case c == ' ', c == '\t', c == '\r', c == '\n', c >= 0x80 && n <= 3: // a byte order mark may come first
			continue
		}
		break
	}
	return Aichat
}

// Origin tells what a foreign export does not say of itself.
type Origin struct {
	Name string    // of the file, without its directory
	Time time.Time // for turns whose time is not known
}

// ReadForeign reads a foreign export. Ids are made from what the turns say, so
// that the same turn always gets the same id and importing twice adds nothing; a
// changed one becomes a branch. Errors are *history.ImportError, or come from r.
func ReadForeign(format Format, r io.Reader, origin Origin) (iter.Seq2[history.Tree, error], error) {
	data, err := io.ReadAll(io.LimitReader(r, maxForeign+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxForeign {
		return nil, refuse("the file", "longer than %d MiB", maxForeign>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var trees []history.Tree
	switch format {
	case LLM:
		trees, err = readLLM(data)
	case Aichat:
		trees, err = readAichat(data, origin)
	default:
		err = fmt.Errorf("%q is no foreign format", format)
	}
	return func(yield func(history.Tree, error) bool) {
		for _, tree := range trees {
			if !yield(tree, nil) {
				return
			}
		}
	}, err
}

func refuse(object, format string, args ...any) error {
	return &history.ImportError{Object: object, Reason: fmt.Sprintf(format, args...)}
}

// namespace of the ids that are made from foreign ones.
var namespace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://github.com/hobnob-cli/hobnob#import"))

// stableID is a UUID (version 5) of its parts.
func stableID(parts ...string) string {
	var name strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&name, "%d:%s,", len(part), part)
	}
	return uuid.NewSHA1(namespace, []byte(name.String())).String()
}

// grow adds a turn to a tree, below the last answered one, and makes it the head
// when it is answered.
func grow(tree *history.Tree, t history.Turn) {
	t.Conversation, t.Parent = tree.Conversation.ID, tree.Conversation.Head
	tree.Turns = append(tree.Turns, t)
	c := &tree.Conversation
	c.Turns = len(tree.Turns)
	if t.State == history.Answered {
		c.Head = t.ID
	}
	if c.Created.IsZero() || t.Asked.Before(c.Created) {
		c.Created = t.Asked
	}
	if t.Asked.After(c.Updated) {
		c.Updated = t.Asked
	}
}

// settle says of a turn what became of it: a program that keeps no reply tells
// nothing of why.
func settle(t *history.Turn, program string) {
	t.State = history.Answered
	if t.Reply == "" {
		t.State, t.Failure = history.Unknown, program+" kept no reply"
	}
}

// join puts texts under each other, empty ones left out.
func join(texts ...string) string {
	var kept []string
	for _, text := range texts {
		if text != "" {
			kept = append(kept, text)
		}
	}
	return strings.Join(kept, "\n\n")
}
