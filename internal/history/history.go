// Package history stores conversations, which are trees of turns, in an SQLite file.
//
// So that no question and no answer is lost, Begin commits a question as pending
// before the caller sends it, and Answer or Fail commits the outcome.
package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// FileName is the name of the database inside the data directory.
const FileName = "history.db"

// State is the state of a turn.
type State string

// The states of a turn.
const (
	Pending  State = "pending"  // committed, possibly sent
	Answered State = "answered" // the reply is saved
	Failed   State = "failed"   // certainly not accepted by the service
	Unknown  State = "unknown"  // possibly accepted by the service
)

// Conversation is a tree of turns with a head: the turn that the next question follows.
type Conversation struct {
	ID      string // UUIDv4
	Title   string // from the first question unless set by the user; untrusted text
	Profile string
	AgentID string // UUID, empty for the default of the service
	Head    string // an answered turn, empty if there is none
	Created time.Time
	Updated time.Time
	Deleted time.Time // zero unless it is in the trash
	Turns   int       // number of turns in any state
}

// Turn is a question and its outcome.
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
	Failure      Failure   // zero if pending or answered
	Mark         Mark
	Service      Service

	head   string // the conversation's head when the question was asked
	resent bool   // returned by Retry
	// The outcome before Retry: whether it was unknown, and why.
	unknown bool
	reason  Failure
}

// Failure is why a turn failed or has an unknown outcome.
type Failure struct {
	Kind   failure.Kind // failure.Unrecorded if an older hobnob recorded only the text
	Status int          // HTTP status, 0 without a response
	Text   string       // message for the user; untrusted text
}

// Mark is the user's choice whether to send a turn as context.
type Mark string

// The marks of a turn.
const (
	Unmarked Mark = ""
	Pinned   Mark = "pin"  // always sent
	Skipped  Mark = "skip" // never sent
)

// Service is the service's data about a turn.
type Service struct {
	ID             string // of the completion
	ConversationID string
	Model          string
	FinishReason   string
	Usage          *Usage // nil if the service reported none
	Response       []byte // the raw response body
}

// MaxTokens is the largest valid token count, more than any model reports. Larger
// and negative counts are treated as zero, so that they do not distort sums.
const MaxTokens = 1 << 40

// Usage holds token counts.
type Usage struct {
	PromptTokens, CompletionTokens, TotalTokens int64
}

// NotFoundError reports that no conversation matches Ref or, if Ref is empty, that
// Profile has none.
type NotFoundError struct {
	Ref, Profile string
	NoHistory    bool           // no history exists yet
	Elsewhere    []ProfileCount // all profiles, if Ref is empty
	Trashed      []Conversation // matches of Ref in the trash
}

func (e *NotFoundError) Error() string {
	switch {
	case e.Ref == "" && len(e.Elsewhere) > 0:
		return fmt.Sprintf("no conversations in profile %q", e.Profile)
	case e.Ref == "":
		return "no conversations yet"
	case len(e.Trashed) == 1:
		return fmt.Sprintf("conversation %q is in the trash", e.Ref)
	case len(e.Trashed) > 1:
		return fmt.Sprintf("several conversations in the trash match %q", e.Ref)
	}
	return fmt.Sprintf("conversation %q not found", e.Ref)
}

// TakenError reports that a turn cannot be retried. State is Pending if a process is
// waiting for the answer, Answered if it has arrived.
type TakenError struct {
	Turn  string
	State State
}

func (e *TakenError) Error() string {
	if e.State == Answered {
		return fmt.Sprintf("turn %s is already answered", Short(e.Turn))
	}
	return fmt.Sprintf("turn %s is already waiting for its answer", Short(e.Turn))
}

// Store is an open history. It is safe for concurrent use, also by several processes
// with the same file.
type Store struct {
	db   *sqlite.DB
	path string
	now  func() time.Time

	mu   sync.Mutex
	self string       // the owner of the turns that this store asks
	lock *flock.Flock // held until Close
}

// Open opens the history in the data directory dir and creates both if they do not
// exist. Errors wrap those of package sqlite.
func Open(ctx context.Context, dir string) (*Store, error) {
	s, err := open(ctx, filepath.Join(dir, FileName), sqlite.Open)
	if err == nil && s.Writable() == nil {
		keepReserve(dir)
	}
	return s, err
}

// OpenExisting opens the history for reading and creates nothing in its directory. If
// there is none, it returns the store of OpenUnsaved. The file of an older hobnob is
// migrated, as by Open. If nothing can be written, a copy of the file is read.
func OpenExisting(ctx context.Context, dir string) (*Store, error) {
	path := filepath.Join(dir, FileName)
	s, err := open(ctx, path, sqlite.OpenExisting)
	if errors.Is(err, fs.ErrNotExist) {
		return OpenUnsaved(ctx)
	}
	if err == nil && s.db.Version < len(Schema().Migrations) {
		_ = s.Close()
		s, err = Open(ctx, dir)
	}
	if errors.Is(err, sqlite.ErrReadOnly) || errors.Is(err, sqlite.ErrNoAccess) || errors.Is(err, sqlite.ErrFull) {
		if copied, cerr := open(ctx, path, sqlite.OpenSnapshot); cerr == nil {
			return copied, nil
		}
	}
	return s, err
}

// OpenUnsaved returns an empty history in memory, which is discarded on Close.
func OpenUnsaved(ctx context.Context) (*Store, error) { return open(ctx, sqlite.Memory, sqlite.Open) }

func open(ctx context.Context, path string, open func(context.Context, string, sqlite.Schema) (*sqlite.DB, error)) (*Store, error) {
	db, err := open(ctx, path, Schema())
	if err != nil {
		return nil, err
	}
	return &Store{db: db, path: path, now: time.Now}, nil
}

// Saved reports whether the history is a file.
func (s *Store) Saved() bool { return s.path != sqlite.Memory }

// Close closes the file. Turns of this store that are still pending become unknown.
func (s *Store) Close() error { return errors.Join(s.disown(), s.db.Close()) }

// Writable returns the reason why the history is read-only, or nil. See sqlite.DB.Writable.
func (s *Store) Writable() error { return s.db.Writable() }

// Short returns the first eight characters of an id, the form that users see.
func Short(id string) string { return id[:min(shortLength, len(id))] }

// Shorts returns a variant of Short for ids that are shown together: its results are
// long enough to be unique among ids. For any other id it is the same as Short.
func Shorts(ids ...string) func(id string) string {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	length := make(map[string]int, len(sorted))
	for i, id := range sorted {
		length[id] = max(length[id], shortLength)
		if i == 0 {
			continue
		}
		before, same := sorted[i-1], 0
		for same < min(len(before), len(id)) && before[same] == id[same] {
			same++
		}
		length[before], length[id] = max(length[before], same+1), max(length[id], same+1)
	}
	return func(id string) string { return id[:min(max(length[id], shortLength), len(id))] }
}

// millis returns a time in milliseconds since 1970, as stored in the file; the zero time is 0.
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
