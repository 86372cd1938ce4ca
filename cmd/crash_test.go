package cmd

import (
	"bytes"
	"context"
	"crypto/tls"
	"database/sql"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/api"
)

// build builds the hobnob binary once for all tests, in a directory that removingBuild
// removes.
var build = sync.OnceValues(func() (binary string, err error) {
	dir, err := os.MkdirTemp("", "hobnob-build")
	if err != nil {
		return "", err
	}
	buildDir = dir
	binary = filepath.Join(dir, "hobnob.exe")
	if out, err := exec.Command("go", "build", "-o", binary, "github.com/hobnob-cli/hobnob").CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return binary, nil
})

var buildDir string // empty if nothing was built

// removingBuild runs the tests and removes what build has created.
type removingBuild struct{ *testing.M }

func (r removingBuild) Run() int {
	defer func() {
		if buildDir != "" {
			_ = os.RemoveAll(buildDir)
		}
	}()
	return r.M.Run()
}

// buildHobnob returns the path of the hobnob binary.
func buildHobnob(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts many processes")
	}
	if _, err := exec.LookPath("go"); err != nil {
		if os.Getenv("HOBNOB_TEST_REQUIRE") == "1" {
			t.Fatal("the go command is not installed, and HOBNOB_TEST_REQUIRE=1")
		}
		t.Skip("the go command is not installed")
	}
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}

// crashService answers each prompt with a text derived from it when the test
// releases it.
type crashService struct {
	mu       sync.Mutex
	seen     map[string]int // number of requests by prompt
	received chan string    // prompts in the order of arrival
	release  chan struct{}  // each value releases one answer
	idle     chan struct{}  // an answer is written
}

func (s *crashService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request api.Request
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	prompt := request.Messages[len(request.Messages)-1].Content
	s.mu.Lock()
	s.seen[prompt]++
	s.mu.Unlock()
	s.received <- prompt
	<-s.release
	_ = json.NewEncoder(w).Encode(api.Completion{
		ID: uuid.NewString(), ConversationID: uuid.NewString(), Object: "chat.completion", Created: "1.5", Model: "m",
		Choices: []api.Choice{{Message: api.Message{Role: api.RoleAssistant, Content: answerTo(prompt)}, FinishReason: "stop"}},
	})
}

// answerTo returns an answer that is larger than a pipe buffer, so that printing it
// blocks without a reader.
func answerTo(prompt string) string {
	return strings.Repeat("the answer to "+prompt+"\n", 8000)
}

// Kills hobnob with SIGKILL at four points of an exchange: before the request is sent,
// in flight, after the reply arrived and before it is committed, and after it is
// committed and before it is printed.
func TestKillAtAnyStageLosesNothing(t *testing.T) {
	const rounds = 50
	binary := buildHobnob(t)
	home := t.TempDir()
	database := filepath.Join(home, "history.db")

	s := &crashService{seen: map[string]int{}, received: make(chan string), release: make(chan struct{}), idle: make(chan struct{}, 1)}
	handshakes := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(s)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateIdle {
			s.idle <- struct{}{}
		}
	}
	server.TLS = &tls.Config{}
	server.StartTLS()
	defer server.Close()
	ca := filepath.Join(home, "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	// The second service accepts connections and never answers the TLS handshake, so
	// its requests stay unsent.
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			handshakes <- struct{}{}
		}
	}()
	config := fmt.Sprintf("profile: tls\nprofiles:\n  tls: {base_url: %q, ca_file: %q}\n  silent: {base_url: %q}\n", server.URL, ca, "https://"+silent.Addr().String())
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}

	var previous string // the conversation to continue
	begin := func(profile, prompt string) (*exec.Cmd, *os.File) {
		t.Helper()
		args := []string{"-q", "-p", profile, "chat", "--history", "1", prompt}
		if previous != "" && profile == "tls" {
			args = append(args, "-C", previous)
		}
		command := exec.Command(binary, args...)
		command.Env = []string{"HOME=" + home, "HOBNOB_CONFIG=" + filepath.Join(home, "config.yaml"), "HOBNOB_DATA_DIR=" + home, "HOBNOB_TOKEN=t"}
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		command.Stdout = write
		command.Stderr = os.Stderr
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		_ = write.Close()
		t.Cleanup(func() { _ = command.Process.Kill() })
		return command, read
	}
	kill := func(command *exec.Cmd, stdout *os.File) {
		t.Helper()
		_ = command.Process.Kill()
		_ = command.Wait()
		_ = stdout.Close()
	}
	wait := func(what string, c <-chan struct{}) {
		t.Helper()
		select {
		case <-c:
		case <-time.After(time.Minute):
			t.Fatalf("%s did not happen", what)
		}
	}
	receive := func() {
		t.Helper()
		select {
		case <-s.received:
		case <-time.After(time.Minute):
			t.Fatal("no request was received")
		}
	}

	stages := map[string]struct {
		profile, state string
		sent           int
		run            func(command *exec.Cmd, stdout *os.File)
	}{
		"before it is sent": {"silent", "pending", 0, func(command *exec.Cmd, stdout *os.File) {
			wait("the connection", handshakes)
			kill(command, stdout)
		}},
		"in flight": {"tls", "pending", 1, func(command *exec.Cmd, stdout *os.File) {
			receive()
			kill(command, stdout)
			s.release <- struct{}{}
		}},
		"after the reply": {"tls", "pending", 1, func(command *exec.Cmd, stdout *os.File) {
			receive()
			unlock := holdWriteLock(t, database)
			s.release <- struct{}{}
			wait("the answer", s.idle)
			kill(command, stdout)
			unlock()
		}},
		"before it is printed": {"tls", "answered", 1, func(command *exec.Cmd, stdout *os.File) {
			receive()
			s.release <- struct{}{}
			wait("the answer", s.idle)
			if _, err := stdout.Read(make([]byte, 1)); err != nil {
				t.Errorf("nothing was printed: %v", err)
			}
			kill(command, stdout)
		}},
	}
	type turn struct {
		state string
		sent  int
	}
	want := map[string]turn{}
	for round := range rounds {
		for name, stage := range stages {
			prompt := fmt.Sprintf("%s, round %d", name, round)
			command, stdout := begin(stage.profile, prompt)
			stage.run(command, stdout)
			want[prompt] = turn{stage.state, stage.sent}
			drain(s.idle)
		}
		if previous == "" {
			previous = conversationOf(t, database, "before it is printed, round 0")
		}
	}

	db := openDatabase(t, database)
	var result string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&result); err != nil || result != "ok" {
		t.Errorf("integrity check: %s, %v", result, err)
	}
	rows, err := db.Query("SELECT question, state, coalesce(reply, '') FROM turns")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	found := 0
	for rows.Next() {
		var question, state, reply string
		if err := rows.Scan(&question, &state, &reply); err != nil {
			t.Fatal(err)
		}
		found++
		expected, ok := want[question]
		if !ok || state != expected.state {
			t.Errorf("%q is %s, want %s", question, state, expected.state)
		}
		if state == "answered" && reply != answerTo(question) {
			t.Errorf("the answer to %q is incomplete", question)
		}
	}
	if found != len(want) || rows.Err() != nil {
		t.Errorf("the history has %d of %d questions, %v", found, len(want), rows.Err())
	}
	for prompt, turn := range want {
		if s.seen[prompt] != turn.sent {
			t.Errorf("the service saw %q %d times, want %d", prompt, s.seen[prompt], turn.sent)
		}
	}
	t.Logf("killed %d times", found)
}

