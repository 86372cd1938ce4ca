package terminal

import "io"

// ownsTerminal is true: a Windows console knows no background.
func ownsTerminal(io.Writer) bool { return true }

// disableStop does nothing: Windows knows no jobs.
func disableStop(io.Writer) {}
