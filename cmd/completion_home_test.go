package cmd

import (
	"bytes"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// patience is the time limit for a screen to show an expected text.
const patience = time.Minute

// offered is the number of conversations in each profile.
const offered = maxCandidates

// twins is the common prefix of two ids in each profile.
const twins = "c0ffee00"

// shellHome is a home directory with 100 conversations in two profiles. The commands
// in their titles exist, so that a test can detect that one was run.
type shellHome struct {
	t      *testing.T
	shell  string
	dir    string
	ran    string // the file to which these commands write
	env    []string
	ids    map[string][]string // by profile, in list order
	binary string
}

func newShellHome(t *testing.T, binary, shell string) *shellHome {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		skipWithout(t, shell)
	}
	h := &shellHome{t: t, shell: path, dir: t.TempDir(), ids: map[string][]string{}, binary: binary}
	outside := t.TempDir()
	h.ran = filepath.Join(outside, "ran")
	for _, name := range []string{"touch", "pwned"} {
		h.write(filepath.Join(outside, name), "#!/bin/sh\necho \"$0 $*\" >>'"+h.ran+"'\n", 0o700)
	}
	if err := os.Symlink(binary, filepath.Join(outside, "hobnob")); err != nil {
		t.Fatal(err)
	}
	h.env = []string{
		"PATH=" + outside + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + h.dir, "ZDOTDIR=" + h.dir, "XDG_CONFIG_HOME=" + h.dir,
		"HOBNOB_CONFIG=" + filepath.Join(h.dir, "config.yaml"), "HOBNOB_DATA_DIR=" + h.dir, "LC_ALL=C.UTF-8", "TERM=xterm", "GORACE=atexit_sleep_ms=0",
	}
	h.write(filepath.Join(h.dir, "config.yaml"), "profiles:\n  odd: {base_url: 'http://127.0.0.1:1'}\n  even: {base_url: 'http://127.0.0.1:1'}\n  none: {base_url: 'http://127.0.0.1:1'}\n", 0o600)
	h.fill()
	return h
}

// skipWithout skips the test because a tool is missing. With HOBNOB_TEST_REQUIRE=1, it
// fails the test.
func skipWithout(t *testing.T, tool string) {
	t.Helper()
	if os.Getenv("HOBNOB_TEST_REQUIRE") == "1" {
		t.Fatalf("%s is not installed, and HOBNOB_TEST_REQUIRE=1", tool)
	}
	t.Skipf("%s is not installed", tool)
}

func (h *shellHome) write(path, text string, mode fs.FileMode) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		h.t.Fatal(err)
	}
}

// fill writes titles without validation, as in a file from another user.
func (h *shellHome) fill() {
	h.t.Helper()
	store, err := history.Open(h.t.Context(), h.dir)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		h.t.Fatal(err)
	}
	db := openDatabase(h.t, filepath.Join(h.dir, history.FileName))
	defer func() { _ = db.Close() }()
	titles := shellTitles()
	if len(titles) != 2*offered {
		h.t.Fatalf("%d titles, want %d", len(titles), 2*offered)
	}
	for i, title := range titles {
		profile := []string{"even", "odd"}[i%2]
		id := uuid.NewSHA1(uuid.NameSpaceOID, fmt.Append(nil, i)).String()
		word := history.Short(id)
		if i/2 == offered-1 || i/2 == offered-2 {
			id = twins + id[8:]
			word = id
		}
		h.insert(db, id, title, profile, len(titles)-i)
		h.ids[profile] = append(h.ids[profile], word)
	}
}

func (h *shellHome) insert(db *sql.DB, id, title, profile string, updated int) {
	h.t.Helper()
	if _, err := db.Exec(`INSERT INTO conversations(id, title, profile, agent_id, created, updated) VALUES (?, ?, ?, '', 1, ?)`, id, title, profile, updated); err != nil {
		h.t.Fatal(err)
	}
}

// command runs a shell or hobnob in the home directory and returns its output.
func (h *shellHome) command(name string, args ...string) string {
	h.t.Helper()
	var stderr bytes.Buffer
	command := exec.CommandContext(h.t.Context(), name, args...)
	command.Dir, command.Env, command.Stderr = h.dir, h.env, &stderr
	out, err := command.Output()
	if err != nil {
		h.t.Fatalf("%s: %v: %s", command, err, &stderr)
	}
	return string(out)
}

// eachLine calls do for each line to complete, with the candidates.
func (h *shellHome) eachLine(do func(line string, ids []string)) {
	for profile, ids := range h.ids {
		for _, words := range []string{"chat -C ", "conversations show "} {
			do("hobnob -p "+profile+" "+words, ids)
		}
	}
}

// candidates requests completions as the shell scripts do: words with descriptions.
func (h *shellHome) candidates(line string) []string {
	h.t.Helper()
	args := append([]string{"__complete"}, strings.Fields(line)[1:]...)
	lines := strings.Split(h.command(h.binary, append(args, "")...), "\n")
	return lines[:len(lines)-2] // without the directive
}

