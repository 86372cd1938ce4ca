package credential

import (
	"errors"
	"fmt"
	"os/exec"
)

// prepareSystem has nothing to do: go-keyring runs /usr/bin/security and hands it
// the token on its standard input.
func prepareSystem() error { return nil }

// explainSystem knows the exit statuses of security(1): the lowest byte of the
// error numbers in Security/SecBase.h.
func explainSystem(err error) (reason Reason, detail string) {
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		return ReasonAbsent, "/usr/bin/security cannot be run"
	}
	detail = fmt.Sprintf("exit status %d", ended.ExitCode())
	switch ended.ExitCode() {
	case 36: // errSecInteractionNotAllowed
		return ReasonLocked, detail
	case 37, 50: // errSecNoDefaultKeychain, errSecNoSuchKeychain
		return ReasonAbsent, detail
	case 51: // errSecAuthFailed
		return ReasonDenied, detail
	case 128: // errSecUserCanceled
		return ReasonDismissed, detail
	default:
		return ReasonOther, detail
	}
}
