package credential

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
)

// prepareSystem has nothing to do: the Credential Manager is part of the system.
func prepareSystem() error { return nil }

// explainSystem knows the error numbers of CredRead, CredWrite and CredDelete.
func explainSystem(err error) (reason Reason, detail string) {
	var number windows.Errno
	if !errors.As(err, &number) {
		return ReasonOther, ""
	}
	detail = fmt.Sprintf("error %d", uint32(number))
	switch number {
	case windows.ERROR_NO_SUCH_LOGON_SESSION, windows.ERROR_SERVICE_DISABLED: // a network logon has no store
		return ReasonAbsent, detail
	case windows.ERROR_ACCESS_DENIED:
		return ReasonDenied, detail
	case windows.ERROR_CANCELLED:
		return ReasonDismissed, detail
	default:
		return ReasonOther, detail
	}
}
