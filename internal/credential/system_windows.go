package credential

import (
	"cmp"
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
)

// prepareSystem does nothing: the Credential Manager is part of Windows.
func prepareSystem() error { return nil }

// explainSystem classifies the error numbers of CredRead, CredWrite and CredDelete.
func explainSystem(err error) (reason Reason, detail string) {
	var number windows.Errno
	if !errors.As(err, &number) {
		return ReasonOther, ""
	}
	reasons := map[windows.Errno]Reason{
		windows.ERROR_NO_SUCH_LOGON_SESSION: ReasonAbsent, // a network logon has no store
		windows.ERROR_SERVICE_DISABLED:      ReasonAbsent,
		windows.ERROR_ACCESS_DENIED:         ReasonDenied,
		windows.ERROR_CANCELLED:             ReasonDismissed,
	}
	return cmp.Or(reasons[number], ReasonOther), fmt.Sprintf("error %d", uint32(number))
}
