//go:build unix

package cassette_test

import (
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobnob-cli/hobnob/internal/cassette"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

func TestSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"directory": dir, "file in a missing directory": filepath.Join(dir, "none", "r.jsonl"), "named pipe": pipe, "device": "/dev/null"} {
		if _, err := cassette.Record(path); failure.Of(err).Kind != failure.Usage {
			t.Errorf("record in a %s: %v", name, err)
		}
		if _, err := cassette.Replay(path); failure.Of(err).Kind != failure.Usage {
			t.Errorf("replay a %s: %v", name, err)
		}
	}
}
