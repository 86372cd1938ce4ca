package salvage

import "errors"

// The bytes that SQLite locks to keep others from reading and writing
// (https://www.sqlite.org/lockingv3.html). In WAL mode every connection holds a
// shared lock on some of them for as long as it is open.
const (
	lockOffset = 0x40000000
	lockLength = 512
)

// ErrLocked says that another process has the database open.
var ErrLocked = errors.New("another process has the database open")
