package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// use is what hobnob does with a file or a directory, in the bits of access(2).
type use uint32

const (
	toEnter use = 1
	toWrite use = 2
	toRead  use = 4

	toReadAndWrite = toRead | toWrite
	toKeepFilesIn  = toRead | toWrite | toEnter
)

// barrier is what keeps the user from a path: the path itself, or a directory above it.
type barrier struct{ path, detail, fix string }

// elsewhere is the fix where a place of somebody else was named.
const elsewhere = "name a place of your own with HOME, or with HOBNOB_DATA_DIR, HOBNOB_STATE_DIR and HOBNOB_CONFIG"

// account is who runs hobnob. Its home is empty where HOME is that of somebody
// else, as after su, whose files are not to be taken over.
type account struct {
	uid        int
	name, home string
}

func thisAccount() account {
	who := account{uid: os.Geteuid()}
	who.name = strconv.Itoa(who.uid)
	if u, err := user.Current(); err == nil {
		who.name = u.Username
	}
	if home, err := os.UserHomeDir(); err == nil {
		if info, err := os.Stat(home); err == nil && ownerOf(info) == who.uid {
			who.home = home
		}
	}
	return who
}

// accessFix is what makes the path usable; empty when that is not known, or nothing is in the way.
func accessFix(path string, wanted use) string {
	if b := barrierTo(path, wanted); b != nil {
		return b.fix
	}
	return ""
}

// barrierTo finds what keeps the user from the path. It is nil when nothing does,
// or the path does not exist; a directory to keep files in must then be one that
// can be made.
func barrierTo(path string, wanted use) *barrier {
	who := thisAccount()
	err := mayUse(path, wanted)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errReadOnlyDisk):
		return &barrier{path, "the file system of " + path + " can only be read", "mount it for writing, or set HOBNOB_DATA_DIR and HOBNOB_STATE_DIR to directories elsewhere"}
	case errors.Is(err, fs.ErrNotExist) && wanted != toKeepFilesIn:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return who.barrierToMaking(path)
	}
	at, info, err := nearestVisible(path)
	if err != nil {
		return &barrier{at, err.Error(), "look at the permissions of the directories above it"}
	}
	above := at != path
	if above {
		wanted = toEnter
	}
	verb := "opened"
	if mayUse(at, wanted&^toWrite) == nil {
		verb = "written"
	}
	detail := fmt.Sprintf("%s cannot be %s: it belongs to %s (mode %04o)", at, verb, who.nameOf(ownerOf(info)), info.Mode().Perm())
	return &barrier{at, detail, who.fix(at, wanted, info.Mode(), ownerOf(info), above)}
}

// barrierToMaking finds why a directory that does not exist cannot be made.
func (a account) barrierToMaking(path string) *barrier {
	for at := filepath.Dir(path); ; at = filepath.Dir(at) {
		err := mayUse(at, toWrite|toEnter)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		if err == nil {
			return nil
		}
		found := barrierTo(at, toWrite|toEnter)
		if found == nil {
			return nil
		}
		found.detail = path + " cannot be made: " + found.detail
		if info, err := os.Stat(at); err == nil && ownerOf(info) != a.uid && !a.atHome(at) && !errors.Is(mayUse(at, toWrite), errReadOnlyDisk) {
			found.fix = elsewhere
			if a.home != "" {
				found.fix = "sudo install -d -m 700 -o " + quoted(a.name) + " " + quoted(path)
			}
		}
		return found
	}
}

// nearestVisible is the path, or the nearest directory above it of which the
// owner and the mode can be seen.
func nearestVisible(path string) (string, fs.FileInfo, error) {
	for {
		info, err := os.Stat(path)
		if above := filepath.Dir(path); errors.Is(err, fs.ErrPermission) && above != path {
			path = above
			continue
		}
		return path, info, err
	}
}

// fix is the command that gives the account the wanted use of what others own or
// the mode forbids. What is outside the home and above hobnob's own directories
// stays with its owner.
func (a account) fix(path string, wanted use, mode fs.FileMode, owner int, above bool) string {
	letters := ""
	for i, letter := range []string{"x", "w", "r"} {
		if wanted&(1<<i) != 0 {
			letters = letter + letters
		}
	}
	switch {
	case owner == a.uid && use(mode.Perm()>>6)&wanted == wanted:
		return "look at the access rules of " + path + " beside its mode"
	case owner == a.uid && mode.IsDir():
		return "chmod u+rwx " + quoted(path)
	case owner == a.uid:
		return "chmod u+" + letters + " " + quoted(path)
	case a.atHome(path) && mode.IsDir():
		return "sudo chown -R " + quoted(a.name) + " " + quoted(path)
	case a.atHome(path), a.home != "" && !above:
		return "sudo chown " + quoted(a.name) + " " + quoted(path)
	}
	return elsewhere
}

// atHome reports whether the path is inside the home of the account.
func (a account) atHome(path string) bool {
	inside, err := filepath.Rel(a.home, path)
	return err == nil && a.home != "" && filepath.IsLocal(inside) && inside != "."
}

func (a account) nameOf(uid int) string {
	if uid == a.uid {
		return "you"
	}
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "user " + strconv.Itoa(uid)
}

// databaseBarrier is what keeps the user from the database at path and its log.
func databaseBarrier(path string) *barrier {
	if b := barrierTo(filepath.Dir(path), toKeepFilesIn); b != nil {
		return b
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if b := barrierTo(path+suffix, toReadAndWrite); b != nil {
			return b
		}
	}
	return nil
}

// quoted is a path as a shell reads it.
func quoted(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }
