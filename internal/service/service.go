// Package service is the embedded Agent Chat Service: an http.Handler that implements
// the service's interface, and its store. It is used by the profile "local" inside the
// process and by `hobnob serve` on a port. The agents are in package agent.
package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/agent"
)

// Agent is an agent with its id and name.
type Agent struct {
	ID   string // UUID, lower case
	Name string
	agent.Agent
}

// Builtin returns the built-in agents.
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

// Store stores the conversations of clients.
type Store interface {
	// Create stores a conversation of a client.
	Create(ctx context.Context, client string, c Conversation) error
	// List returns up to limit conversations of a client, newest first, and
	// whether there are more.
	List(ctx context.Context, client string, limit int) (list []Conversation, more bool, err error)
}

// Options configures a service.
type Options struct {
	Store  Store
	Agents []Agent // the first one is the default
	// Token is the accepted bearer token. If it is empty, none is required, which
	// is meant for a handler without a port.
	Token string
	// Client is the owner of the conversations of all requests. Conversations of
	// other clients in the store are not listed.
	Client string
	// Report is called with failures that the client sees only as an internal
	// error. It may be nil.
	Report func(error)
}

// New returns the handler of the service.
func New(o Options) http.Handler {
	if o.Report == nil {
		o.Report = func(error) {}
	}
	h := &handler{Options: o, token: sha256.Sum256([]byte(o.Token))}
	endpoints := map[string]map[string]http.HandlerFunc{
		"/healthz": {http.MethodGet: func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
		}},
		chatPath:          {http.MethodGet: h.authorized(h.list), http.MethodPost: h.authorized(h.chat)},
		conversationsPath: {http.MethodGet: h.authorized(h.list)},
	}
	// Not an http.ServeMux, which would redirect paths such as //api/v1/chat, from
	// clients that join base URL and path with two slashes, even without a token.
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		methods, found := endpoints[path.Clean(r.URL.Path)]
		if !found {
			writeError(w, http.StatusNotFound, "not_found", "path not found; the endpoints are under /api/v1")
			return
		}
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if serve := methods[method]; serve != nil {
			serve(w, r)
			return
		}
		w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(methods)), ", "))
		writeError(w, http.StatusMethodNotAllowed, "method_not_allowed", r.Method+" is not allowed here")
	})
}

const (
	chatPath          = "/api/v1/chat"
	conversationsPath = "/api/v1/conversations"
)

type handler struct {
	Options
	token [sha256.Size]byte // the hash of Token
}

// authorized returns a handler that requires the token. It compares hashes of tokens
// in constant time.
func (h *handler) authorized(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		sum := sha256.Sum256([]byte(token))
		if h.Token != "" && (!strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], h.token[:]) != 1) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="Agent Chat Service"`)
			writeError(w, http.StatusUnauthorized, "unauthorized", "the bearer token is missing or invalid")
			return
		}
		next(w, r)
	}
}

// minToken is the minimum length of a token that the user chooses.
const minToken = 16

// CheckToken returns an error for a token that is too short to be secure.
func CheckToken(token string) error {
	if len(token) < minToken {
		return fmt.Errorf("too short: %d characters, the minimum is %d", len(token), minToken)
	}
	return nil
}

// NewToken returns a new bearer token with 256 random bits.
func NewToken() string {
	var raw [32]byte
	_, _ = rand.Read(raw[:]) // never fails since Go 1.24
	return "hobnob_" + hex.EncodeToString(raw[:])
}
