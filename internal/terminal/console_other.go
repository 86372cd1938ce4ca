//go:build !windows

package terminal

import "os"

// obeysSequences is true: terminals other than the Windows console need no
// switch.
func obeysSequences(*os.File) bool { return true }
