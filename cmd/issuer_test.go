package cmd

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

// issuer is the OpenID provider of github.com/zitadel/oidc with its example storage. It
// has the public client "hobnob", rotates refresh tokens, and accepts each once.
type issuer struct {
	*storage.Storage
	server   *httptest.Server
	provider http.Handler

	mu       sync.Mutex
	requests []string
	lifetime time.Duration        // of new access tokens
	access   map[string]time.Time // id and expiry of valid access tokens
	refresh  map[string]*storage.RefreshToken
	fault    string
	answers  map[string]string // bodies by path
	times    int               // number of requests that have the fault
	interval time.Duration
	asked    time.Time // when hobnob last asked whether a code was approved
}

const issuerUsage = `usage: issuer VERB [ARG…]
	start               start the issuer; sets ISSUER; the service accepts its tokens
	approve|deny FILE   approve or deny the login whose code hobnob has printed to FILE
	lifetime DURATION   let new access tokens expire after this time
	expire              let all access tokens expire
	revoke              revoke all refresh tokens
	slow DURATION       require this time between requests for the result of a login
	fault KIND [N]      fail requests, or N of them: down, lost (tokens), expired (codes), none
	answer PATH FILE    respond to requests of PATH with FILE, in which ISSUER is replaced
	requests FILE       write the received requests to FILE`

// issuers holds the issuers of scripts by work directory.
var issuers sync.Map

func runIssuer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf(issuerUsage)
	}
	verb, arg := args[0], strings.Join(args[1:], " ")
	if verb == "start" {
		s, err := newIssuer()
		ts.Check(err)
		ts.Defer(s.server.Close)
		issuers.Store(ts.Getenv("WORK"), s)
		ts.Defer(func() { issuers.Delete(ts.Getenv("WORK")) })
		ts.Setenv("ISSUER", s.server.URL)
		serviceOf(ts).accepts(s.server.URL)
		return
	}
	found, ok := issuers.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("no issuer was started")
	}
	s := found.(*issuer)
	if verb == "approve" || verb == "deny" {
		ts.Check(answerLogin(ts.ReadFile(arg), verb))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch verb {
	case "lifetime":
		lifetime, err := time.ParseDuration(arg)
		ts.Check(err)
		s.lifetime = lifetime
	case "expire":
		clear(s.access)
	case "revoke":
		clear(s.refresh)
	case "slow":
		interval, err := time.ParseDuration(arg)
		ts.Check(err)
		s.interval = interval
	case "fault":
		s.fault, s.times = args[1], -1
		if len(args) > 2 {
			s.times = number(ts, args[2])
		}
	case "answer":
		s.answers[args[1]] = strings.ReplaceAll(ts.ReadFile(args[2]), "ISSUER", s.server.URL)
	case "requests":
		ts.Check(os.WriteFile(ts.MkAbs(arg), []byte(strings.Join(s.requests, "")), 0o600))
		s.requests = nil
	default:
		ts.Fatalf(issuerUsage)
	}
}

func newIssuer() (*issuer, error) {
	s := &issuer{lifetime: time.Hour, access: map[string]time.Time{}, answers: map[string]string{}, refresh: map[string]*storage.RefreshToken{}}
	s.server = httptest.NewUnstartedServer(s)
	address := "http://" + s.server.Listener.Addr().String()
	s.Storage = storage.NewStorageWithClients(storage.NewUserStore(address), map[string]*storage.Client{"hobnob": storage.DeviceClient("hobnob", "")})
	provider, err := op.NewProvider(&op.Config{
		CryptoKey: sha256.Sum256([]byte("key")), GrantTypeRefreshToken: true,
		DeviceAuthorization: op.DeviceAuthorizationConfig{Lifetime: 5 * time.Minute, PollInterval: time.Second, UserFormPath: "/device", UserCode: op.UserCodeBase20},
	}, s, op.StaticIssuer(address), op.WithAllowInsecure(), op.WithLogger(slog.New(slog.DiscardHandler)))
	s.provider = provider
	s.server.Start()
	return s, err
}

func (s *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	form, _ := url.ParseQuery(string(body))
	s.mu.Lock()
	line := r.Method + " " + r.URL.Path
	if grant := form.Get("grant_type"); grant != "" {
		line += " " + grant[strings.LastIndex(grant, ":")+1:]
	}
	if r.URL.Path != "/userinfo" && r.URL.Path != "/device" {
		s.requests = append(s.requests, line+"\n")
	}
	fault, answer := s.fault, s.answers[r.URL.Path]
	if s.times == 0 {
		fault = "none"
	} else if s.times > 0 && r.URL.Path != "/userinfo" {
		s.times--
	}
	s.mu.Unlock()
	switch {
	case r.URL.Path == "/device":
		s.page(w, form)
	case fault == "down" && r.URL.Path != "/userinfo":
		w.WriteHeader(http.StatusServiceUnavailable)
	case fault == "lost" && r.URL.Path == "/oauth/token":
		s.provider.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case answer != "":
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	default:
		s.provider.ServeHTTP(w, r)
	}
}