// nothingRan checks that no command of a title was run.
func (h *shellHome) nothingRan() {
	h.t.Helper()
	if ran, err := os.ReadFile(h.ran); err == nil {
		h.t.Errorf("a title was run: %s", ran)
	}
	err := filepath.WalkDir(h.dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && strings.Contains(entry.Name(), "pwned") {
			h.t.Errorf("a title created %s", path)
		}
		return err
	})
	if err != nil {
		h.t.Error(err)
	}
}

// equalWords compares the words that a shell offers or inserts with ids.
func (h *shellHome) equalWords(what string, got, want []string) {
	h.t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			h.t.Errorf("%s: from word %d:\n got %q\nwant %q", what, i, got[min(i, len(got)):], want[min(i, len(want)):])
			return
		}
	}
}

// shellTerminal is an interactive shell in a terminal.
type shellTerminal struct {
	h   *shellHome
	tty *os.File

	mu      sync.Mutex
	printed []byte
}

// shellPrompt is the prompt of the shells.
const shellPrompt = "ready>"

func (h *shellHome) interactive(args ...string) *shellTerminal {
	h.t.Helper()
	command := exec.Command(h.shell, args...)
	command.Dir, command.Env = h.dir, h.env
	tty, err := pty.StartWithSize(command, &pty.Winsize{Rows: 300, Cols: 120})
	if err != nil {
		h.t.Fatal(err)
	}
	s := &shellTerminal{h: h, tty: tty}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		chunk := make([]byte, 4096)
		for {
			n, err := tty.Read(chunk)
			s.mu.Lock()
			s.printed = append(s.printed, chunk[:n]...)
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	h.t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		_ = tty.Close()
		<-ended
	})
	s.await("the prompt", func() bool { return strings.Contains(s.screen(), shellPrompt) })
	return s
}

// screen returns the output since the last list was requested.
func (s *shellTerminal) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.printed)
}

func (s *shellTerminal) press(keys string) {
	s.h.t.Helper()
	if _, err := s.tty.WriteString(keys); err != nil {
		s.h.t.Fatal(err)
	}
}

func (s *shellTerminal) await(what string, done func() bool) {
	s.h.t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.h.t.Fatalf("%s did not appear; the output is:\n%q", what, s.screen())
		}
	}
}

// list types the line and TAB TAB, and waits for a list with all ids. No title may
// reach the terminal unfiltered.
func (s *shellTerminal) list(line string, ids []string) {
	s.h.t.Helper()
	s.mu.Lock()
	s.printed = nil
	s.mu.Unlock()
	s.press("\x15" + line + "\t\t")
	s.await("the list", func() bool {
		printed := s.screen()
		return strings.Contains(printed, " pwned") && !slices.ContainsFunc(ids, func(id string) bool { return !strings.Contains(printed, id) })
	})
	for _, raw := range []string{"\x1b[31;5m", "\x1b]0;hostile", "\x1b[2Jhostile", "\u009b", "\u202e", "\u2066", "$(touch", "`touch", "$(echo", "`echo"} {
		if strings.Contains(s.screen(), raw) {
			s.h.t.Errorf("the list contains %q", raw)
		}
	}
}

// dumped presses the key that writes the line to the file "line", and returns it.
func (s *shellTerminal) dumped() string {
	s.h.t.Helper()
	file := filepath.Join(s.h.dir, "line")
	_ = os.Remove(file)
	s.press("\x18\x04")
	var line string
	s.await("the line", func() bool {
		text, err := os.ReadFile(file)
		line = strings.TrimSuffix(string(text), "\n")
		return err == nil && strings.HasSuffix(string(text), "\n")
	})
	return line
}

// completesBeginnings types prefixes of ids, which the shell completes to the id or
// to the common prefix of two ids.
func (s *shellTerminal) completesBeginnings(line string, ids []string) {
	s.h.t.Helper()
	s.press("\x15" + line + twins[:6] + "\t")
	s.equalLine(line + twins + "-")
	for _, id := range ids[:2] {
		s.press("\x15" + line + id[:6] + "\t")
		s.equalLine(line + id)
	}
}

// trap checks that a command of a title would be detected.
func (s *shellTerminal) trap() {
	s.h.t.Helper()
	s.h.nothingRan()
	s.press("\x15touch pwned\recho>pwned\r")
	for _, file := range []string{s.h.ran, filepath.Join(s.h.dir, "pwned")} {
		s.await(file, func() bool { _, err := os.Stat(file); return err == nil })
	}
}

// equalLine compares the line being edited, ignoring the space that a shell adds
// after a word.
func (s *shellTerminal) equalLine(want string) {
	s.h.t.Helper()
	if got := strings.TrimRight(s.dumped(), " "); got != strings.TrimRight(want, " ") {
		s.h.t.Errorf("the line is %q, want %q", got, want)
	}
}
