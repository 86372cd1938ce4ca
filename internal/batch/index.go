package batch

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/bits-and-blooms/bloom/v3"
)

// index holds ids, each with a line, in a temporary database, so that its memory does not
// grow with the input. It is not safe for concurrent use.
//
// A statement costs much more than a row, so new ids are inserted together. The filter
// answers most lookups of up to some million ids, since most ids are new.
type index struct {
	*temporary

	filter *bloom.BloomFilter
	fresh  map[string]int // not in the database yet

	insertAll, find, update *sql.Stmt
}

const (
	// filterBits is the size of the filter, of 1 MiB.
	filterBits   = 8 << 20
	filterHashes = 4
	// maxFresh is the number of ids that are inserted together.
	maxFresh = 256
)

// Lines of ids that are in the output of an earlier run and that the input has not used
// yet.
const (
	recordedAnswer  = 0
	recordedUnknown = -1
)

// isRecorded reports whether line is one of an id that the input has not used yet.
func isRecorded(line int) bool { return line <= recordedAnswer }

func newIndex(ctx context.Context) (*index, error) {
	x := &index{filter: bloom.New(filterBits, filterHashes), fresh: make(map[string]int, maxFresh)}
	var err error
	x.temporary, err = openTemporary(ctx, "CREATE TABLE ids (id TEXT PRIMARY KEY, line INTEGER) WITHOUT ROWID", map[**sql.Stmt]string{
		&x.insertAll: "INSERT INTO ids VALUES (?, ?)" + strings.Repeat(", (?, ?)", maxFresh-1),
		&x.find:      "SELECT line FROM ids WHERE id = ?",
		&x.update:    "UPDATE ids SET line = ? WHERE id = ?",
	})
	if err != nil {
		return nil, err
	}
	return x, nil
}

// add adds an id and its line. If the index has the id already, add returns its line and
// false.
func (x *index) add(ctx context.Context, id string, line int) (first int, added bool, err error) {
	ctx = context.WithoutCancel(ctx)
	first, found, err := x.lookup(ctx, id)
	switch {
	case err != nil:
		return 0, false, x.explain(err)
	case !found:
		x.filter.AddString(id)
		x.fresh[id] = line
		if len(x.fresh) == maxFresh {
			err = x.flush(ctx)
		}
		return line, true, x.explain(err)
	case isRecorded(first) && !isRecorded(line):
		if _, fresh := x.fresh[id]; fresh {
			x.fresh[id] = line
		} else {
			_, err = x.update.ExecContext(ctx, line, id)
		}
	}
	return first, false, x.explain(err)
}

// has reports whether the index has an id.
func (x *index) has(ctx context.Context, id string) (bool, error) {
	_, found, err := x.lookup(context.WithoutCancel(ctx), id)
	return found, x.explain(err)
}

func (x *index) lookup(ctx context.Context, id string) (line int, found bool, err error) {
	if !x.filter.TestString(id) {
		return 0, false, nil
	}
	if line, found = x.fresh[id]; found {
		return line, true, nil
	}
	err = x.find.QueryRowContext(ctx, id).Scan(&line)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return line, err == nil, err
}

// flush inserts the fresh ids, of which there are maxFresh.
func (x *index) flush(ctx context.Context) error {
	values := make([]any, 0, 2*maxFresh)
	for id, line := range x.fresh {
		values = append(values, id, line)
	}
	clear(x.fresh)
	_, err := x.insertAll.ExecContext(ctx, values...)
	return err
}
