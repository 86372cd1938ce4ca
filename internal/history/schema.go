package history

import (
	"context"
	"database/sql"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// Schema returns the schema of the history.
func Schema() sqlite.Schema {
	return sqlite.Schema{
		ApplicationID: 0x686f626e, // "hobn"
		Migrations:    []sqlite.Migration{sqlite.Script(tables), searchable, outcomes, symbols, addInstructions},
	}
}

// A released migration is never edited; each change is a new one.

// tables creates the tables. Times are milliseconds since 1970, UTC. The key seq of
// a turn is derived from the time of the question (see NextSeq), so that turns sort
// by time, including imported ones.
const tables = `
CREATE TABLE conversations(
	id       TEXT PRIMARY KEY,
	title    TEXT NOT NULL,
	profile  TEXT NOT NULL,
	agent_id TEXT NOT NULL,
	head     TEXT,
	created  INTEGER NOT NULL,
	updated  INTEGER NOT NULL,
	deleted  INTEGER
) STRICT;
CREATE INDEX conversations_recent ON conversations(profile, updated) WHERE deleted IS NULL;
CREATE INDEX conversations_title ON conversations(title);

CREATE TABLE turns(
	seq                     INTEGER PRIMARY KEY,
	id                      TEXT NOT NULL UNIQUE,
	conversation            TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE,
	parent                  TEXT REFERENCES turns(id),
	question                TEXT NOT NULL,
	reply                   TEXT,
	state                   TEXT NOT NULL CHECK(state IN ('pending', 'answered', 'failed', 'unknown')),
	agent_id                TEXT NOT NULL,
	asked                   INTEGER NOT NULL,
	expires                 INTEGER NOT NULL,
	owner                   TEXT NOT NULL DEFAULT '',
	ended                   INTEGER,
	failure                 TEXT,
	service_id              TEXT,
	service_conversation_id TEXT,
	model                   TEXT,
	finish_reason           TEXT,
	prompt_tokens           INTEGER,
	completion_tokens       INTEGER,
	total_tokens            INTEGER,
	response                BLOB
) STRICT;
CREATE INDEX turns_conversation ON turns(conversation, seq, service_conversation_id);
CREATE INDEX turns_parent ON turns(parent);
CREATE INDEX turns_open ON turns(conversation, state) WHERE state <> 'answered';
CREATE INDEX turns_service ON turns(service_conversation_id) WHERE service_conversation_id IS NOT NULL;
`

// searchable adds the search index and the marks of turns.
func searchable(ctx context.Context, tx *sql.Tx) error {
	if err := sqlite.Script(`
ALTER TABLE turns ADD COLUMN mark TEXT CHECK(mark IN ('pin', 'skip'));
CREATE INDEX conversations_updated ON conversations(updated) WHERE deleted IS NULL;
CREATE INDEX conversations_deleted ON conversations(deleted) WHERE deleted IS NOT NULL;
CREATE INDEX turns_agent ON turns(agent_id, seq) WHERE completion_tokens > 0;
CREATE INDEX turns_completion ON turns(service_id) WHERE service_id IS NOT NULL;
CREATE VIRTUAL TABLE turns_index USING fts5(question, reply, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co'");
CREATE VIRTUAL TABLE titles_index USING fts5(title, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 categories 'L* N* M* Co'");
`)(ctx, tx); err != nil {
		return err
	}
	return FillIndex(ctx, tx)
}

// outcomes adds the kind and the status of a failure. For existing turns they are
// parsed from the text: the method, the address, and the status or the cause.
var outcomes = sqlite.Script(`
ALTER TABLE turns ADD COLUMN failure_kind TEXT;
ALTER TABLE turns ADD COLUMN failure_status INTEGER;
UPDATE turns SET failure_kind = 'unrecorded' WHERE failure IS NOT NULL;
UPDATE turns SET failure_status = CAST(substr(failure, instr(failure, ': ') + 2, 3) AS INTEGER)
	WHERE failure GLOB 'POST [^ ]*' AND (substr(failure, instr(failure, ': ')) GLOB ': [1-5][0-9][0-9][: ]*'
		OR substr(failure, instr(failure, ': ')) GLOB ': [1-5][0-9][0-9]');
UPDATE turns SET failure_kind = CASE
		WHEN state = 'unknown' THEN 'unknown'
		WHEN failure_status IN (401, 403) THEN 'auth'
		WHEN failure_status IN (429, 503) THEN 'limited'
		WHEN failure_status IS NOT NULL THEN 'refused'
		ELSE 'not_sent'
	END
	WHERE failure GLOB 'POST [^ ]*: *';
`)

// symbols reindexes texts with emoji, which older versions did not index.
func symbols(ctx context.Context, tx *sql.Tx) error {
	return indexAll(ctx, tx, func(text string) bool { return strings.ContainsFunc(text, isSymbol) })
}
