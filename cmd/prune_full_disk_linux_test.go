package cmd

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestPruneFreesFullDisk fills the file system of the data directory completely.
func TestPruneFreesFullDisk(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	if err := errors.Join(os.Symlink(self, filepath.Join(home, "hobnob")), os.MkdirAll(filepath.Join(home, "data"), 0o700)); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("unshare", "--map-root-user", "--mount", "sh", "-c", `
mount -t tmpfs -o size=8m,mode=700 tmpfs data || exit 99
set -ex
head -c 300000 /dev/urandom | base64 | ./hobnob -q chat --title big - >/dev/null
./hobnob -q chat --title small 'a small question'
./hobnob -q chat --title recent 'a recent question'
./hobnob -q conversations delete big
./hobnob -q conversations delete small
before=$(stat -c %s data/history.db)
head -c 8m /dev/zero 2>/dev/null >data/fill || :
test $(stat -f -c %a data) = 0
./hobnob conversations list --local | grep recent
./hobnob conversations search recent | grep recent
! ./hobnob doctor | grep damaged
./hobnob conversations delete recent 2>&1 | grep 'hint: nothing was changed; free some space'
./hobnob conversations prune --trash --yes
test $(stat -c %s data/history.db) -lt $((before / 4))
test $(stat -f -c %a data) -gt $((before / 2 / 4096))
! grep -qa 'a small question' data/history.db* data/service.db*
./hobnob -q chat 'after prune'
./hobnob conversations list | grep recent
./hobnob doctor | grep '^ok       history  .* 2 conversations, 2 turns'
`)
	command.Dir = home
	command.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "HOBNOB_DATA_DIR=" + filepath.Join(home, "data"), "HOBNOB_AGENT=echo", "TMPDIR=" + home}
	out, err := command.CombinedOutput()
	exit, exited := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
	case exited && exit.ExitCode() != 99 && exit.ExitCode() != 1 || len(out) > 500:
		t.Errorf("%v\n%s", err, out)
	case os.Getenv("HOBNOB_TEST_REQUIRE") == "1":
		t.Fatalf("cannot mount a file system, and HOBNOB_TEST_REQUIRE=1: %v\n%s", err, out)
	default:
		t.Skipf("cannot mount a file system: %v\n%s", err, out)
	}
}
