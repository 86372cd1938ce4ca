package credential

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
)

// prepareSystem does nothing: go-keyring runs /usr/bin/security and passes the token
// on its standard input.
func prepareSystem() error { return nil }

// explainSystem classifies the exit statuses of security(1), which are the lowest
// bytes of the error numbers in Security/SecBase.h.
func explainSystem(err error) (reason Reason, detail string) {
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		return ReasonAbsent, "/usr/bin/security cannot be run"
	}
	reasons := map[int]Reason{
		36:  ReasonLocked,    // errSecInteractionNotAllowed
		37:  ReasonAbsent,    // errSecNoDefaultKeychain
		50:  ReasonAbsent,    // errSecNoSuchKeychain
		51:  ReasonDenied,    // errSecAuthFailed
		128: ReasonDismissed, // errSecUserCanceled
	}
	return cmp.Or(reasons[ended.ExitCode()], ReasonOther), fmt.Sprintf("exit status %d", ended.ExitCode())
}
