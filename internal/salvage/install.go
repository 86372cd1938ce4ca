package salvage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
)

// backupInfix precedes the time of the repair in the name of a backup.
const backupInfix = ".damaged-"

// Install replaces the damaged history with the new file. It returns the path of the
// backup, where the damaged history and its log are preserved unchanged. If Install
// is interrupted, the damaged history is complete under one of the two names, and the
// next Recover finds it.
func (r *Recovery) Install() (backup string, err error) {
	if backup = unfinishedInstall(r.path); backup == "" {
		if backup, err = backUp(r.path, time.Now()); err != nil {
			return "", err
		}
	}
	if runtime.GOOS == "windows" {
		// Windows does not replace an open file. If another process opens it now, the
		// replacement fails and nothing is lost.
		r.damaged.close()
	}
	// SQLite would replay the old log into the new file.
	if err := remove(r.path, "-wal", "-shm"); err != nil {
		return "", err
	}
	if err := os.Rename(r.newPath, r.path); err != nil {
		return "", err
	}
	r.newPath = ""
	return backup, atomicfile.SyncDir(filepath.Dir(r.path))
}

// backUp creates hard links to the database, its log and its log index, so that the
// history exists at all times. The database is linked last: if its link exists, the
// backup is complete.
func backUp(path string, now time.Time) (backup string, err error) {
	base := path + backupInfix + now.UTC().Format("20060102T150405Z")
	backup = base
	for n := 2; exists(backup); n++ {
		backup = fmt.Sprintf("%s-%d", base, n)
	}
	for _, suffix := range []string{"-shm", "-wal", ""} {
		if !exists(path + suffix) {
			continue
		}
		if err := os.Link(path+suffix, backup+suffix); err != nil {
			return "", err
		}
	}
	return backup, atomicfile.SyncDir(filepath.Dir(path))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// unfinishedInstall returns the backup of an interrupted Install: one that is the
// same file as the history. Its log may exist only under the name of the backup. The
// result is empty if no Install was interrupted.
func unfinishedInstall(path string) (backup string) {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	backups, _ := filepath.Glob(path + backupInfix + "*Z*")
	for _, backup := range backups {
		if other, err := os.Stat(backup); err == nil && os.SameFile(info, other) {
			return backup
		}
	}
	return ""
}
