package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// limitedService accepts size requests, then refuses all for a time, and so on.
type limitedService struct {
	size int
	wait time.Duration

	mu       sync.Mutex
	accepted int // since the last pause
	seen     int // since then
	most     int // seen between two pauses
	total    int
	answered map[string]int
	until    time.Time
}

func (s *limitedService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request api.Request
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	prompt := request.Messages[0].Content
	if !s.accept(prompt) {
		w.Header().Set("Retry-After", fmt.Sprint(s.wait.Seconds()))
		http.Error(w, "slow down", http.StatusTooManyRequests)
		return
	}
	_ = json.NewEncoder(w).Encode(api.Completion{Choices: []api.Choice{{Message: api.Message{Role: api.RoleAssistant, Content: "re: " + prompt}}}})
}

func (s *limitedService) accept(prompt string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total++
	if s.accepted == s.size && s.until.IsZero() {
		s.until = time.Now().Add(s.wait)
	}
	if !s.until.IsZero() && time.Now().After(s.until) {
		s.accepted, s.seen, s.until = 0, 0, time.Time{}
	}
	s.seen++
	s.most = max(s.most, s.seen)
	if s.accepted == s.size {
		return false
	}
	s.accepted++
	s.answered[prompt]++
	return true
}

// TestBatchFollowsLimit sends rows to a service that accepts 100 requests between two
// pauses of a second. No row fails, and the service never sees more than 110.
func TestBatchFollowsLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	const rows, size = 1050, 100
	service := &limitedService{size: size, wait: time.Second, answered: map[string]int{}}
	server := httptest.NewServer(service)
	defer server.Close()
	home := t.TempDir()
	var input strings.Builder
	for i := range rows {
		fmt.Fprintf(&input, "question %d\n", i+1)
	}
	output := filepath.Join(home, "answers.jsonl")
	cmd := exec.CommandContext(t.Context(), "hobnob", "batch", "--lines", "--concurrency", "64", "-o", output)
	cmd.Env = append(os.Environ(), "HOME="+home, "AppData="+home, "LocalAppData="+home, "HOBNOB_BASE_URL="+server.URL, "HOBNOB_TOKEN=t")
	cmd.Stdin = strings.NewReader(input.String())
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	took := time.Since(start)
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(`"reply":"re: question `)); n != rows || bytes.Count(text, []byte("\n")) != rows || len(service.answered) != rows {
		t.Errorf("%d of %d rows were answered", n, rows)
	}
	for prompt, n := range service.answered {
		if n != 1 {
			t.Errorf("%q was accepted %d times", prompt, n)
		}
	}
	if service.most > size*110/100 || service.total > rows*110/100 {
		t.Errorf("the service saw up to %d requests between two pauses, and %d in total", service.most, service.total)
	}
	t.Logf("%d requests for %d rows in %s, at most %d between two pauses", service.total, rows, took.Round(100*time.Millisecond), service.most)
}
