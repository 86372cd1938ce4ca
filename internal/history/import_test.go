package history

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

const (
	idA = "aaaaaaaa-0000-4000-8000-000000000000"
	idB = "bbbbbbbb-0000-4000-8000-000000000000"
	idC = "cccccccc-0000-4000-8000-000000000000"
	idD = "dddddddd-0000-4000-8000-000000000000"
)

// plainTree returns a conversation whose head is its last turn.
func plainTree(id string, turns ...Turn) Tree {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := Conversation{ID: id, Title: "t", Profile: "p", Created: at, Updated: at.Add(time.Second), Turns: len(turns), Head: turns[len(turns)-1].ID}
	for i := range turns {
		turns[i].Conversation, turns[i].Asked = id, at
	}
	return Tree{Conversation: c, Turns: turns}
}

func answeredTurn(id, parent string) Turn {
	return Turn{ID: id, Parent: parent, Question: "q", Reply: "r", State: Answered}
}

func seqOf(trees ...Tree) iter.Seq2[Tree, error] {
	return func(yield func(Tree, error) bool) {
		for _, tree := range trees {
			if !yield(tree, nil) {
				return
			}
		}
	}
}

// treesOf returns the trees of conversations.
func treesOf(t *testing.T, s *Store, ids ...string) []Tree {
	t.Helper()
	var trees []Tree
	for tree, err := range s.Trees(t.Context(), ids...) {
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	return trees
}

func TestTreesOfMissingConversation(t *testing.T) {
	s := openStore(t)
	for _, err := range s.Trees(t.Context(), "nowhere") {
		var missing *NotFoundError
		if !errors.As(err, &missing) {
			t.Errorf("got error %v", err)
		}
	}
	if trees := treesOf(t, s); trees != nil {
		t.Errorf("no ids: got %v", trees)
	}
}

func TestBreakFromTreesReleasesStore(t *testing.T) {
	s := openStore(t)
	turn := begin(t, s, Question{Text: "q"})
	for _, err := range s.Trees(t.Context(), turn.Conversation, turn.Conversation) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	answer(t, s, turn, "r")
}

func TestImportAddsMissingTurns(t *testing.T) {
	s := openStore(t)
	if _, err := s.Import(t.Context(), seqOf(plainTree(idA, answeredTurn(idB, ""))), ""); err != nil {
		t.Fatal(err)
	}
	if err := s.Rename(t.Context(), idA, "mine"); err != nil {
		t.Fatal(err)
	}
	grown := plainTree(idA, answeredTurn(idB, ""), answeredTurn(idC, idB))
	grown.Turns[0].Question, grown.Turns[1].Question = "changed", "zebra"
	grown.Conversation.Updated = grown.Conversation.Created.Add(4 * time.Second)
	if did, err := s.Import(t.Context(), seqOf(grown), ""); err != nil || did != (Imported{Added: 1, Skipped: 1}) {
		t.Fatal(did, err)
	}
	c, err := s.Find(t.Context(), "mine")
	if err != nil || c.Head != idB || c.Turns != 2 || c.Updated.Second() != 9 {
		t.Errorf("%+v, %v", c, err)
	}
	turns, err := s.Turns(t.Context(), idA)
	if err != nil || questions(turns) != "q zebra" {
		t.Errorf("%v, %v, want the existing turn unchanged", questions(turns), err)
	}
	hits, err := s.Search(t.Context(), Query{Text: "zebra", Limit: 5})
	if err != nil || len(hits) != 1 {
		t.Errorf("imported turn not found: %v, %v", hits, err)
	}
	if hits, err := s.Search(t.Context(), Query{Text: "mine", Limit: 5}); err != nil || len(hits) != 1 {
		t.Errorf("title not found: %v, %v", hits, err)
	}
}

func TestImportAddsMissingAnswer(t *testing.T) {
	from, to := openStore(t), openStore(t)
	turn := begin(t, from, Question{Text: "q", Title: "talk"})
	if did, err := to.Import(t.Context(), from.Trees(t.Context(), turn.Conversation), ""); err != nil || did.Added != 1 {
		t.Fatal(did, err)
	}
	answer(t, from, turn, "zebra")
	late := from.Trees(t.Context(), turn.Conversation)
	for _, want := range []Imported{{Completed: 1}, {Skipped: 1}} {
		if would, err := to.CheckImport(t.Context(), late); err != nil || would != want {
			t.Errorf("CheckImport: %+v, %v, want %+v", would, err, want)
		}
		if did, err := to.Import(t.Context(), late, ""); err != nil || did != want {
			t.Errorf("Import: %+v, %v, want %+v", did, err, want)
		}
	}
	if again, want := treesOf(t, to, turn.Conversation), treesOf(t, from, turn.Conversation); !reflect.DeepEqual(again, want) {
		t.Errorf("after the import: %+v, want %+v", again, want)
	}
	if got := found(t, to, Query{Text: "zebra"}); got != "reply:[zebra]" {
		t.Errorf("search for the answer: got %q", got)
	}
}

func TestImportRefusesTurnOfOtherConversation(t *testing.T) {
	s := openStore(t)
	if _, err := s.Import(t.Context(), seqOf(plainTree(idA, answeredTurn(idB, ""))), ""); err != nil {
		t.Fatal(err)
	}
	_, err := s.Import(t.Context(), seqOf(plainTree(idD, answeredTurn(idB, ""))), "")
	if want := "turn " + idB + ": exists in conversation " + idA + ", not in " + idD; err == nil || err.Error() != want {
		t.Errorf("got error %v, want %s", err, want)
	}
}

func TestImportIntoProfile(t *testing.T) {
	s := openStore(t)
	if _, err := s.Import(t.Context(), seqOf(plainTree(idA, answeredTurn(idB, ""))), "home"); err != nil {
		t.Fatal(err)
	}
	if c, err := s.Latest(t.Context(), "home"); err != nil || c.ID != idA {
		t.Error(c, err)
	}
}

func TestImportIntoNewerHistory(t *testing.T) {
	dir := t.TempDir()
	newer := sqlite.Schema{ApplicationID: Schema().ApplicationID, Migrations: append(append([]sqlite.Migration{}, Schema().Migrations...), sqlite.Script(`SELECT 1`))}
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, FileName), newer)
	if err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	_, err = s.Import(t.Context(), seqOf(plainTree(idA, answeredTurn(idB, ""))), "")
	var readOnly *sqlite.NewerError
	if !errors.As(err, &readOnly) {
		t.Errorf("got error %v", err)
	}
}

