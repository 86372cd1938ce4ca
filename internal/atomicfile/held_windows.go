package atomicfile

import "os"

// hold does nothing: on Windows an open file cannot be removed.
func hold(*os.File) bool { return true }

// held returns false: removing an open file fails.
func held(string) bool { return false }
