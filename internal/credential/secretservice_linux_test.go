package credential

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

const (
	secretsName = "org.freedesktop.secrets"
	secretsPath = dbus.ObjectPath("/org/freedesktop/secrets")
)

// startGnomeKeyring runs GNOME Keyring with its login collection unlocked until the
// test ends.
func startGnomeKeyring(t *testing.T, conn *dbus.Conn) {
	t.Helper()
	owners := make(chan *dbus.Signal, 8)
	conn.Signal(owners)
	defer conn.RemoveSignal(owners)
	match := []dbus.MatchOption{dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, secretsName)}
	if err := conn.AddMatchSignal(match...); err != nil {
		t.Fatal(err)
	}

	cmd := exec.Command("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets",
		"--control-directory="+os.Getenv("XDG_RUNTIME_DIR"))
	cmd.Stdin = strings.NewReader("the password of the test")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		kill := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
		_ = cmd.Wait()
	})
	deadline := time.After(20 * time.Second)
	for {
		select {
		case signal := <-owners:
			if signal.Name == "org.freedesktop.DBus.NameOwnerChanged" && signal.Body[0] == secretsName {
				return
			}
		case <-deadline:
			t.Fatal("gnome-keyring-daemon did not start")
		}
	}
}

func TestRealSecretServiceStores(t *testing.T) {
	needTool(t, "gnome-keyring-daemon")
	if !insideSession(t) {
		return
	}
	conn := connect(t)
	startGnomeKeyring(t, conn)
	dir := t.TempDir()
	r := Resolver{File: filepath.Join(dir, "tokens.json"), limit: patience}

	if _, err := r.Token(t.Context(), work); !errors.Is(err, ErrNoToken) {
		t.Fatalf("empty keyring: got error %v, want ErrNoToken", err)
	}
	long := canary + strings.Repeat("~", MaxLength-len(canary))
	for _, token := range []string{"older", long, canary} {
		if source, err := r.Store(t.Context(), work, token, false); source != SourceKeyring || err != nil {
			t.Fatalf("stored in %q, %v", source, err)
		}
	}
	token, err := r.Token(t.Context(), work)
	if token.Reveal() != canary || token.Source() != SourceKeyring || err != nil {
		t.Errorf("token from %q, %v", token.Source(), err)
	}
	for _, other := range []Key{{"work", "https://chat.example.org"}, {"play", "https://chat.example.com"}} {
		if _, err := r.Token(t.Context(), other); !errors.Is(err, ErrNoToken) {
			t.Errorf("%v: got error %v, want ErrNoToken", other, err)
		}
	}

	lock(t, conn)
	started := time.Now()
	_, err = r.Token(t.Context(), work)
	wantReason(t, err, ReasonLocked)
	_, err = r.Store(t.Context(), Key{"play", "https://chat.example.com"}, canary, false)
	wantReason(t, err, ReasonLocked)
	_, err = r.Delete(t.Context(), work)
	wantReason(t, err, ReasonLocked)
	if took := time.Since(started); took > tooLong {
		t.Errorf("took %v", took)
	}
	wantFiles(t, dir)
}

func TestRealSecretServiceDeletes(t *testing.T) {
	needTool(t, "gnome-keyring-daemon")
	if !insideSession(t) {
		return
	}
	startGnomeKeyring(t, connect(t))
	r := Resolver{limit: patience}
	other := Key{"work", "https://chat.example.org"}
	for _, key := range []Key{work, other} {
		if _, err := r.Store(t.Context(), key, canary, false); err != nil {
			t.Fatal(err)
		}
	}
	if from, err := r.Delete(t.Context(), work); !slices.Equal(from, []Source{SourceKeyring}) || err != nil {
		t.Errorf("deleted from %q, %v", from, err)
	}
	if from, err := r.Delete(t.Context(), work); len(from) > 0 || err != nil {
		t.Errorf("deleted again from %q, %v", from, err)
	}
	if _, err := r.Token(t.Context(), work); !errors.Is(err, ErrNoToken) {
		t.Errorf("got error %v, want ErrNoToken", err)
	}
	if token, err := r.Token(t.Context(), other); token.Reveal() != canary || err != nil {
		t.Errorf("token of the other origin is missing: %v", err)
	}
}

func lock(t *testing.T, conn *dbus.Conn) {
	t.Helper()
	service := conn.Object(secretsName, secretsPath)
	var locked []dbus.ObjectPath
	var prompt dbus.ObjectPath
	login := []dbus.ObjectPath{secretsPath + "/collection/login"}
	err := service.Call("org.freedesktop.Secret.Service.Lock", 0, login).Store(&locked, &prompt)
	if err != nil || !slices.Equal(locked, login) {
		t.Fatalf("locked %v, %v", locked, err)
	}
}
