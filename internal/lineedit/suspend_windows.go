package lineedit

// suspend does nothing: Windows has no job control.
func suspend() {}
