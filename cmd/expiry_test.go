package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hobnob-cli/hobnob/internal/api"
)

// expiringToken is a token that expires after a number of requests, and then is
// replaced in a file. It does not expire again while a question that was refused has not
// been sent again, as a real token, which expires at one time for all requests.
type expiringToken struct {
	path    string
	secret  string
	issued  int
	each    int            // number of requests of one token
	left    int            // of this token
	refused map[string]int // bodies of questions
}

func (e *expiringToken) issue() error {
	e.issued++
	e.left, e.secret = e.each, fmt.Sprintf("expiring-token-%04d", e.issued)
	if err := os.WriteFile(e.path+".new", []byte(e.secret+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(e.path+".new", e.path) // a reader never finds an incomplete token
}

// admit gives a request with the current token the token of the service.
func (e *expiringToken) admit(r *http.Request, body string) {
	current := r.Header.Get("Authorization") == "Bearer "+e.secret
	switch {
	case !current || e.left <= 0 && len(e.refused) == 0:
		e.refused[body]++
		if current {
			_ = e.issue() // without a new token, the script fails
		}
		return
	case e.refused[body] > 1:
		e.refused[body]--
	default:
		delete(e.refused, body)
	}
	e.left--
	r.Header.Set("Authorization", "Bearer t")
}

// serveWithExpiry answers a request with the real service, with the status 401 if its
// token has expired.
func (s *faultyService) serveWithExpiry(w http.ResponseWriter, r *http.Request, body string) {
	s.mu.Lock()
	s.expiring.admit(r, body)
	s.mu.Unlock()
	answer := httptest.NewRecorder()
	s.serve(answer, r)
	var question api.Request
	if answer.Code == http.StatusOK && json.Unmarshal([]byte(body), &question) == nil {
		s.mu.Lock()
		s.accepted = append(s.accepted, question.Messages[len(question.Messages)-1].Content)
		s.mu.Unlock()
	}
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

// expireTokens makes the service accept the token in a file for N requests, and then
// another one.
func expireTokens(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: expire N FILE")
	}
	s := serviceOf(ts)
	token := &expiringToken{path: filepath.Clean(ts.MkAbs(args[1])), each: number(ts, args[0]), refused: map[string]int{}}
	ts.Check(token.issue())
	s.mu.Lock()
	s.expiring, s.accepted = token, nil
	s.mu.Unlock()
	s.set("expire")
}

// writeAccepted writes the questions that were answered since the token began to expire,
// one on each line, in the order of the answers.
func writeAccepted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: accepted FILE")
	}
	s := serviceOf(ts)
	s.mu.Lock()
	defer s.mu.Unlock()
	var out strings.Builder
	for _, question := range s.accepted {
		fmt.Fprintln(&out, question)
	}
	ts.Check(os.WriteFile(filepath.Clean(ts.MkAbs(args[0])), []byte(out.String()), 0o600))
}
