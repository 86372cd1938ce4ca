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
	"github.com/hobnob-cli/hobnob/internal/history"
)

// backupInfix is in the names of damaged histories, before the time of the repair.
const backupInfix = ".damaged-"

// Install replaces the damaged history by the new file and returns where the
// damaged one is now, with its log next to it, bit for bit. After a crash at any
// moment the damaged history is complete under one of the two names, and a new
// Recover finds it.
func (r *Recovery) Install() (backup string, err error) {
	if backup = unfinishedInstall(r.path); backup == "" {
		if backup, err = backUp(r.path, time.Now()); err != nil {
			return "", err
		}
	}
	if runtime.GOOS == "windows" {
		// Windows replaces no file that is open. If another process opens it now the
		// replacement fails, and nothing is lost.
		r.damaged.close()
	}
	// SQLite would play the old log back into the new file.
	if err := remove(r.path, "-wal", "-shm"); err != nil {
		return "", err
	}
	if err := os.Rename(r.newPath, r.path); err != nil {
		return "", err
	}
	r.newPath = ""
	return backup, atomicfile.SyncDir(filepath.Dir(r.path))
}

// backUp gives the database, its log and its index of the log second names, as
// links, so that there is no moment without a history. The database comes last:
// once it has its name, the others have theirs.
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

// unfinishedInstall returns the backup of a damaged history that is still in place
// too: an Install was interrupted. Its log may have one of the two names only.
func unfinishedInstall(path string) (backup string) {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	backups, _ := filepath.Glob(filepath.Join(filepath.Dir(path), history.FileName+backupInfix+"*Z*"))
	for _, backup := range backups {
		if other, err := os.Stat(backup); err == nil && os.SameFile(info, other) {
			return backup
		}
	}
	return ""
}