// page is the page where the user enters the code.
func (s *issuer) page(w http.ResponseWriter, form url.Values) {
	err := s.CompleteDeviceAuthorization(context.Background(), form.Get("user_code"), "id1")
	if err == nil && form.Get("action") == "deny" {
		err = s.DenyDeviceAuthorization(context.Background(), form.Get("user_code"))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}

var printedLogin = regexp.MustCompile(`(?s)open this address in a browser, on any device: (\S+)\n.*enter the code: (\S+)\n`)

// answerLogin does what the user does in the browser.
func answerLogin(printed, action string) error {
	login := printedLogin.FindStringSubmatch(printed)
	if login == nil {
		return fmt.Errorf("no code in %q", printed)
	}
	response, err := http.PostForm(login[1], url.Values{"user_code": {login[2]}, "action": {action}})
	if err == nil {
		_ = response.Body.Close()
		if response.StatusCode != http.StatusOK {
			err = errors.New(response.Status)
		}
	}
	return err
}

// publicClient is a client without a secret that gets refresh tokens.
type publicClient struct{ op.Client }

func (publicClient) AuthMethod() oidc.AuthMethod         { return oidc.AuthMethodNone }
func (publicClient) ApplicationType() op.ApplicationType { return op.ApplicationTypeNative }
func (publicClient) GrantTypes() []oidc.GrantType {
	return []oidc.GrantType{oidc.GrantTypeDeviceCode, oidc.GrantTypeRefreshToken}
}

func (s *issuer) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	client, err := s.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, oidc.ErrInvalidClient().WithParent(err)
	}
	return publicClient{client}, nil
}

// GetDeviceAuthorizatonState lets hobnob ask only once in each interval.
func (s *issuer) GetDeviceAuthorizatonState(ctx context.Context, client, code string) (*op.DeviceAuthorizationState, error) {
	state, err := s.Storage.GetDeviceAuthorizatonState(ctx, client, code)
	s.mu.Lock()
	defer s.mu.Unlock()
	early := time.Since(s.asked) < s.interval
	s.asked = time.Now()
	switch {
	case err != nil:
		return nil, err
	case early:
		return nil, context.DeadlineExceeded // becomes slow_down
	case s.fault == "expired":
		expired := *state
		expired.Expires, expired.Done = time.Now().Add(-time.Second), false
		return &expired, nil
	}
	return state, nil
}

// CreateAccessAndRefreshTokens replaces the refresh token, which becomes invalid.
func (s *issuer) CreateAccessAndRefreshTokens(_ context.Context, request op.TokenRequest, current string) (id, refresh string, expiry time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.refresh[current]; current != "" && !ok {
		return "", "", expiry, oidc.ErrInvalidGrant()
	}
	delete(s.refresh, current)
	id, refresh, expiry = uuid.NewString(), "refresh-"+uuid.NewString(), time.Now().Add(s.lifetime)
	s.access[id] = expiry
	s.refresh[refresh] = &storage.RefreshToken{
		ID: refresh, Token: refresh, UserID: request.GetSubject(), ApplicationID: "hobnob", Audience: request.GetAudience(), Scopes: request.GetScopes(), AccessToken: id,
	}
	return id, refresh, expiry, nil
}

func (s *issuer) CreateAccessToken(_ context.Context, request op.TokenRequest) (string, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := uuid.NewString()
	s.access[id] = time.Now().Add(s.lifetime)
	return id, s.access[id], nil
}

func (s *issuer) TokenRequestByRefreshToken(_ context.Context, token string) (op.RefreshTokenRequest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.refresh[token]
	if !ok {
		return nil, errors.New("invalid refresh token")
	}
	return storage.RefreshTokenRequestFromBusiness(found), nil
}

func (s *issuer) GetRefreshTokenInfo(_ context.Context, _, token string) (user, id string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.refresh[token]; !ok {
		return "", "", op.ErrInvalidRefreshToken
	}
	return "id1", token, nil
}

func (s *issuer) RevokeToken(_ context.Context, id, _, _ string) *oidc.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok := s.refresh[id]; ok {
		delete(s.access, found.AccessToken)
	}
	delete(s.refresh, id)
	delete(s.access, id)
	return nil
}

func (s *issuer) SetUserinfoFromToken(_ context.Context, info *oidc.UserInfo, id, subject, _ string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().After(s.access[id]) {
		return errors.New("the token has expired")
	}
	info.Subject = subject
	return nil
}

// accepts makes the service accept the tokens of the issuer at address, which it asks
// about each, instead of the token t.
func (s *faultyService) accepts(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.handler
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ask, err := http.NewRequestWithContext(r.Context(), http.MethodGet, address+"/userinfo", nil)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		ask.Header.Set("Authorization", r.Header.Get("Authorization"))
		answer, err := http.DefaultClient.Do(ask)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		_ = answer.Body.Close()
		r.Header.Set("Authorization", "Bearer refused")
		if answer.StatusCode == http.StatusOK {
			r.Header.Set("Authorization", "Bearer t")
		}
		next.ServeHTTP(w, r)
	})
}
