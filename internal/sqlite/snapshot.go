package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// copyTries limits the attempts to copy a database that other processes are changing.
const copyTries = 5

// snapshotPrefix is the prefix of the names of snapshot directories.
const snapshotPrefix = "hobnob-snapshot-"

// snapshotPause is longer than any pause between writes while a database is copied.
const snapshotPause = 10 * time.Minute

// OpenSnapshot opens a private copy of the database at path and its log, read-only
// and with the schema brought up to date. It is for files that SQLite cannot read
// because it may not write next to them. It returns fs.ErrNotExist if the file does
// not exist. It also removes the LeftoverSnapshots.
func OpenSnapshot(ctx context.Context, path string, schema Schema) (*DB, error) {
	for _, left := range LeftoverSnapshots() {
		_ = os.RemoveAll(left)
	}
	dir, err := os.MkdirTemp("", snapshotPrefix+"*")
	if err != nil {
		return nil, err
	}
	db, err := openCopy(ctx, path, filepath.Join(dir, "copy.db"), schema)
	// Where open files can be removed, nothing is left even if the process is killed.
	if rerr := os.RemoveAll(dir); rerr != nil && db != nil {
		db.remove = dir
	}
	return db, err
}

// LeftoverSnapshots returns the directories of snapshots that killed processes left behind.
func LeftoverSnapshots() (left []string) {
	entries, _ := os.ReadDir(os.TempDir())
	for _, entry := range entries {
		if !entry.IsDir() || !strings.HasPrefix(entry.Name(), snapshotPrefix) {
			continue
		}
		dir := filepath.Join(os.TempDir(), entry.Name())
		files, err := os.ReadDir(dir)
		isOld := err == nil // otherwise it belongs to another user
		for _, file := range append(files, entry) {
			info, err := file.Info()
			isOld = isOld && err == nil && time.Since(info.ModTime()) > snapshotPause
		}
		if isOld {
			left = append(left, dir)
		}
	}
	return left
}

func openCopy(ctx context.Context, path, to string, schema Schema) (*DB, error) {
	if err := copyDatabase(path, to); err != nil {
		return nil, Explain(err)
	}
	db, err := Open(ctx, to, schema)
	if err != nil {
		return nil, fmt.Errorf("cannot open a copy of %s: %w", path, err)
	}
	if db.readOnly = fmt.Errorf("cannot write %s: %w", path, ErrReadOnly); db.Version > len(schema.Migrations) {
		db.readOnly = &NewerError{Path: path}
	}
	return db, nil
}

// copyDatabase copies the database and its log in a consistent state.
func copyDatabase(path, to string) error {
	path, err := atomicfile.Target(path) // the log is next to it
	if err != nil {
		return err
	}
	for range copyTries {
		before := stamps(path)
		for _, suffix := range []string{"", "-wal"} {
			err := copyFile(path+suffix, to+suffix)
			if suffix != "" && errors.Is(err, fs.ErrNotExist) {
				err = os.RemoveAll(to + suffix)
			}
			if err != nil {
				return err
			}
		}
		if stamps(path) == before {
			return nil
		}
	}
	return fmt.Errorf("cannot copy %s: %w", path, ErrBusy)
}

// stamps returns a text that changes when the database or its log is written.
func stamps(path string) (text string) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			text += fmt.Sprintln(info.Size(), info.ModTime().UnixNano())
		}
	}
	return text
}

func copyFile(from, to string) error {
	in, err := input.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
