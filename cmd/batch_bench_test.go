package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
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
// requests to the same service. Service, hobnob and loop are processes of their own. See
// docs/benchmarks.md.
func BenchmarkBatch(b *testing.B) {
	dir := b.TempDir()
	program := filepath.Join(dir, "hobnob")
	build := exec.CommandContext(b.Context(), "go", "build", "-o", program, "github.com/hobnob-cli/hobnob")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	url := benchService(b)
	many, few := benchInput(b, dir, benchRows), benchInput(b, dir, benchFewRows)
	environment := append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "XDG_STATE_HOME=",
		"HOBNOB_BASE_URL="+url, "HOBNOB_TOKEN="+benchToken, "HOBNOB_AGENT=11111111-2222-4333-8444-555555555555")
	hobnob := func(input string) benchRun {
		output := filepath.Join(b.TempDir(), "answers.jsonl")
		run := measure(b, environment, program, "batch", "-q", "--concurrency", strconv.Itoa(benchConcurrency), input, "-o", output)
		checkAnswers(b, output, countLines(b, input))
		return run
	}
	loop := func() benchRun { return measure(b, environment, "batchloop", url, strconv.Itoa(benchRows)) }

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
	if ratio < minThroughput {
		b.Errorf("ratio to the loop %.2f, want at least %.2f", ratio, minThroughput)
	}
	if peak > maxMemory || growth > maxMemoryRatio {
		b.Errorf("peak memory %.1f MiB, want at most %d MiB; %.2f times that of %d rows, want at most %.1f", peak/1024, maxMemory>>10, growth, benchFewRows, maxMemoryRatio)
	}
}

// benchRun is what one process needed.
type benchRun struct {
	took, cpu time.Duration
	memory    int64 // peak in KiB
}

// measure runs a command. On Linux, the peak memory of a process is at least that of the
// one that started it, so a small process does that.
func measure(b *testing.B, environment []string, args ...string) benchRun {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "batchmeasure", args...)
	cmd.Env = environment
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

// measureBatch runs the command in its arguments and prints what it needed.
func measureBatch() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		panic(err)
	}
	memory := int64(0)
	// The type is syscall.Rusage except on Windows, where it has no memory.
	if usage := reflect.Indirect(reflect.ValueOf(cmd.ProcessState.SysUsage())); usage.FieldByName("Maxrss").IsValid() {
		memory = usage.FieldByName("Maxrss").Int()
	}
	_, _ = fmt.Fprintln(os.Stdout, int64(time.Since(start)), int64(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()), memory)
}

func medianOf(runs []benchRun, value func(benchRun) float64) float64 {
	values := make([]float64, len(runs))
	for i, run := range runs {
		values[i] = value(run)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// benchService starts the service in a process that ends with the benchmark, and returns
// its address.
func benchService(b *testing.B) string {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), "batchservice")
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(url)
}

// serveBatch is the service of the benchmark: it answers each prompt with itself.
func serveBatch() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	_, _ = fmt.Fprintf(os.Stdout, "http://%s\n", listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request api.Request
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		prompt := request.Messages[len(request.Messages)-1].Content
		body, _ := json.Marshal(benchCompletion(prompt))
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})))
}

func benchCompletion(prompt string) api.Completion {
	return api.Completion{
		ID: "chatcmpl-00000000000000000000000000000000", ConversationID: "0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f", Object: "chat.completion", Created: "1750000000.25", Model: "m",
		Choices: []api.Choice{{Message: api.Message{Role: api.RoleAssistant, Content: benchReply(prompt)}, FinishReason: "stop"}},
		Usage:   &api.Usage{PromptTokens: 20, CompletionTokens: 60, TotalTokens: 80},
	}
}

func benchReply(prompt string) string { return "You asked: " + strings.Repeat(prompt+" ", 3) }

// benchPrompt returns a prompt of about 100 characters.
func benchPrompt(i int) string {
	return fmt.Sprintf("question %d: which of the many ways to describe the colour of the sky at dusk is the shortest one?", i)
}

// loopBatch sends the requests of the benchmark as fast as http.Client can, and checks
// only the status.
func loopBatch() {
	rows, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchConcurrency}}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range benchConcurrency {
		workers.Go(func() {
			for i := int(next.Add(1)); i <= rows; i = int(next.Add(1)) {
				body, _ := json.Marshal(api.Request{AgentID: os.Getenv("HOBNOB_AGENT"), Messages: []api.Message{{Role: api.RoleUser, Content: benchPrompt(i)}}})
				request, err := http.NewRequest(http.MethodPost, os.Args[1]+"/api/v1/chat", bytes.NewReader(body))
				if err != nil {
					panic(err)
				}
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Authorization", "Bearer "+benchToken)
				response, err := client.Do(request)
				if err != nil {
					panic(err)
				}
				if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
					panic(fmt.Sprint(response.Status, err))
				}
				_ = response.Body.Close()
			}
		})
	}
	workers.Wait()
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
		if err != nil || i < 1 || i > n || seen[i] || row.Reply != benchReply(benchPrompt(i)) {
			b.Fatalf("row %+v", row)
		}
		seen[i] = true
	}
	if rows.More() {
		b.Fatal("too many rows")
	}
}
