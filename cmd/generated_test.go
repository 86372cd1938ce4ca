package cmd

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// Runs the go:generate lines of main.go in temporary directories.
func TestGeneratedFilesAreFresh(t *testing.T) {
	directives := generateDirectives(t, filepath.Join("..", "main.go"))
	if want := []string{"completions", "docs/cli", "docs/man"}; !slices.Equal(slices.Sorted(maps.Keys(directives)), want) {
		t.Fatalf("main.go generates %q, want %q", slices.Sorted(maps.Keys(directives)), want)
	}
	for dir, args := range directives {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			fresh := t.TempDir()
			var stderr bytes.Buffer
			f := cli.New(&terminal.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &stderr}, func(string) string { return "" })
			if code := run(t.Context(), f, append(args, fresh)); code != 0 {
				t.Fatalf("hobnob %s: exit code %d:\n%s", strings.Join(args, " "), code, &stderr)
			}
			compareDirs(t, dir, readDir(t, filepath.Join("..", filepath.FromSlash(dir))), readDir(t, fresh))
		})
	}
}

// generateDirectives returns the arguments for hobnob by output directory, which is
// their last one.
func generateDirectives(t *testing.T, path string) map[string][]string {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for line := range strings.Lines(string(source)) {
		if rest, ok := strings.CutPrefix(line, "//go:generate go run . "); ok {
			args := strings.Fields(rest)
			last := len(args) - 1
			found[args[last]] = args[:last]
		}
	}
	return found
}

func compareDirs(t *testing.T, dir string, committed, fresh map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(fresh)) {
		switch content, ok := committed[name]; {
		case !ok:
			t.Errorf("%s/%s is missing: run go generate ./...", dir, name)
		case content != fresh[name]:
			t.Errorf("%s/%s is stale: run go generate ./...", dir, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(committed)) {
		if _, ok := fresh[name]; !ok {
			t.Errorf("%s/%s is no longer generated: delete it", dir, name)
		}
	}
}

// readDir returns the contents of the files of a directory by name, none if it does not
// exist.
func readDir(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = string(content)
		if runtime.GOOS == "windows" {
			// On Windows, git may check out text with CRLF.
			files[entry.Name()] = strings.ReplaceAll(string(content), "\r\n", "\n")
		}
	}
	return files
}
