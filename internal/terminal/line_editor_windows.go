package terminal

// suspend does nothing: Windows knows no jobs.
func suspend() {}

// withoutLines does nothing: a console keeps all that is typed.
func (s *Streams) withoutLines() (restore func()) { return func() {} }
