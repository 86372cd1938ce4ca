package history

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Instructions are the standing instructions of a conversation, which are sent before
// every question in it. The zero value is a conversation that began without any.
type Instructions struct {
	Text   string // untrusted; empty for none
	Source InstructionsSource
	Name   string // of the agent or the profile, empty for Own
}

// InstructionsSource is the origin of instructions.
type InstructionsSource string

// The origins of instructions.
const (
	OwnInstructions     InstructionsSource = "own"     // from the user, for this conversation, also if the text is empty
	AgentInstructions   InstructionsSource = "agent"   // of an alias
	ProjectInstructions InstructionsSource = "project" // of a project file
	ProfileInstructions InstructionsSource = "profile" // of a profile, or the top level of the configuration
)

// Owner returns what the instructions belong to, such as "agent reviewer".
func (i Instructions) Owner() string {
	switch i.Source {
	case OwnInstructions, "":
		return "this conversation"
	case ProjectInstructions:
		return "the project file"
	}
	return strings.TrimSpace(string(i.Source) + " " + i.Name)
}

// addInstructions adds the columns of Instructions.
var addInstructions = sqlite.Script(`
ALTER TABLE conversations ADD COLUMN instructions TEXT;
ALTER TABLE conversations ADD COLUMN instructions_source TEXT;
ALTER TABLE conversations ADD COLUMN instructions_name TEXT;
`)

// Instructions returns the instructions of a conversation, none if it does not exist.
func (s *Store) Instructions(ctx context.Context, conversation string) (Instructions, error) {
	found, err := readInstructions(ctx, s.db, conversation)
	return found, s.readError(err)
}

// SetInstructions changes the instructions of a conversation.
func (s *Store) SetInstructions(ctx context.Context, conversation string, i Instructions) error {
	return s.write(ctx, func(tx *sql.Tx) error { return writeInstructions(ctx, tx, conversation, i) })
}

// readInstructions reads them separately from other columns, because a list of
// conversations needs no long texts.
func readInstructions(ctx context.Context, db sqlite.Queryer, conversation string) (i Instructions, err error) {
	err = db.QueryRowContext(ctx, `SELECT coalesce(instructions, ''), coalesce(instructions_source, ''), coalesce(instructions_name, '') FROM conversations WHERE id = ?`,
		conversation).Scan(&i.Text, &i.Source, &i.Name)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return i, err
}

func writeInstructions(ctx context.Context, tx *sql.Tx, conversation string, i Instructions) error {
	return changeOne(ctx, tx, "conversation", conversation, `UPDATE conversations SET instructions = ?, instructions_source = ?, instructions_name = ? WHERE id = ?`,
		null(i.Text), null(i.Source), null(i.Name))
}
