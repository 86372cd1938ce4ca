// Package access determines why the user cannot use a file or a directory, and which
// command fixes it. It reads modes and owners and asks the system. It changes
// nothing.
package access

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/input"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// Use is a way to use a file or a directory, in the bits of access(2).
type Use uint32

// Uses of a path. KeepFiles is for directories in which hobnob stores files.
const (
	Enter Use = 1
	Write Use = 2
	Read  Use = 4

	ReadWrite = Read | Write
	KeepFiles = Read | Write | Enter
)

// Problem is the reason why the user cannot use a path. Path is the path itself or an
// inaccessible directory above it, Detail describes the problem, and Fix is a command
// or another instruction.
type Problem struct{ Path, Detail, Fix string }

// elsewhere is the fix for a path that belongs to another user.
const elsewhere = "set HOME, or HOBNOB_DATA_DIR, HOBNOB_STATE_DIR and HOBNOB_CONFIG, to paths of your own"

// account is the user who runs hobnob. home is empty if HOME belongs to another user,
// as after su: its files must not change their owner.
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

// Fix returns the fix for the problem with the path, or "" if there is none.
func Fix(path string, wanted Use) string {
	if p := Check(path, wanted); p != nil {
		return p.Fix
	}
	return ""
}

// Check returns the problem with the path, or nil. A missing path is not a problem,
// except for KeepFiles if the directory cannot be created.
func Check(path string, wanted Use) *Problem {
	who := thisAccount()
	err := mayUse(path, wanted)
	switch {
	case err == nil && wanted&Enter == 0:
		return checkKind(path)
	case err == nil:
		return nil
	case errors.Is(err, errReadOnlyDisk):
		return &Problem{path, "the file system of " + path + " is read-only", "mount it read-write, or set HOBNOB_DATA_DIR and HOBNOB_STATE_DIR to other directories"}
	case errors.Is(err, fs.ErrNotExist) && wanted != KeepFiles:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return who.checkParents(path)
	}
	at, info, err := nearestVisible(path)
	if err != nil {
		return &Problem{at, err.Error(), "check the permissions of the directories above it"}
	}
	above := at != path
	if above {
		wanted = Enter
	}
	verb := "open"
	if mayUse(at, wanted&^Write) == nil {
		verb = "write"
	}
	detail := fmt.Sprintf("cannot %s %s: permission denied (owned by %s, mode %04o)", verb, at, who.nameOf(ownerOf(info)), info.Mode().Perm())
	return &Problem{at, detail, who.fix(at, wanted, info.Mode(), ownerOf(info), above)}
}

// CheckTrusted returns the problem that lets other users change the file, or nil: the
// mode or the owner of the file, or of a directory in which the file could be
// replaced. Root is trusted. On Windows it returns nil.
func CheckTrusted(path string) *Problem {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil || runtime.GOOS == "windows" {
		return nil
	}
	who := thisAccount()
	for _, dir := range []string{filepath.Dir(resolved), filepath.Dir(path)} {
		if at := swappable(dir); at != "" {
			return &Problem{at, "other users can replace directories in " + at, "chmod o-w " + shell.Quote(at)}
		}
	}
	for _, at := range []string{resolved, filepath.Dir(resolved), filepath.Dir(path)} {
		info, err := os.Stat(at)
		if err != nil {
			return &Problem{at, err.Error(), "check the permissions of the directories above it"}
		}
		mode, owner := info.Mode(), ownerOf(info)
		switch {
		case owner != who.uid && owner != 0:
			return &Problem{at, fmt.Sprintf("%s is owned by %s", at, who.nameOf(owner)), "sudo chown " + shell.Quote(who.name) + " " + shell.Quote(at)}
		case mode.Perm()&0o022 != 0 && !(mode.IsDir() && mode&fs.ModeSticky != 0):
			return &Problem{at, fmt.Sprintf("other users can write to %s (mode %04o)", at, mode.Perm()), "chmod go-w " + shell.Quote(at)}
		}
	}
	return nil
}