func drain(c chan struct{}) {
	select {
	case <-c:
	default:
	}
}

func openDatabase(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_busy_timeout=30000&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func conversationOf(t *testing.T, path, question string) string {
	t.Helper()
	db := openDatabase(t, path)
	defer func() { _ = db.Close() }()
	var id string
	if err := db.QueryRow("SELECT conversation FROM turns WHERE question = ?", question).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// holdWriteLock prevents other processes from committing.
func holdWriteLock(t *testing.T, path string) (unlock func()) {
	t.Helper()
	db := openDatabase(t, path)
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = tx.Rollback()
		_ = db.Close()
	}
}

// 20 processes at a time, 50 each, continue the same conversation.
func TestConcurrentProcessesContinueConversation(t *testing.T) {
	const processes, each = 20, 50
	binary := buildHobnob(t)
	home := t.TempDir()
	s, err := newFaultyService(false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	ask := func(args ...string) (string, string, error) {
		command := exec.Command(binary, append([]string{"-q", "chat", "-a", "6f1d3c52-7c1e-4b0a-9a57-2f0c4f6a1e02"}, args...)...)
		command.Env = []string{"HOME=" + home, "HOBNOB_BASE_URL=" + s.server.URL, "HOBNOB_TOKEN=t"}
		var stdout, stderr bytes.Buffer
		command.Stdout, command.Stderr = &stdout, &stderr
		err := command.Run()
		return stdout.String(), stderr.String(), err
	}
	if _, stderr, err := ask("--title", "shared", "root"); err != nil {
		t.Fatal(err, stderr)
	}
	var wg sync.WaitGroup
	for p := range processes {
		wg.Go(func() {
			for i := range each {
				prompt := fmt.Sprintf("question %d of process %d", i, p)
				stdout, stderr, err := ask("-C", "shared", "--history", "2", prompt)
				// Concurrent questions get a note about the branch and nothing else.
				expected := stderr == "" || strings.HasPrefix(stderr, "hobnob: warning: another question in this conversation ") && strings.Count(stderr, "\n") == 1
				if err != nil || stdout != prompt+"\n" || !expected {
					t.Errorf("%s: %q, %q, %v", prompt, stdout, stderr, err)
				}
			}
		})
	}
	wg.Wait()
	db := openDatabase(t, filepath.Join(home, ".local", "share", "hobnob", "history.db"))
	var turns, questions, orphans int
	if err := db.QueryRow(`SELECT count(*), count(DISTINCT question), sum(parent IS NULL) FROM turns WHERE state = 'answered' AND reply = question`).Scan(&turns, &questions, &orphans); err != nil {
		t.Fatal(err)
	}
	if turns != processes*each+1 || questions != turns || orphans != 1 {
		t.Errorf("%d turns, %d different questions, %d roots; want %d of each, 1 root", turns, questions, orphans, processes*each+1)
	}
}
