package cmd

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hobnob-cli/hobnob/internal/agent"
	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/service"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

// faultyService is the embedded service with a recorder and a switch for faults.
//
// The kinds of fault:
//
//	none                         answer normally
//	status CODE [Header:value…] [FILE]   respond with this status and body; times=N limits it to N requests
//	body FILE                    respond with 200 and the file as JSON
//	replies FILE|hang…           answer with the texts of the files, in order; the last one repeats
//	no-listing CODE              respond to GET /api/v1/conversations with this status
//	listing FILE                 respond to GET with 200 and the file
//	hang                         never respond
//	delay DURATION               answer after this time
//	hold                         answer when another fault is set
//	reset                        read the request and reset the connection
//	truncate                     send half of the answer and close the connection
//	redirect URL                 respond with 307
type faultyService struct {
	handler http.Handler
	server  *httptest.Server
	done    chan struct{}

	signalled *exec.Cmd // the last command to which the script sent a signal

	mu       sync.Mutex
	changed  *sync.Cond
	requests []request
	fault    []string
	times    int // number of requests that still fail; -1 for all
	expiring *expiringToken
	accepted []string // questions that were answered while tokens expire
}

type request struct {
	method, target string
	header         http.Header
	body           string
}

func startService(ts *testscript.TestScript, neg bool, args []string) {
	secure := len(args) > 0 && args[0] == "-tls"
	s, err := newFaultyService(secure)
	ts.Check(err)
	ts.Defer(s.close)
	ts.Setenv("URL", s.server.URL)
	ts.Setenv("GUIDE", agent.GuideID)
	ts.Setenv("ECHO", agent.EchoID)
	if secure {
		ts.Check(os.WriteFile(ts.MkAbs("ca.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.server.Certificate().Raw}), 0o600))
	}
	services.Store(ts.Getenv("WORK"), s)
	ts.Defer(func() { services.Delete(ts.Getenv("WORK")) })
}

// services holds the services of scripts by work directory.
var services sync.Map

func serviceOf(ts *testscript.TestScript) *faultyService {
	s, ok := services.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("no service was started")
	}
	return s.(*faultyService)
}

// newFaultyService starts a service on loopback that accepts the token "t".
func newFaultyService(secure bool) (*faultyService, error) {
	store, err := service.OpenSQLite(context.Background(), sqlite.Memory)
	if err != nil {
		return nil, err
	}
	agents, err := service.Builtin()
	if err != nil {
		return nil, err
	}
	s := &faultyService{done: make(chan struct{}), fault: []string{"none"}}
	s.changed = sync.NewCond(&s.mu)
	s.handler = service.New(service.Options{Store: store, Token: "t", Agents: agents})
	s.server = httptest.NewUnstartedServer(s)
	if secure {
		s.server.StartTLS()
	} else {
		s.server.Start()
	}
	return s, nil
}

func (s *faultyService) close() {
	close(s.done)
	s.set("none")
	s.server.CloseClientConnections()
	s.server.Close()
}

func (s *faultyService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	s.mu.Lock()
	s.requests = append(s.requests, request{r.Method, r.URL.RequestURI(), r.Header.Clone(), string(body)})
	fault := s.fault
	if s.times == 0 {
		fault = []string{"none"}
	} else if s.times > 0 {
		s.times--
	}
	if len(fault) > 2 && fault[0] == "replies" && r.Method == http.MethodPost {
		s.fault = append([]string{"replies"}, fault[2:]...)
	}
	s.changed.Broadcast()
	s.mu.Unlock()
	if fault[0] == "replies" && fault[1] == "hang" {
		fault = fault[1:]
	}
	if fault[0] == "expire" {
		s.serveWithExpiry(w, r, string(body))
		return
	}
	s.answer(w, r, fault)
}

// serve answers a request without a fault.
func (s *faultyService) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	handler := s.handler
	s.mu.Unlock()
	handler.ServeHTTP(w, r)
}

func (s *faultyService) answer(w http.ResponseWriter, r *http.Request, fault []string) {
	switch kind, args := fault[0], fault[1:]; kind {
	case "status":
		code, _ := strconv.Atoi(args[0])
		var body string
		for _, arg := range args[1:] {
			if name, value, ok := strings.Cut(arg, ":"); ok && !strings.ContainsAny(name, "{<") {
				w.Header().Set(name, value)
			} else {
				body = arg
			}
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	case "body":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, args[0])
	case "replies":
		if r.Method != http.MethodPost {
			s.serve(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(api.Completion{
			ID: "i", ConversationID: "s", Object: "chat.completion", Created: "1.5", Model: "m",
			Choices: []api.Choice{{Message: api.Message{Role: api.RoleAssistant, Content: args[0]}, FinishReason: "stop"}},
		})
	case "no-listing":
		if strings.HasPrefix(r.URL.Path, "/api/v1/conversations") {
			code, _ := strconv.Atoi(args[0])
			w.WriteHeader(code)
			return
		}
		s.serve(w, r)
	case "listing":
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, args[0])
			return
		}
		s.serve(w, r)
	case "hang":
		select {
		case <-s.done:
		case <-r.Context().Done():
		}
	case "delay":
		wait, _ := time.ParseDuration(args[0])
		select {
		case <-time.After(wait):
		case <-s.done:
		}
		s.serve(w, r)
	case "hold":
		s.mu.Lock()
		for s.fault[0] == "hold" {
			s.changed.Wait()
		}
		s.mu.Unlock()
		s.serve(w, r)
	case "reset":
		drop(w, nil)
	case "close": // an orderly end without an answer
		if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = conn.Close()
		}
	case "truncate":
		answer := httptest.NewRecorder()
		s.serve(answer, r)
		drop(w, answer)
	case "redirect":
		http.Redirect(w, r, args[0], http.StatusTemporaryRedirect)
	default:
		s.serve(w, r)
	}
}

