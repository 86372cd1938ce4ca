package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/agent"
)

const (
	benchRows        = 100_000
	benchConcurrency = 64

	// minThroughput is the minimum ratio of hobnob's rows per second to those of a
	// loop that only sends the same requests.
	minThroughput = 0.85
	// maxMemory and maxMemoryRatio limit the peak memory: in KiB, and relative to
	// that of benchFewRows.
	maxMemory      = 64 << 10
	maxMemoryRatio = 1.2
	benchFewRows   = 1000

	benchToken = "hn_0123456789abcdef0123456789abcdef01234567"
)

// BenchmarkBatch compares hobnob batch to a bare loop of http.Client that sends the same
// requests to the same service: to the built-in one, and to one that does nothing but
// answer, so that nearly all work is that of the clients. The limit of the throughput is
// for the former. The other parts are in testdata/batchbench. See docs/benchmarks.md.
func BenchmarkBatch(b *testing.B) {
	dir := b.TempDir()
	programs := benchPrograms{hobnob: filepath.Join(dir, "hobnob"), tools: filepath.Join(dir, "batchbench")}
	for target, source := range map[string]string{programs.hobnob: "..", programs.tools: "./testdata/batchbench"} {
		if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", target, source).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	b.Run("built-in", func(b *testing.B) {
		compareBatch(b, programs, benchService(b, programs.hobnob, "--json", "serve", "--addr", "127.0.0.1:0"), minThroughput)
	})
	b.Run("instant", func(b *testing.B) {
		compareBatch(b, programs, benchService(b, programs.tools, "service"), 0)
	})
}

type benchPrograms struct{ hobnob, tools string }

// compareBatch fails if the throughput, relative to the loop, or the memory exceeds its
// limit and there were enough runs.
func compareBatch(b *testing.B, programs benchPrograms, url string, minimum float64) {
	dir := b.TempDir()
	many, few := benchInput(b, dir, benchRows), benchInput(b, dir, benchFewRows)
	environment := append(benchEnvironment(dir), "HOBNOB_BASE_URL="+url, "HOBNOB_TOKEN="+benchToken, "HOBNOB_AGENT="+agent.EchoID)
	hobnob := func(input string) benchRun {
		output := filepath.Join(b.TempDir(), "answers.jsonl")
		run := measure(b, environment, programs.tools, programs.hobnob, "batch", "-q", "--concurrency", strconv.Itoa(benchConcurrency), input, "-o", output)
		checkAnswers(b, output, countLines(b, input))
		return run
	}
	loop := func() benchRun {
		return measure(b, environment, programs.tools, programs.tools, "loop", url, strconv.Itoa(benchRows), strconv.Itoa(benchConcurrency))
	}

	var bare, batch, small []benchRun
	for round := 0; b.Loop(); round++ {
		small = append(small, hobnob(few))
		if round%2 == 0 {
			bare, batch = append(bare, loop()), append(batch, hobnob(many))
		} else {
			batch, bare = append(batch, hobnob(many)), append(bare, loop())
		}
	}

	rate := func(run benchRun) float64 { return benchRows / run.took.Seconds() }
	cpu := func(run benchRun) float64 { return run.cpu.Seconds() * 1e6 / benchRows }
	memory := func(run benchRun) float64 { return float64(run.memory) }
	ratio := medianOf(batch, rate) / medianOf(bare, rate)
	peak, growth := medianOf(batch, memory), medianOf(batch, memory)/medianOf(small, memory)
	b.Logf("medians of %d runs of %d rows: loop %.0f rows/s (%.0f µs CPU a row), hobnob %.0f rows/s (%.0f µs CPU a row), ratio %.2f; peak memory %.1f MiB, %.1f MiB with %d rows, ratio %.2f",
		len(batch), benchRows, medianOf(bare, rate), medianOf(bare, cpu), medianOf(batch, rate), medianOf(batch, cpu), ratio,
		peak/1024, medianOf(small, memory)/1024, benchFewRows, growth)
	b.ReportMetric(medianOf(batch, rate), "rows/s")
	b.ReportMetric(ratio, "ratio")
	b.ReportMetric(peak/1024, "MiB")
	if len(batch) < 3 {
		return
	}
	if ratio < minimum {
		b.Errorf("ratio to the loop %.2f, want at least %.2f", ratio, minimum)
	}
	if peak > maxMemory || growth > maxMemoryRatio {
		b.Errorf("peak memory %.1f MiB, want at most %d MiB; %.2f times that of %d rows, want at most %.1f", peak/1024, maxMemory>>10, growth, benchFewRows, maxMemoryRatio)
	}
}

// benchEnvironment returns an environment with an empty home directory.
func benchEnvironment(home string) []string {
	return append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_STATE_HOME=")
}

// benchRun is what one process needed.
type benchRun struct {
	took, cpu time.Duration
	memory    int64 // peak in KiB
}

// measure runs a command.
func measure(b *testing.B, environment []string, tools string, args ...string) benchRun {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), tools, append([]string{"measure"}, args...)...)
	cmd.Env, cmd.Stderr = environment, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%s: %v", args[0], err)
	}
	var run benchRun
	if _, err := fmt.Sscan(string(out), &run.took, &run.cpu, &run.memory); err != nil {
		b.Fatal(err)
	}
	return run
}

func medianOf(runs []benchRun, value func(benchRun) float64) float64 {
	values := make([]float64, len(runs))
	for i, run := range runs {
		values[i] = value(run)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// benchService starts a service in a process that ends with the benchmark, and returns
// its address, which the process prints as JSON.
func benchService(b *testing.B, program string, args ...string) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), program, args...)
	cmd.Env = append(benchEnvironment(b.TempDir()), "HOBNOB_SERVE_TOKEN="+benchToken)
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var started struct {
		Address string `json:"base_url"`
	}
	if err := json.NewDecoder(out).Decode(&started); err != nil {
		b.Fatal(err)
	}
	return started.Address
}

// benchPrompt returns the prompt that testdata/batchbench sends, too.
func benchPrompt(i int) string {
	return fmt.Sprintf("question %d: which of the many ways to describe the colour of the sky at dusk is the shortest one?", i)
}

// benchInput writes an input of n rows.
func benchInput(b *testing.B, dir string, n int) string {
	b.Helper()
	var text bytes.Buffer
	for i := range n {
		_, _ = fmt.Fprintf(&text, `{"id":"row-%d","prompt":"%s"}`+"\n", i+1, benchPrompt(i+1))
	}
	path := filepath.Join(dir, fmt.Sprintf("%d.jsonl", n))
	if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

func countLines(b *testing.B, path string) int {
	b.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	return bytes.Count(text, []byte("\n"))
}

// checkAnswers checks that the output has the reply to each of n rows once.
func checkAnswers(b *testing.B, path string, n int) {
	b.Helper()
	file, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	seen := make([]bool, n+1)
	rows := json.NewDecoder(file)
	for range n {
		var row struct{ ID, Reply string }
		if err := rows.Decode(&row); err != nil {
			b.Fatal(err)
		}
		i, err := strconv.Atoi(strings.TrimPrefix(row.ID, "row-"))
		if err != nil || i < 1 || i > n || seen[i] || row.Reply != benchPrompt(i) {
			b.Fatalf("row %+v", row)
		}
		seen[i] = true
	}
	if rows.More() {
		b.Fatal("too many rows")
	}
}
