package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/api"
)

// countingService answers each prompt with itself after a short time, counts the requests
// of each, and calls a function after a number of requests.
type countingService struct {
	mu    sync.Mutex
	seen  map[string]int
	left  int // requests until then is called
	then  func()
	delay time.Duration
}

// after lets the service call fn after n more requests, and respond within delay.
func (s *countingService) after(n int, fn func(), delay time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.then, s.delay = n, fn, delay
}

// requests returns the number of requests of each prompt.
func (s *countingService) requests() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.seen)
}

func (s *countingService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request api.Request
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return // the process was killed while it sent the request
	}
	prompt := request.Messages[0].Content
	s.mu.Lock()
	s.seen[prompt]++
	delay := s.delay
	if s.left--; s.left == 0 && s.then != nil {
		s.then()
	}
	s.mu.Unlock()
	if delay > 0 {
		time.Sleep(rand.N(delay))
	}
	_ = json.NewEncoder(w).Encode(api.Completion{
		ID: "c", ConversationID: "s", Object: "chat.completion", Created: "1.5", Model: "m",
		Choices: []api.Choice{{Message: api.Message{Role: api.RoleAssistant, Content: strings.Repeat(prompt+"\n", 20)}, FinishReason: "stop"}},
	})
}

// A batch that is killed 100 times at random moments, half of them counted in requests and
// half in time, and continued each time.
func TestKilledBatchSendsNothingTwice(t *testing.T) {
	const kills, rows, concurrency = 100, 12_000, 16
	binary := buildHobnob(t)
	dir := t.TempDir()
	s := &countingService{seen: map[string]int{}}
	server := httptest.NewServer(s)
	defer server.Close()
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl")
	var input bytes.Buffer
	for i := range rows {
		fmt.Fprintf(&input, "{\"id\":\"row %d\",\"prompt\":\"row %d\"}\n", i, i)
	}
	if err := os.WriteFile(in, input.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	start := func(flags ...string) (*exec.Cmd, *bytes.Buffer) {
		t.Helper()
		command := exec.Command(binary, append([]string{"batch", in, "-o", out, "--resume", "--concurrency", fmt.Sprint(concurrency)}, flags...)...)
		command.Env = []string{"HOME=" + dir, "HOBNOB_BASE_URL=" + server.URL, "HOBNOB_TOKEN=t"}
		var stderr bytes.Buffer
		command.Stderr = &stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = command.Process.Kill() })
		return command, &stderr
	}
	killed := 0
	for round := 0; killed < kills && round < 3*kills; round++ {
		var flags []string
		if round%3 == 2 {
			flags = []string{"--ordered"}
		}
		ready, kill := make(chan struct{}), make(chan struct{})
		count := sync.OnceFunc(func() { close(kill) })
		if round%2 == 0 {
			s.after(1+rand.IntN(60), count, 10*time.Millisecond)
		} else {
			s.after(0, nil, 10*time.Millisecond)
			time.AfterFunc(rand.N(80*time.Millisecond), count)
		}
		command, stderr := start(flags...)
		go func() {
			select {
			case <-kill:
				_ = command.Process.Kill()
			case <-ready:
			}
		}()
		err := command.Wait()
		close(ready)
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit) && exit.ExitCode() == -1:
			killed++
		case errors.As(err, &exit) && exit.ExitCode() == 10, err == nil:
		default:
			t.Fatalf("round %d: %v: %s", round, err, stderr)
		}
	}
	if killed < kills {
		t.Fatalf("killed %d times, want %d: the input is too short", killed, kills)
	}
	s.after(0, nil, 0)
	finish := func(flags ...string) {
		t.Helper()
		command, stderr := start(flags...)
		var exit *exec.ExitError
		if err := command.Wait(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 10) {
			t.Fatalf("%v: %s", err, stderr)
		}
	}
	finish()
	sent, unknown := s.requests(), map[string]bool{}
	for id, code := range outcomes(t, out) {
		switch {
		case code == "unknown":
			unknown[id] = true
		case code != "":
			t.Errorf("%s failed: %s", id, code)
		case sent[id] != 1:
			t.Errorf("%s is answered and was sent %d times", id, sent[id])
		}
	}
	if found := len(outcomes(t, out)); found != rows {
		t.Errorf("the output has %d of %d ids", found, rows)
	}
	inFlight := 0
	for id, n := range sent {
		if n > 1 {
			t.Errorf("%s was sent %d times", id, n)
		}
		if unknown[id] {
			inFlight++
		}
	}
	t.Logf("killed %d times; %d of %d rows have an unknown outcome, %d of which the service received", killed, len(unknown), rows, inFlight)

	// Resending them answers every row.
	finish("--resend-unknown")
	for id, code := range outcomes(t, out) {
		if code != "" {
			t.Errorf("%s: %s after resending", id, code)
		}
	}
	for id, n := range s.requests() {
		if n > 2 || n == 2 && !unknown[id] {
			t.Errorf("%s was sent %d times; unknown: %v", id, n, unknown[id])
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*out.jsonl*")); err != nil || len(left) != 1 {
		t.Errorf("files left: %q, %v", left, err)
	}
}

// outcomes returns the code of the error of each id in an output, "" for an answer, and
// checks that each id occurs once.
func outcomes(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	found := map[string]string{}
	for in := bufio.NewReader(file); ; {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return found
		}
		var row struct {
			ID, Reply string
			Error     struct{ Code string }
		}
		if err := errors.Join(err, json.Unmarshal(line, &row)); err != nil {
			t.Fatalf("%.100q: %v", line, err)
		}
		if _, twice := found[row.ID]; twice || row.ID == "" {
			t.Errorf("%q is in the output twice", row.ID)
		}
		if row.Error.Code == "" && row.Reply != strings.Repeat(row.ID+"\n", 20) {
			t.Errorf("the answer of %s is incomplete", row.ID)
		}
		found[row.ID] = row.Error.Code
	}
}
