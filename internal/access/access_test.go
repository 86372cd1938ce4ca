package access

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestCheckTrusted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no Unix modes")
	}
	for name, c := range map[string]struct {
		file, dir fs.FileMode
		owner     int // of the file
		link      bool
		want      string // suffix of the fix, "" if the file is trusted
	}{
		"private":                       {0o600, 0o700, -1, false, ""},
		"world-readable":                {0o644, 0o755, -1, false, ""},
		"group-writable":                {0o620, 0o700, -1, false, "c.yaml'"},
		"world-writable":                {0o602, 0o700, -1, false, "c.yaml'"},
		"in a group-writable directory": {0o600, 0o770, -1, false, "dir'"},
		"in a world-writable directory": {0o600, 0o777, -1, false, "dir'"},
		"in a sticky directory":         {0o600, 0o777 | fs.ModeSticky, -1, false, ""},
		"behind a link":                 {0o602, 0o700, -1, true, "c.yaml'"},
		"behind a link, in a directory": {0o600, 0o777, -1, true, "dir'"},
		"owned by another user":         {0o600, 0o700, 4711, false, "c.yaml'"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.owner >= 0 && os.Geteuid() != 0 {
				t.Skip("only root can change the owner")
			}
			root := t.TempDir()
			dir := filepath.Join(root, "dir")
			path := filepath.Join(dir, "c.yaml")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(path, c.owner, -1); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, c.file); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, c.dir); err != nil {
				t.Fatal(err)
			}
			if c.link {
				link := filepath.Join(root, "link.yaml")
				if err := os.Symlink(path, link); err != nil {
					t.Fatal(err)
				}
				path = link
			}
			fix := ""
			if p := CheckTrusted(path); p != nil {
				fix = p.Fix
			}
			if (fix == "") != (c.want == "") || !strings.HasSuffix(fix, c.want) {
				t.Errorf("fix %q, want suffix %q", fix, c.want)
			}
		})
	}
	open := filepath.Join(t.TempDir(), "open")
	path := filepath.Join(open, "a", "b", "c.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600), os.Chmod(open, 0o777)); err != nil {
		t.Fatal(err)
	}
	if p := CheckTrusted(path); p == nil || !strings.HasSuffix(p.Fix, "open'") {
		t.Errorf("in a replaceable directory: %+v", p)
	}
	if p := CheckTrusted(filepath.Join(t.TempDir(), "missing")); p != nil {
		t.Errorf("missing file: %+v", p)
	}
}

func TestFix(t *testing.T) {
	me := account{uid: 1000, name: "me", home: "/home/me"}
	for _, c := range []struct {
		path   string
		wanted Use
		mode   fs.FileMode
		owner  int
		above  bool
		want   string
	}{
		{"/home/me/d/x.db", ReadWrite, 0o400, 1000, false, "chmod u+rw '/home/me/d/x.db'"},
		{"/home/me/c.yaml", Read, 0, 1000, false, "chmod u+r '/home/me/c.yaml'"},
		{"/home/me/it's", KeepFiles, fs.ModeDir | 0o500, 1000, false, `chmod u+rwx '/home/me/it'\''s'`},
		{"/home/me/d/x.db", ReadWrite, 0o600, 1000, false, "check the access control list of /home/me/d/x.db"},
		{"/home/me/d/x.db", ReadWrite, 0o600, 0, false, "sudo chown 'me' '/home/me/d/x.db'"},
		{"/home/me/.local", Enter, fs.ModeDir | 0o700, 0, true, "sudo chown -R 'me' '/home/me/.local'"},
		{"/srv/d", KeepFiles, fs.ModeDir | 0o755, 0, false, "sudo chown 'me' '/srv/d'"},
		{"/srv", Enter, fs.ModeDir | 0o700, 0, true, elsewhere},
		{"/home/me", Enter, fs.ModeDir | 0o700, 0, true, elsewhere},
		{"/home/meg/d", Enter, fs.ModeDir | 0o700, 7, true, elsewhere},
	} {
		if got := me.fix(c.path, c.wanted, c.mode, c.owner, c.above); got != c.want {
			t.Errorf("%s: %s, want %s", c.path, got, c.want)
		}
	}
	// Files in another user's home directory do not change their owner.
	stranger := account{uid: 1000, name: "me"}
	if got := stranger.fix("/root/.local", KeepFiles, fs.ModeDir|0o700, 0, false); got != elsewhere {
		t.Errorf("in the home directory of root: %s", got)
	}
}
