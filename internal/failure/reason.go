package failure

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
)

// reason is an error with the text of its cause.
type reason struct {
	text string
	err  error
}

func (r *reason) Error() string { return r.text }
func (r *reason) Unwrap() error { return r.err }

// Reason returns err with only the text of its cause: without the function, path or
// address that Go's packages put before it. Use it in messages that already name what
// failed. Reason(nil) is nil.
func Reason(err error) error {
	var (
		path   *fs.PathError
		link   *os.LinkError
		call   *os.SyscallError
		socket *net.OpError
		search *exec.Error
		exited *exec.ExitError
	)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &search) && errors.Is(search.Err, exec.ErrNotFound):
		return &reason{"command not found", err}
	case errors.As(err, &search):
		return &reason{Reason(search.Err).Error(), err}
	case errors.As(err, &exited) && exited.Exited():
		return &reason{fmt.Sprintf("exit code %d", exited.ExitCode()), err}
	case errors.As(err, &path):
		return &reason{path.Err.Error(), err}
	case errors.As(err, &link):
		return &reason{link.Err.Error(), err}
	case errors.As(err, &call):
		return &reason{call.Err.Error(), err}
	case errors.As(err, &socket) && socket.Err != nil:
		return &reason{socket.Err.Error(), err}
	}
	return err
}
