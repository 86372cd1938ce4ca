package history

import (
	"math/rand/v2"
	"os"
	"path/filepath"
)

// SQLite needs disk space to delete rows. The reserve, a file with random bytes,
// occupies that space until Prune needs it on a full disk.

// The reserve is as large as the database, within these bounds, in bytes.
const (
	minReserve = 512 << 10
	maxReserve = 2 << 20
)

func reservePath(dir string) string { return filepath.Join(dir, "reserve") }

// keepReserve creates the reserve, or enlarges it after the database has grown. On a
// full disk it does nothing.
func keepReserve(dir string) {
	wanted := int64(minReserve)
	if info, err := os.Stat(filepath.Join(dir, FileName)); err == nil {
		wanted = min(max(info.Size(), minReserve), maxReserve)
	}
	if info, err := os.Lstat(reservePath(dir)); err == nil && (!info.Mode().IsRegular() || info.Size() >= wanted) {
		return // opening a named pipe blocks, and a link can lead to another file
	}
	// Random bytes, because some file systems compress data.
	var seed [32]byte
	data := make([]byte, wanted)
	_, _ = rand.NewChaCha8(seed).Read(data)
	if err := os.WriteFile(reservePath(dir), data, 0o600); err != nil {
		_ = os.Remove(reservePath(dir))
	}
}

// ReleaseReserve removes the reserve until the next Open and reports whether there was
// one.
func ReleaseReserve(dir string) bool {
	info, err := os.Lstat(reservePath(dir))
	return err == nil && info.Mode().IsRegular() && os.Remove(reservePath(dir)) == nil
}