// CheckPlanted returns the problem that lets users other than the owner of the
// directory of a file write the file, or nil. The current user and root are trusted. On
// Windows it returns nil.
func CheckPlanted(path string) *Problem {
	dir := filepath.Dir(path)
	above, err := os.Stat(dir)
	if err != nil || runtime.GOOS == "windows" {
		return nil
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil
	}
	owner := ownerOf(info)
	writable := func(mode fs.FileMode) bool { return mode&0o002 != 0 && mode&(fs.ModeSticky|fs.ModeSymlink) == 0 }
	switch {
	case writable(above.Mode()):
		return &Problem{dir, fmt.Sprintf("other users can write to %s (mode %04o)", dir, above.Mode().Perm()), "chmod o-w " + shell.Quote(dir)}
	case writable(info.Mode()):
		return &Problem{path, fmt.Sprintf("other users can write to %s (mode %04o)", path, info.Mode().Perm()), "chmod o-w " + shell.Quote(path)}
	case owner != os.Geteuid() && owner != 0 && owner != ownerOf(above):
		return &Problem{path, fmt.Sprintf("%s is owned by %s, who does not own its directory", path, thisAccount().nameOf(owner)), "sudo rm " + shell.Quote(path)}
	}
	return nil
}

// Identity distinguishes files that have the same path at different times. On Windows
// it is the same for all files.
type Identity struct {
	Owner int    `json:"owner"` // user id
	Inode uint64 `json:"inode"`
}

// Identify returns the identity of the file to which path leads.
func Identify(path string) (Identity, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Identity{}, err
	}
	return Identity{ownerOf(info), inodeOf(info)}, nil
}

// OtherOwner returns the name of the owner of the file to which path leads, or "" if it
// is the current user or root.
func OtherOwner(path string) string {
	who := thisAccount()
	id, err := Identify(path)
	if err != nil || id.Owner == who.uid || id.Owner <= 0 {
		return ""
	}
	return who.nameOf(id.Owner)
}

// swappable returns the nearest directory above dir in which every user can rename
// the directories of others, or "".
func swappable(dir string) string {
	for above := filepath.Dir(dir); above != dir; dir, above = above, filepath.Dir(above) {
		if info, err := os.Stat(above); err == nil && info.Mode()&(fs.ModeSticky|0o002) == 0o002 {
			return above
		}
	}
	return ""
}

// checkKind returns a problem if the path leads to something other than a file or a
// device such as /dev/null. It opens nothing, because closing a second descriptor of
// a database drops its locks.
func checkKind(path string) *Problem {
	var kind *input.KindError
	if !errors.As(input.Check(path), &kind) || kind.Mode&fs.ModeDevice != 0 {
		return nil
	}
	return &Problem{path, path + " " + kind.Error(), "mv " + shell.Quote(path) + " " + shell.Quote(path+".old")}
}

// checkParents returns the reason why a missing directory cannot be created, or nil.
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
		found.Detail = "cannot create " + path + ": " + found.Detail
		if info, err := os.Stat(at); err == nil && ownerOf(info) != a.uid && !a.atHome(at) && !errors.Is(mayUse(at, Write), errReadOnlyDisk) {
			found.Fix = elsewhere
			if a.home != "" {
				found.Fix = "sudo install -d -m 700 -o " + shell.Quote(a.name) + " " + shell.Quote(path)
			}
		}
		return found
	}
}

// nearestVisible returns the path, or the nearest directory above it, whose owner and
// mode can be read.
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

// fix returns the command that allows the account the wanted use of a path that
// others own or the mode forbids. It does not change paths outside the home and above
// hobnob's own directories.
func (a account) fix(path string, wanted Use, mode fs.FileMode, owner int, above bool) string {
	letters := ""
	for i, letter := range []string{"x", "w", "r"} {
		if wanted&(1<<i) != 0 {
			letters = letter + letters
		}
	}
	switch {
	case owner == a.uid && Use(mode.Perm()>>6)&wanted == wanted:
		return "check the access control list of " + path
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

// atHome reports whether the path is inside the home directory of the account.
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

// CheckDatabase returns the problem with the database to which path leads, its log or
// its directory, or nil.
func CheckDatabase(path string) *Problem {
	if target, err := atomicfile.Target(path); err == nil {
		path = target
	}
	if p := Check(filepath.Dir(path), KeepFiles); p != nil {
		return p
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if p := Check(path+suffix, ReadWrite); p != nil {
			return p
		}
	}
	return nil
}
