package cmd

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// Completion contacts neither the service nor the proxy nor the keyring, and does not
// run token_command.
func TestCompletionIsLocal(t *testing.T) {
	h := newWordsHome(t, buildHobnob(t), "sh")
	var asked atomic.Int32
	listen := func(network, address string) string {
		listener, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		go func() {
			for {
				connection, err := listener.Accept()
				if err != nil {
					return
				}
				asked.Add(1)
				_ = connection.Close()
			}
		}()
		return listener.Addr().String()
	}
	service := "http://" + listen("tcp", "127.0.0.1:0")
	short, err := os.MkdirTemp("", "bus") //nolint:usetesting // socket paths must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	bus := listen("unix", filepath.Join(short, "s"))
	h.env = append(h.env, "DBUS_SESSION_BUS_ADDRESS=unix:path="+bus, "XDG_RUNTIME_DIR="+short, "HTTP_PROXY="+service, "HTTPS_PROXY="+service, "DISPLAY=127.0.0.1:0")
	h.write(filepath.Join(h.dir, "config.yaml"), "profile: words\nprofiles:\n  words: {base_url: '"+service+"', token_command: [pwned], agents: {reviewer: 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f}}\n", 0o600)

	lines := []string{"hobnob", "hobnob -p", "hobnob conversations", "hobnob conversations restore", "hobnob help", "hobnob completion"}
	for _, c := range completedWords {
		words := strings.Fields(c.typed)
		lines = append(lines, strings.Join(words[:len(words)-1], " "))
	}
	for _, line := range lines {
		h.candidates(line)
	}
	h.nothingRan()
	if n := asked.Load(); n != 0 {
		t.Errorf("completion made %d requests", n)
	}
	// The counter works: listing the service's conversations needs token and service.
	command := exec.CommandContext(t.Context(), h.binary, "status")
	command.Env, command.Dir = h.env, h.dir
	_ = command.Run()
	if ran, _ := os.ReadFile(h.ran); asked.Load() == 0 && len(ran) == 0 {
		t.Error("the counter does not work")
	}
}

// BenchmarkCompletion measures the whole process that a shell starts on Tab, with
// 10,000 conversations of 30 turns.
func BenchmarkCompletion(b *testing.B) {
	dir := b.TempDir()
	binary := filepath.Join(dir, "hobnob.exe")
	if out, err := exec.Command("go", "build", "-o", binary, "github.com/hobnob-cli/hobnob").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	fillForBenchmark(b, dir)
	env := append(os.Environ(), "HOME="+dir, "HOBNOB_DATA_DIR="+dir, "HOBNOB_CONFIG="+filepath.Join(dir, "config.yaml"))
	for _, line := range []string{"chat -C |", "chat -C 00000|", "chat --at |", "chat -C 00000001 --at |", "config set |", "chat --|"} {
		b.Run(line, func(b *testing.B) {
			args := append([]string{"__complete"}, strings.Split(strings.TrimSuffix(line, "|"), " ")...)
			for b.Loop() {
				command := exec.CommandContext(b.Context(), binary, args...)
				command.Env = env
				if out, err := command.Output(); err != nil || len(out) < 10 {
					b.Fatalf("%q: %v", out, err)
				}
			}
		})
	}
}

func fillForBenchmark(b *testing.B, dir string) {
	b.Helper()
	store, err := history.Open(context.Background(), dir)
	if err != nil {
		b.Fatal(err)
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
	db := openDatabase(b, filepath.Join(dir, history.FileName))
	defer func() { _ = db.Close() }()
	const many, each = 10_000, 30
	const numbers = `WITH RECURSIVE s(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM s LIMIT %d) `
	for _, statement := range []string{
		`PRAGMA synchronous = OFF`,
		fmt.Sprintf(numbers, many) + `INSERT INTO conversations(id, title, profile, agent_id, created, updated)
			SELECT format('%08x-0000-4000-8000-000000000000', value), 'a title of some words ' || value, 'local', '', 1, value FROM s`,
		fmt.Sprintf(numbers, many*each) + fmt.Sprintf(`INSERT INTO turns(seq, id, conversation, question, reply, state, agent_id, asked, expires)
			SELECT value, format('%%08x-0000-4000-9000-000000000000', value), format('%%08x-0000-4000-8000-000000000000', 1 + value %% %d),
			'what is the question number ' || value, hex(zeroblob(200)), 'answered', '', 1, 1 FROM s`, many),
	} {
		if _, err := db.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
}