func TestImportLimitsTurnsPerMillisecond(t *testing.T) {
	tree := Tree{Conversation: Conversation{ID: idA}}
	for i := range SeqPerMilli + 1 {
		tree.Turns = append(tree.Turns, Turn{ID: fmt.Sprintf("00000000-0000-4000-8000-%012x", i), State: Failed})
	}
	s := openStore(t)
	if _, err := s.CheckImport(t.Context(), seqOf(tree)); err == nil {
		t.Error("accepted")
	}
	tree.Turns = tree.Turns[1:]
	if would, err := s.CheckImport(t.Context(), seqOf(tree)); err != nil || would.Added != SeqPerMilli {
		t.Error(would, err)
	}
}

func TestInterruptedImportImportsNothing(t *testing.T) {
	s := openStore(t)
	answer(t, s, begin(t, s, Question{Text: "here", Title: "here"}), "r")
	broken := errors.New("read failed")
	for _, want := range []error{context.Canceled, broken} {
		ctx, cancel := context.WithCancel(t.Context())
		passes := 0
		_, err := s.Import(ctx, func(yield func(Tree, error) bool) {
			passes++
			if !yield(plainTree(idA, answeredTurn(idB, "")), nil) || passes == 1 {
				return
			}
			if errors.Is(want, context.Canceled) {
				cancel()
				yield(plainTree(idC, answeredTurn(idD, "")), nil)
			} else {
				yield(Tree{}, broken)
			}
		}, "")
		cancel()
		if passes != 2 || !errors.Is(err, want) {
			t.Errorf("after %d passes: got error %v, want %v", passes, err, want)
		}
		all, err := s.All(t.Context(), "", true)
		if err != nil || len(all) != 1 || all[0].Title != "here" {
			t.Errorf("%v: conversations %+v, %v", want, all, err)
		}
		if hits, err := s.Search(t.Context(), Query{Text: "q", Limit: 5}); err != nil || len(hits) != 0 {
			t.Errorf("%v: search finds %+v, %v", want, hits, err)
		}
	}
	if did, err := s.Import(t.Context(), seqOf(plainTree(idA, answeredTurn(idB, ""))), ""); err != nil || did.Added != 1 {
		t.Errorf("next import: %+v, %v", did, err)
	}
}
