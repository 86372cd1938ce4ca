//go:build !unix

package terminal

// QuietInput does nothing: a console of Windows shows what is typed only while a
// program reads it.
func (s *Streams) QuietInput() (restore func()) { return func() {} }
