package history

import (
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

func TestInstructionsOfConversation(t *testing.T) {
	dir := t.TempDir()
	older := Schema()
	older.Migrations = older.Migrations[:4] // without instructions
	db, err := sqlite.Open(t.Context(), filepath.Join(dir, FileName), older)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Write(t.Context(), func(tx *sql.Tx) error {
		return insertFailures(t.Context(), tx, 1, func(int) (State, string) { return Failed, "lost" })
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	check := func(what string, want Instructions) {
		t.Helper()
		if got, err := s.Instructions(t.Context(), idA); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", what, got, err, want)
		}
	}
	check("a conversation of an older hobnob", Instructions{})
	agent := Instructions{Text: "Be kind.", Source: AgentInstructions, Name: "kind"}
	begin(t, s, Question{Conversation: idA, Text: "q", Instructions: &agent})
	check("after a question with others", agent)
	begin(t, s, Question{Conversation: idA, Text: "q"})
	check("after a question without", agent)
	none := Instructions{Source: OwnInstructions}
	if err := s.SetInstructions(t.Context(), idA, none); err != nil {
		t.Fatal(err)
	}
	check("after they were removed", none)
	if err := s.SetInstructions(t.Context(), idB, none); err == nil {
		t.Error("no error for a conversation that does not exist")
	}
}
