package history

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"
)

const (
	benchTurns = 1_000_000
	// maxRatio is the maximum ratio of a command's time with a million turns to that with an empty history.
	maxRatio = 1.5
)

// benchCommands are the measured command lines.
var benchCommands = []struct {
	name string
	args []string
}{
	{"search, rare word", []string{"conversations", "search", rareWord}},
	{"search, common word", []string{"conversations", "search", commonWord}},
	{"search, phrase", []string{"conversations", "search", `"` + phrase + `"`}},
	{"list --local", []string{"conversations", "list", "--local"}},
	{"chat -c", []string{"chat", "-q", "-c", "-a", echoAgent, "and then?"}},
	{"version", []string{"version"}}, // reads no history
}

// BenchmarkMillionTurns runs commands of the built program, alternating between a
// history of a million turns and one of a single conversation. With HOBNOB_BENCH_DIR
// the big history is created there and reused. See docs/benchmarks.md.
func BenchmarkMillionTurns(b *testing.B) {
	dir := os.Getenv("HOBNOB_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	program := filepath.Join(b.TempDir(), "hobnob")
	build := exec.CommandContext(b.Context(), "go", "build", "-o", program, "../..")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	big, small := filepath.Join(dir, "big"), b.TempDir()
	generateOnce(b, big)
	p := benchProgram{path: program, home: b.TempDir()}
	p.url = p.serve(b)
	// chat -c continues the same conversation in both.
	for _, home := range []string{small, big} {
		p.run(b, home, "chat", "-q", "-a", echoAgent, "what is first?")
		for range 3 {
			p.run(b, home, "chat", "-q", "-c", "what is next?")
		}
	}

	took := make([][2][]time.Duration, len(benchCommands))
	for round := 0; b.Loop(); round++ {
		for i, command := range benchCommands {
			for j := range 2 {
				which := (round + j) % 2 // alternate which of them runs first
				took[i][which] = append(took[i][which], p.run(b, []string{small, big}[which], command.args...))
			}
		}
	}

	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(w, "\tempty\tmillion\tratio\t\n")
	for i, command := range benchCommands {
		empty, million := median(took[i][0]), median(took[i][1])
		ratio := float64(million) / float64(empty)
		_, _ = fmt.Fprintf(w, "%s\t%.1f ms\t%.1f ms\t%.2f\t\n", command.name, 1000*empty.Seconds(), 1000*million.Seconds(), ratio)
		if rounds := len(took[i][0]); ratio > maxRatio && rounds >= 15 {
			b.Errorf("%s took %.2f times as long with a million turns, want at most %.1f", command.name, ratio, maxRatio)
		}
	}
	_ = w.Flush()
	b.Logf("medians of %d runs\n%s", len(took[0][0]), &table)
}

// generateOnce creates the big history unless it exists.
func generateOnce(b *testing.B, dir string) {
	b.Helper()
	if _, err := os.Stat(dir); err == nil {
		return
	}
	partial := dir + ".new"
	if err := os.RemoveAll(partial); err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	s, err := Open(b.Context(), partial)
	if err != nil {
		b.Fatal(err)
	}
	if err := generate(b.Context(), s, benchTurns, 1); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(partial, FileName))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.Rename(partial, dir); err != nil {
		b.Fatal(err)
	}
	b.Logf("created %d turns, %d MB, in %s", benchTurns, info.Size()/1_000_000, time.Since(start).Round(time.Second))
}

// benchProgram is the built program and the URL of its service.
type benchProgram struct{ path, home, url string }

const benchToken = "benchmark-benchmark"

// command returns a command with its own data directory and environment.
func (p benchProgram) command(ctx context.Context, data string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, p.path, args...)
	c.Env = []string{
		"HOME=" + p.home, "XDG_CONFIG_HOME=" + p.home, "HOBNOB_STATE_DIR=" + p.home, "HOBNOB_DATA_DIR=" + data,
		"HOBNOB_BASE_URL=" + p.url, "HOBNOB_TOKEN=" + benchToken, "HOBNOB_SERVE_TOKEN=" + benchToken, "PATH=" + os.Getenv("PATH"),
	}
	return c
}

// run runs a command and returns how long it took.
func (p benchProgram) run(b *testing.B, data string, args ...string) time.Duration {
	b.Helper()
	c := p.command(b.Context(), data, args...)
	var stderr strings.Builder
	c.Stderr = &stderr
	start := time.Now()
	err := c.Run()
	took := time.Since(start)
	if err != nil {
		b.Fatalf("%q: %v: %s", args, err, &stderr)
	}
	return took
}

// serve starts the embedded service on a loopback port until the benchmark ends.
func (p benchProgram) serve(b *testing.B) (url string) {
	b.Helper()
	c := p.command(b.Context(), b.TempDir(), "serve", "--addr", "127.0.0.1:0", "--json")
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 10 * time.Second
	stdout, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Wait() })
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		b.Fatal(err)
	}
	var served struct {
		URL string `json:"base_url"`
	}
	if err := json.Unmarshal(line, &served); err != nil || served.URL == "" {
		b.Fatalf("serve printed %q, %v", line, err)
	}
	return served.URL
}
