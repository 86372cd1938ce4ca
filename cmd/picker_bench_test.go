//go:build unix

package cmd

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// BenchmarkPicker measures the list of conversations on a terminal of 80×24 with 10,000
// conversations: from the start of the process to the first row, compared with the whole
// of hobnob version, and from a key to its effect. See docs/benchmarks.md.
func BenchmarkPicker(b *testing.B) {
	dir := b.TempDir()
	binary := filepath.Join(dir, "hobnob")
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", binary, "..").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	fillForBenchmark(b, dir)
	store, err := history.Open(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	if err := store.RebuildIndex(b.Context()); err != nil {
		b.Fatal(err)
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
	took := map[string][]time.Duration{}
	steps := []struct{ name, keys, shows string }{
		{"first row", "", "> a title of some words 10000"},
		{"Down", "\x1b[B", "\x1b[24;1H\x1b[2K2 of 10000"},
		{"End", "\x1b[F", "> a title of some words 1 "},
		{"a word of one title", "9876", "\x1b[24;1H\x1b[2K1 of "},
		{"a word of all turns", "\x15question", "\x1b[24;1H\x1b[2K1 of 1000 or more"},
	}
	for b.Loop() {
		version := exec.CommandContext(b.Context(), binary, "version")
		start := time.Now()
		if err := version.Run(); err != nil {
			b.Fatal(err)
		}
		took["version"] = append(took["version"], time.Since(start))

		list := exec.CommandContext(b.Context(), binary, "conversations", "show", "--pick")
		list.Env = append(os.Environ(), "HOME="+dir, "HOBNOB_DATA_DIR="+dir, "HOBNOB_CONFIG="+filepath.Join(dir, "config.yaml"), "TERM=xterm-256color", "LC_ALL=C.UTF-8")
		start = time.Now()
		screen, err := pty.StartWithSize(list, &pty.Winsize{Rows: 24, Cols: 80})
		if err != nil {
			b.Fatal(err)
		}
		buffer := make([]byte, 1<<16)
		for i, step := range steps {
			if i > 0 {
				start = time.Now()
				if _, err := screen.WriteString(step.keys); err != nil {
					b.Fatal(err)
				}
			}
			var shown []byte
			for !bytes.Contains(shown, []byte(step.shows)) {
				n, err := screen.Read(buffer)
				if err != nil {
					b.Fatalf("%s: %v after %q", step.name, err, shown)
				}
				shown = append(shown, buffer[:n]...)
			}
			took[step.name] = append(took[step.name], time.Since(start))
		}
		if _, err := screen.WriteString("\x03"); err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = screen.Read(buffer)
		}
		_ = list.Wait() // exits with 130
		_ = screen.Close()
	}
	text := ""
	for _, name := range []string{"version", steps[0].name, steps[1].name, steps[2].name, steps[3].name, steps[4].name} {
		slices.Sort(took[name])
		text += fmt.Sprintf("\n%s: %.1f ms", name, 1000*took[name][len(took[name])/2].Seconds())
	}
	b.Logf("medians of %d runs%s", len(took["version"]), text)
}
