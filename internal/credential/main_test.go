package credential

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const canary = "canary-5f0c2b1e9a"

var work = Key{"work", "https://chat.example.com"}

// TestMain makes the test binary act as the token command if HOBNOB_TEST_COMMAND is
// set.
func TestMain(m *testing.M) {
	switch os.Getenv("HOBNOB_TEST_COMMAND") {
	case "":
		os.Exit(m.Run())
	case "print":
		fmt.Fprint(os.Stdout, os.Getenv("HOBNOB_TEST_OUTPUT"))
	case "show": // a file in the working directory
		token, _ := os.ReadFile("answer")
		_, _ = os.Stdout.Write(token)
	case "where":
		dir, _ := os.Getwd()
		fmt.Fprint(os.Stdout, filepath.Base(dir), "/", os.Getenv("HOBNOB_TEST_OUTPUT"))
	case "fail":
		fmt.Fprintln(os.Stdout, canary)
		fmt.Fprintln(os.Stderr, "the store is closed")
		os.Exit(3)
	case "ask":
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "flood":
		fmt.Fprintln(os.Stdout, canary)
		fmt.Fprint(os.Stdout, strings.Repeat("more\n", 1<<18))
	case "hang":
		fmt.Fprintln(os.Stderr, "waiting")
		<-time.After(time.Minute)
	case "linger": // starts a child that keeps the output open until standard input ends
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), "HOBNOB_TEST_COMMAND=hold")
		child.Stdin, child.Stdout = os.Stdin, os.Stdout
		if err := child.Start(); err != nil {
			os.Exit(1)
		}
		fmt.Fprintln(os.Stdout, canary)
	case "hold":
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// testCommand returns a token command that runs the test binary in the given role.
func testCommand(t *testing.T, part string) []string {
	t.Setenv("HOBNOB_TEST_COMMAND", part)
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector sleeps one second at exit
	return []string{os.Args[0]}
}

// printCommand returns a token command that prints output.
func printCommand(t *testing.T, output string) []string {
	t.Setenv("HOBNOB_TEST_OUTPUT", output)
	return testCommand(t, "print")
}

// needTool skips the test if a tool is missing, or fails it with HOBNOB_TEST_REQUIRE=1.
func needTool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err == nil {
		return
	}
	if os.Getenv("HOBNOB_TEST_REQUIRE") == "1" {
		t.Fatalf("%s is not installed, and HOBNOB_TEST_REQUIRE=1", name)
	}
	t.Skipf("%s is not installed", name)
}

// memory is a working Keyring.
type memory struct {
	mu      sync.Mutex
	secrets map[string]string // by user
}

// keyringWith returns a working Keyring that contains the secrets.
func keyringWith(secrets map[string]string) *memory {
	m := &memory{secrets: map[string]string{}}
	maps.Copy(m.secrets, secrets)
	return m
}

func (m *memory) Get(service, user string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	secret, ok := m.secrets[user]
	if !ok || service != "hobnob" {
		return "", ErrNotFound
	}
	return secret, nil
}

func (m *memory) Set(_, user, secret string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.secrets[user] = secret
	return nil
}

func (m *memory) Delete(service, user string) error {
	if _, err := m.Get(service, user); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.secrets, user)
	return nil
}

// scripted is a Keyring that calls the same function for every operation.
type scripted func(op string) (string, error)

func (s scripted) Get(string, string) (string, error) { return s("get") }
func (s scripted) Set(string, string, string) error   { _, err := s("set"); return err }
func (s scripted) Delete(string, string) error        { _, err := s("delete"); return err }

func failing(err error) Keyring {
	return scripted(func(string) (string, error) { return "", err })
}

// wantReason checks that err is a KeyringError with the reason and does not contain the
// canary.
func wantReason(t *testing.T, err error, want Reason) {
	t.Helper()
	var failed *KeyringError
	if !errors.As(err, &failed) || failed.Reason != want {
		t.Errorf("got error %v, want a KeyringError with reason %q", err, want)
	}
	wantSilent(t, err)
}

// wantSilent checks that no formatting of value contains the canary.
func wantSilent(t *testing.T, value any) {
	t.Helper()
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%q", "%s", "%x", "%X", "%d", "%t", "%p"} {
		fmt.Fprintf(&out, verb+"\n", value)
		fmt.Fprintf(&out, verb+"\n", []any{value})
		fmt.Fprintf(&out, verb+"\n", struct{ hidden any }{value})
	}
	text, err := json.Marshal(map[string]any{"value": value})
	fmt.Fprintln(&out, string(text), err)
	slog.New(slog.NewTextHandler(&out, nil)).Error("x", "value", value)
	slog.New(slog.NewJSONHandler(&out, nil)).Error("x", "value", value)
	for _, form := range []string{canary, hex.EncodeToString([]byte(canary))} {
		if strings.Contains(strings.ToLower(out.String()), form) {
			t.Errorf("token shown in %s", out.String())
		}
	}
	if wrapped, ok := value.(interface{ Unwrap() error }); ok && wrapped.Unwrap() != nil {
		wantSilent(t, wrapped.Unwrap())
	}
}

// wantFiles checks the names of the files in a directory.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("directory contains %q, want %q", got, want)
	}
}
