//go:build unix

package input

import "golang.org/x/sys/unix"

// nonblocking prevents waiting for the writer of a named pipe that replaced the file
// after Check, and prevents a terminal from becoming the controlling terminal.
const nonblocking = unix.O_NONBLOCK | unix.O_NOCTTY
