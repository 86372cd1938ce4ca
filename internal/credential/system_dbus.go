//go:build !darwin && !windows

package credential

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/godbus/dbus/v5"
)

// prepareSystem sets the address of the session bus in the environment if it is
// missing. Without an address, godbus would search /run/user/<uid> instead of
// XDG_RUNTIME_DIR, which libdbus uses, and otherwise start dbus-launch.
func prepareSystem() error {
	const variable = "DBUS_SESSION_BUS_ADDRESS"
	address := os.Getenv(variable)
	if address != "" && !strings.HasPrefix(address, "autolaunch:") {
		return nil
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	socket := filepath.Join(dir, "bus")
	info, err := os.Stat(socket)
	if !filepath.IsAbs(dir) || err != nil || info.Mode().Type() != fs.ModeSocket {
		return &KeyringError{Reason: ReasonAbsent, Detail: "no session bus"}
	}
	return os.Setenv(variable, "unix:path="+dbus.EscapeBusAddressValue(socket))
}

// explainSystem classifies the errors of D-Bus (see "Error names" in its
// specification), of the Secret Service API (see "Errors") and of go-keyring's client.
func explainSystem(err error) (reason Reason, detail string) {
	var (
		answer  dbus.Error
		pointer *dbus.Error
		network *net.OpError
	)
	if errors.As(err, &pointer) {
		answer = *pointer
	}
	switch {
	case pointer != nil || errors.As(err, &answer):
		return explainDBus(answer.Name), printableName(answer.Name)
	case errors.As(err, &network):
		return ReasonAbsent, "cannot connect to the session bus"
	case errors.Is(err, dbus.ErrClosed), errors.Is(err, io.EOF), strings.HasPrefix(err.Error(), "dbus: "):
		return ReasonAbsent, "the session bus cannot be used"
	// go-keyring returns this when the prompt was dismissed or could not be shown. In
	// both cases the collection is unchanged.
	case strings.HasPrefix(err.Error(), "failed to unlock correct collection"):
		return ReasonLocked, ""
	default:
		return ReasonOther, ""
	}
}

func explainDBus(name string) Reason {
	switch name {
	case "org.freedesktop.DBus.Error.ServiceUnknown",
		"org.freedesktop.DBus.Error.NameHasNoOwner",
		"org.freedesktop.DBus.Error.NoServer",
		"org.freedesktop.DBus.Error.Disconnected",
		"org.freedesktop.DBus.Error.NotSupported",
		"org.freedesktop.DBus.Error.UnknownObject",
		"org.freedesktop.DBus.Error.UnknownInterface",
		"org.freedesktop.DBus.Error.UnknownMethod",
		"org.freedesktop.Secret.Error.NoSuchObject":
		return ReasonAbsent
	case "org.freedesktop.DBus.Error.NoReply",
		"org.freedesktop.DBus.Error.Timeout",
		"org.freedesktop.DBus.Error.TimedOut":
		return ReasonTimeout
	case "org.freedesktop.DBus.Error.AccessDenied",
		"org.freedesktop.DBus.Error.AuthFailed",
		"org.gnome.keyring.Error.Denied":
		return ReasonDenied
	case "org.freedesktop.Secret.Error.IsLocked":
		return ReasonLocked
	}
	if strings.HasPrefix(name, "org.freedesktop.DBus.Error.Spawn.") {
		return ReasonAbsent
	}
	return ReasonOther
}

// printableName returns the name of an error if it belongs to a well-known family, and
// "" for other names, which the service chooses freely.
func printableName(name string) string {
	for _, family := range []string{"org.freedesktop.DBus.Error.", "org.freedesktop.Secret.Error.", "org.gnome.keyring.Error."} {
		if rest, ok := strings.CutPrefix(name, family); ok && len(rest) <= 40 && !strings.ContainsFunc(rest, notNameRune) {
			return name
		}
	}
	return ""
}

func notNameRune(r rune) bool {
	return r != '.' && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}