// drop closes the connection, after half of the answer unless that is nil.
func drop(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	if tcp, ok := conn.(*net.TCPConn); ok && answer == nil {
		_ = tcp.SetLinger(0) // resets the connection
	}
	if answer != nil {
		body := answer.Body.String()
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:len(body)/2])
	}
}

func setFault(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: fault KIND [ARG…]")
	}
	s := serviceOf(ts)
	times := -1
	fault := []string{args[0]}
	for _, arg := range args[1:] {
		if text, ok := strings.CutPrefix(arg, "times="); ok {
			times = number(ts, text)
			continue
		}
		// The name of a file is replaced with its content.
		if data, err := os.ReadFile(ts.MkAbs(arg)); err == nil && !strings.Contains(arg, ":") {
			arg = string(data)
		}
		fault = append(fault, arg)
	}
	s.setFault(fault, times)
}

// set sets a fault without arguments for all requests.
func (s *faultyService) set(kind string) { s.setFault([]string{kind}, -1) }

func (s *faultyService) setFault(fault []string, times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.times = fault, times
	s.changed.Broadcast()
}

func writeRequests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: requests FILE")
	}
	s := serviceOf(ts)
	s.mu.Lock()
	defer s.mu.Unlock()
	var out strings.Builder
	for _, r := range s.requests {
		fmt.Fprintf(&out, "%s %s\n", r.method, r.target)
		for _, name := range []string{"Authorization", "Content-Type", "Idempotency-Key"} {
			if value := r.header.Get(name); value != "" {
				fmt.Fprintf(&out, "%s: %s\n", name, value)
			}
		}
		if r.body != "" {
			fmt.Fprintf(&out, "%s\n", r.body)
		}
	}
	s.requests = nil
	ts.Check(os.WriteFile(filepath.Clean(ts.MkAbs(args[0])), []byte(out.String()), 0o600))
}

func awaitRequests(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await N")
	}
	if !serviceOf(ts).await(number(ts, args[0]), 30*time.Second) {
		ts.Fatalf("fewer than %s requests were received", args[0])
	}
}

// await waits until n requests have been received, and reports whether they were
// within the time limit.
func (s *faultyService) await(n int, limit time.Duration) bool {
	timer := time.AfterFunc(limit, s.changed.Broadcast)
	defer timer.Stop()
	deadline := time.Now().Add(limit)
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.requests) < n {
		if time.Now().After(deadline) {
			return false
		}
		s.changed.Wait()
	}
	return true
}
