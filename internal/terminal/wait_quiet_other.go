//go:build !unix

package terminal

// QuietInput does nothing: a console of Windows shows what is typed only while a
// program reads it.
func (s *Streams) QuietInput() (restore func()) { return func() {} }

// HoldInput does nothing: a console of Windows keeps all that is typed.
func (s *Streams) HoldInput() (restore func()) { return func() {} }
