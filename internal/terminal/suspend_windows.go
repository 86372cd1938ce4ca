package terminal

// suspend does nothing: Windows has no job control.
func Suspend() {}
