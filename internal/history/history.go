// Package history remembers conversations: trees of turns in one SQLite file,
// journalled so that no question and no answer is lost. It knows neither the
// service nor the terminal; who sends what, and when, is decided elsewhere.
//
// The order of writes that it is made for: Begin commits the question as
// pending, the caller sends it, Answer or Fail commits what came of it.
package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// FileName is the name of the database inside the data directory.
const FileName = "history.db"

// State is what is known of a turn.
type State string

// The states of a turn.
const (
	Pending  State = "pending"  // journalled, perhaps sent
	Answered State = "answered" // the reply is kept
	Failed   State = "failed"   // certainly not accepted by the service
	Unknown  State = "unknown"  // may have been accepted
)

// Conversation is a tree of turns with a head, the turn that a new question follows.
type Conversation struct {
	ID      string // UUIDv4
	Title   string // from the first question unless the user gave one; hostile text
	Profile string
	AgentID string // UUID, empty when the service chose
	Head    string // the latest answered turn, empty when there is none
	Created time.Time
	Updated time.Time
	Deleted time.Time // zero unless it is in the trash
	Turns   int       // turns of every state
}

// Turn is one question and what came of it.
type Turn struct {
	ID           string // UUIDv4
	Conversation string
	Parent       string // empty at a root
	Question     string
	Reply        string
	State        State
	AgentID      string
	Asked        time.Time
	Ended        time.Time // zero while pending
	Failure      Failure   // zero while it is pending or answered
	Mark         Mark
	Service      Service

	head   string // the conversation's head when the question was asked
	resent bool   // asked again under the same id
	// What was known before it was asked again: whether it may have been
	// accepted, and why that is so.
	unknown bool
	reason  Failure
}

// Failure is why a turn failed or is unknown.
type Failure struct {
	Kind   failure.Kind // failure.Unrecorded where an older hobnob recorded the text alone
	Status int          // HTTP status, 0 when there was no answer
	Text   string       // for a person; hostile
}

// Mark is what the user decided of a turn as context.
type Mark string

// The marks of a turn.
const (
	Unmarked Mark = ""
	Pinned   Mark = "pin"  // always sent
	Skipped  Mark = "skip" // never sent
)

// Service is what the service said of a turn.
type Service struct {
	ID             string // of the completion
	ConversationID string
	Model          string
	FinishReason   string
	Usage          *Usage // nil when the service counted nothing
	Response       []byte // the body as it was received
}

// MaxTokens is more than any model counts. A number beyond it, or below zero,
// counts nothing and must not spoil the sums of the others.
const MaxTokens = 1 << 40

// Usage counts tokens.
type Usage struct {
	PromptTokens, CompletionTokens, TotalTokens int64
}

// ReadOnlyError says that the history was written by a newer hobnob.
type ReadOnlyError struct{ Path string }

func (e *ReadOnlyError) Error() string {
	return fmt.Sprintf("%s was written by a newer hobnob and is opened read-only", e.Path)
}

// NotFoundError says that no conversation answers to Ref, or with an empty Ref that
// there is none at all in Profile.
type NotFoundError struct {
	Ref, Profile string
	NoHistory    bool           // nothing was ever recorded here
	Trashed      []Conversation // those in the trash that Ref names
}

func (e *NotFoundError) Error() string {
	switch {
	case e.Ref == "":
		return "there is no conversation yet"
	case len(e.Trashed) == 1:
		return fmt.Sprintf("no conversation %q: it is in the trash", e.Ref)
	case len(e.Trashed) > 1:
		return fmt.Sprintf("no conversation %q: several in the trash have that name", e.Ref)
	}
	return fmt.Sprintf("no conversation %q", e.Ref)
}

// AmbiguousError says that Ref names several conversations.
type AmbiguousError struct {
	Ref     string
	Matches []Conversation
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q names %d conversations", e.Ref, len(e.Matches))
}

// TakenError says that a turn cannot be asked again: State is Pending when a
// process waits for its answer, Answered when that has come.
type TakenError struct {
	Turn  string
	State State
}

func (e *TakenError) Error() string {
	if e.State == Answered {
		return fmt.Sprintf("turn %s has its answer already", Short(e.Turn))
	}
	return fmt.Sprintf("turn %s is being asked already", Short(e.Turn))
}

// Store is the open history. Its methods may be called from several
// goroutines, and several processes may have the same file open.
type Store struct {
	db   *sqlite.DB
	path string
	now  func() time.Time

	mu   sync.Mutex
	self string       // the name under which this process owns its turns
	lock *flock.Flock // held while the process lives
}

// Open opens the history in the data directory dir, creating both when they
// are missing. Errors wrap those of package sqlite.
func Open(ctx context.Context, dir string) (*Store, error) {
	return open(ctx, filepath.Join(dir, FileName), sqlite.Open)
}

// OpenExisting opens the history for reading and creates nothing; where there is
// none yet the store is that of OpenUnsaved. A file of an older hobnob is brought up
// to date, as by Open.
func OpenExisting(ctx context.Context, dir string) (*Store, error) {
	s, err := open(ctx, filepath.Join(dir, FileName), sqlite.OpenExisting)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return OpenUnsaved(ctx)
	case err == nil && s.db.Version < len(Schema().Migrations):
		_ = s.Close()
		if s, err = Open(ctx, dir); errors.Is(err, sqlite.ErrReadOnly) || errors.Is(err, sqlite.ErrNoAccess) {
			err = failure.WithHint(err, "an older hobnob wrote it, and it has to be upgraded once: make it writable, or a copy of it")
		}
	}
	return s, err
}

// OpenUnsaved returns an empty history in memory: what is recorded there ends
// with the store.
func OpenUnsaved(ctx context.Context) (*Store, error) { return open(ctx, sqlite.Memory, sqlite.Open) }

func open(ctx context.Context, path string, open func(context.Context, string, sqlite.Schema) (*sqlite.DB, error)) (*Store, error) {
	db, err := open(ctx, path, Schema())
	if err != nil {
		return nil, err
	}
	return &Store{db: db, path: path, now: time.Now}, nil
}

// Saved reports whether the history is a file, which other processes share and
// which outlives this one.
func (s *Store) Saved() bool { return s.path != sqlite.Memory }

// Close releases the file, and what is still pending of this store's turns.
func (s *Store) Close() error { return errors.Join(s.disown(), s.db.Close()) }

// Writable returns a *ReadOnlyError when nothing can be recorded here.
func (s *Store) Writable() error {
	if s.db.ReadOnly {
		return &ReadOnlyError{Path: s.path}
	}
	return nil
}

// Short is the first eight characters of an id, as people see it.
func Short(id string) string { return id[:min(8, len(id))] }

// millis is a time as the file has it; the zero time is 0.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func fromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
