// Package access finds what keeps the user from a file or a directory, and the
// command that changes it. It reads modes and owners and asks the system; it
// changes nothing.
package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"github.com/hobnob-cli/hobnob/internal/shell"
)

// Use is what hobnob does with a file or a directory, in the bits of access(2).
type Use uint32

// The uses. A directory to keep files in is read, written and entered.
const (
	Enter Use = 1
	Write Use = 2
	Read  Use = 4

	ReadWrite = Read | Write
	KeepFiles = Read | Write | Enter
)

// Problem keeps the user from a path. Path is the path itself or the directory
// above it that is closed, Detail says how, and Fix is a command or an advice.
type Problem struct{ Path, Detail, Fix string }

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

// Fix returns what makes the path usable, or "" when nothing is in the way.
func Fix(path string, wanted Use) string {
	if b := Check(path, wanted); b != nil {
		return b.Fix
	}
	return ""
}

// Check returns what keeps the user from the path, or nil. A path that does not
// exist is no problem, except for KeepFiles: that directory must be creatable.
func Check(path string, wanted Use) *Problem {
	who := thisAccount()
	err := mayUse(path, wanted)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errReadOnlyDisk):
		return &Problem{path, "the file system of " + path + " can only be read", "mount it for writing, or set HOBNOB_DATA_DIR and HOBNOB_STATE_DIR to directories elsewhere"}
	case errors.Is(err, fs.ErrNotExist) && wanted != KeepFiles:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return who.checkParents(path)
	}
	at, info, err := nearestVisible(path)
	if err != nil {
		return &Problem{at, err.Error(), "look at the permissions of the directories above it"}
	}
	above := at != path
	if above {
		wanted = Enter
	}
	verb := "opened"
	if mayUse(at, wanted&^Write) == nil {
		verb = "written"
	}
	detail := fmt.Sprintf("%s cannot be %s: it belongs to %s (mode %04o)", at, verb, who.nameOf(ownerOf(info)), info.Mode().Perm())
	return &Problem{at, detail, who.fix(at, wanted, info.Mode(), ownerOf(info), above)}
}

// checkParents finds why a directory that does not exist cannot be created.
func (a account) checkParents(path string) *Problem {
	for at := filepath.Dir(path); ; at = filepath.Dir(at) {
		err := mayUse(at, Write|Enter)
		if errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
			continue
		}
		found := Check(at, Write|Enter)
		if found == nil {
			return nil
		}
		found.Detail = path + " cannot be made: " + found.Detail
		if info, err := os.Stat(at); err == nil && ownerOf(info) != a.uid && !a.atHome(at) && !errors.Is(mayUse(at, Write), errReadOnlyDisk) {
			found.Fix = elsewhere
			if a.home != "" {
				found.Fix = "sudo install -d -m 700 -o " + shell.Quote(a.name) + " " + shell.Quote(path)
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

// fix is the command that gives the account the wanted Use of what others own or
// the mode forbids. What is outside the home and above hobnob's own directories
// stays with its owner.
func (a account) fix(path string, wanted Use, mode fs.FileMode, owner int, above bool) string {
	letters := ""
	for i, letter := range []string{"x", "w", "r"} {
		if wanted&(1<<i) != 0 {
			letters = letter + letters
		}
	}
	switch {
	case owner == a.uid && Use(mode.Perm()>>6)&wanted == wanted:
		return "look at the access rules of " + path + " beside its mode"
	case owner == a.uid && mode.IsDir():
		return "chmod u+rwx " + shell.Quote(path)
	case owner == a.uid:
		return "chmod u+" + letters + " " + shell.Quote(path)
	case a.atHome(path) && mode.IsDir():
		return "sudo chown -R " + shell.Quote(a.name) + " " + shell.Quote(path)
	case a.atHome(path), a.home != "" && !above:
		return "sudo chown " + shell.Quote(a.name) + " " + shell.Quote(path)
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

// CheckDatabase returns what keeps the user from the database at path, its log
// and its directory, or nil.
func CheckDatabase(path string) *Problem {
	if b := Check(filepath.Dir(path), KeepFiles); b != nil {
		return b
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if b := Check(path+suffix, ReadWrite); b != nil {
			return b
		}
	}
	return nil
}
