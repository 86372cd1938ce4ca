package access

import (
	"io/fs"
	"testing"
)

func TestTheFixOfABarrierLeavesToOthersWhatIsTheirs(t *testing.T) {
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
		{"/home/me/d/x.db", ReadWrite, 0o600, 1000, false, "look at the access rules of /home/me/d/x.db beside its mode"},
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
	// Where HOME is that of somebody else nothing there is taken over.
	stranger := account{uid: 1000, name: "me"}
	if got := stranger.fix("/root/.local", KeepFiles, fs.ModeDir|0o700, 0, false); got != elsewhere {
		t.Errorf("in the home of root: %s", got)
	}
}
