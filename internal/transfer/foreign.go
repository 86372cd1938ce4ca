package transfer

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// maxForeign is the maximum size of a file of another program, in bytes. Such files are
// read into memory.
const maxForeign = 256 << 20

// readWhole returns an Import function that reads a file into memory and parses it.
// parse derives ids from the content (see stableID), so that importing a file twice adds
// nothing and a changed turn becomes a branch.
func readWhole(parse func(data []byte, origin Origin) ([]history.Tree, error)) func(io.ReadSeeker, Origin) (iter.Seq2[history.Tree, error], error) {
	return func(r io.ReadSeeker, origin Origin) (iter.Seq2[history.Tree, error], error) {
		data, err := io.ReadAll(io.LimitReader(r, maxForeign+1))
		if err != nil {
			return nil, err
		}
		if len(data) > maxForeign {
			return nil, refuse("", "file is larger than %d MiB", maxForeign>>20)
		}
		trees, err := parse(bytes.TrimPrefix(data, []byte(byteOrderMark)), origin)
		return func(yield func(history.Tree, error) bool) {
			for _, tree := range trees {
				if !yield(tree, nil) {
					return
				}
			}
		}, err
	}
}

func refuse(object, format string, args ...any) error {
	return &history.ImportError{Object: object, Reason: fmt.Sprintf(format, args...)}
}

// namespace is the UUID namespace of derived ids.
var namespace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("https://github.com/hobnob-cli/hobnob#import"))

// stableID returns a UUID (version 5) that depends only on parts.
func stableID(parts ...string) string {
	var name strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&name, "%d:%s,", len(part), part)
	}
	return uuid.NewSHA1(namespace, []byte(name.String())).String()
}

// imported returns a system prompt of another program as instructions.
func imported(system string) history.Instructions {
	if system == "" {
		return history.Instructions{}
	}
	return history.Instructions{Text: system, Source: history.OwnInstructions}
}

// grow adds a turn to a tree as a child of the head. A turn with a reply becomes the new
// head. A turn without one gets the state unknown.
func grow(tree *history.Tree, t history.Turn, program string) {
	t.State = history.Answered
	if t.Reply == "" {
		t.State, t.Failure = history.Unknown, history.Failure{Kind: failure.Unrecorded, Text: program + " saved no reply"}
	}
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

// join joins the non-empty texts as paragraphs.
func join(texts ...string) string {
	var nonEmpty []string
	for _, text := range texts {
		if text != "" {
			nonEmpty = append(nonEmpty, text)
		}
	}
	return strings.Join(nonEmpty, "\n\n")
}
