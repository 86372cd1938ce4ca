//go:build unix

package input_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hobnob-cli/hobnob/internal/input"
)

func TestOpenRefusesSpecialFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // socket paths have a short limit
	if err := errors.Join(unix.Mkfifo("pipe", 0o600), os.Mkdir("dir", 0o700), os.WriteFile("file", []byte("text"), 0o600), os.Symlink("pipe", "link")); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	for path, want := range map[string]string{
		"pipe":      "open pipe: is a named pipe, not a regular file",
		"link":      "open link: is a named pipe, not a regular file",
		"dir":       "open dir: is a directory, not a regular file",
		"socket":    "open socket: is a socket, not a regular file",
		"/dev/zero": "open /dev/zero: is a device, not a regular file",
	} {
		var kind *input.KindError
		if _, err := input.ReadFile(path, 10); !errors.As(err, &kind) || err.Error() != want {
			t.Errorf("reading %s: %v, want %s", path, err, want)
		}
		if err := input.Check(path); !errors.As(err, &kind) {
			t.Errorf("checking %s: %v", path, err)
		}
		if _, err := input.OpenFile(path, os.O_WRONLY|os.O_APPEND); !errors.As(err, &kind) {
			t.Errorf("opening %s for writing: %v", path, err)
		}
	}
	if data, err := input.ReadFile("file", 4); string(data) != "text" || err != nil {
		t.Errorf("read %q, %v", data, err)
	}
	if _, err := input.ReadFile("file", 3); err == nil || err.Error() != "read file: larger than 3 bytes" {
		t.Errorf("file over the limit: %v", err)
	}
	if data, err := input.ReadFile(os.DevNull, input.NoLimit); len(data) > 0 || err != nil {
		t.Errorf("null device: %q, %v", data, err)
	}
	if _, err := input.ReadFile(filepath.Join(dir, "missing"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}

func TestReaderReturnsContextError(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(in.Close(), out.Close()) }()
	ctx, cancel := context.WithCancel(t.Context())
	r := input.Reader(ctx, in)
	if _, err := out.WriteString("begun"); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 100)
	if n, err := r.Read(buffer); string(buffer[:n]) != "begun" || err != nil {
		t.Errorf("read %q, %v", buffer[:n], err)
	}
	cancel()
	if n, err := r.Read(buffer); n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %d, %v", n, err)
	}
	if data, err := io.ReadAll(input.Reader(t.Context(), strings.NewReader("all of it"))); string(data) != "all of it" || err != nil {
		t.Errorf("read %q, %v", data, err)
	}
}
