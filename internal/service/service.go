// Package service is the embedded Agent Chat Service: an http.Handler that
// obeys the service's interface, with a store of its own. It serves the profile
// "local" inside the process and `hobnob serve` on a port. It owns the rules of
// the server's side; who answers is package agent's, and it knows neither
// hobnob's history nor its settings.
package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/agent"
)

// Agent is one agent under the address by which clients name it.
type Agent struct {
	ID   string // UUID, lower case
	Name string
	agent.Agent
}

// Builtin returns the agents that every embedded service has.
func Builtin() ([]Agent, error) {
	var agents []Agent
	for _, b := range agent.Builtins() {
		a, err := b.New()
		if err != nil {
			return nil, err
		}
		agents = append(agents, Agent{ID: b.ID, Name: b.Name, Agent: a})
	}
	return agents, nil
}

// Conversation is a row of the listing.
type Conversation struct {
	ID      string  `json:"conversation_id"`
	AgentID string  `json:"agent_id"`
	Title   string  `json:"title"`
	Created float64 `json:"created"` // seconds since 1970, with a fraction
}

// Store holds the conversations of the clients.
type Store interface {
	// Create stores a conversation of a client.
	Create(ctx context.Context, client string, c Conversation) error
	// List returns at most limit conversations of a client, newest first, and
	// whether there are more.
	List(ctx context.Context, client string, limit int) (list []Conversation, more bool, err error)
}

// Options are what a service is made of.
type Options struct {
	Store  Store
	Agents []Agent // the first answers when a request names none
	// Token is the one bearer token that is accepted; empty asks for none,
	// which is meant for a handler that no port reaches.
	Token string
	// Client owns the conversations of all requests; those of another client
	// in the same store stay unseen.
	Client string
	// Report receives failures inside the service that its client only
	// sees as an internal error; it may be nil.
	Report func(error)
}

// New returns the handler of the service.
func New(o Options) http.Handler {
	if o.Report == nil {
		o.Report = func(error) {}
	}
	h := &handler{Options: o, token: sha256.Sum256([]byte(o.Token))}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("/healthz", methodNotAllowed("GET"))
	mux.HandleFunc("POST "+chatPath, h.authorized(h.chat))
	mux.HandleFunc("GET "+chatPath, h.authorized(h.list))
	mux.HandleFunc(chatPath, methodNotAllowed("GET, POST"))
	mux.HandleFunc("GET "+conversationsPath, h.authorized(h.list))
	mux.HandleFunc(conversationsPath, methodNotAllowed("GET"))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		writeError(w, http.StatusNotFound, "not_found", "there is nothing at this path; the endpoints live under /api/v1")
	})
	return mux
}

const (
	chatPath          = "/api/v1/chat"
	conversationsPath = "/api/v1/conversations"
)

type handler struct {
	Options
	token [sha256.Size]byte // the hash of Token
}

// authorized lets a request through that carries the token. Tokens are compared
// by their hashes in constant time.
func (h *handler) authorized(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		sum := sha256.Sum256([]byte(token))
		if h.Token != "" && (!strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], h.token[:]) != 1) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="Agent Chat Service"`)
			writeError(w, http.StatusUnauthorized, "unauthorized", "the bearer token is missing or not valid")
			return
		}
		next(w, r)
	}
}

func methodNotAllowed(allow string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", allow)
		writeError(w, http.StatusMethodNotAllowed, "method_not_allowed", r.Method+" is not allowed here")
	}
}

// NewToken makes a bearer token of 256 random bits.
func NewToken() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails since Go 1.24
	return "hobnob_" + hex.EncodeToString(raw[:])
}
