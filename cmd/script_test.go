package cmd

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(removingBuild{m}, map[string]func(){"hobnob": func() { os.Exit(recorded()) }})
}

// TestScripts runs the scripts in testdata/script, which document the behaviour. Each
// `hobnob` is a separate process that runs Main, and the service is the embedded one
// with a switch for faults.
//
// Commands in addition to those of testscript:
//
//	service [-tls]                      start a service that accepts the token t; sets URL, GUIDE, ECHO
//	fault KIND [ARG…]                   set the fault of the next requests; see faultyService
//	issuer VERB [ARG…]                  start and control an OAuth issuer; see issuerUsage
//	network KIND NAME [ARG…]            start a server, such as a proxy; see startNetwork
//	requests FILE                       write the received requests to FILE
//	expire N FILE                       accept the token in FILE for N requests, then replace it by another one
//	accepted FILE                       write the questions that were answered since expire to FILE
//	await N                             wait until N requests have been received
//	until FILE REGEXP                   wait until a file, to which a command in the background writes, matches
//	code N CMD [ARG…]                   run a command that must exit with N
//	signal NAME                         send a signal to the last command in the background
//	exited N                            after wait, check that this command exited with N
//	sql FILE STATEMENT                  run a statement in a database and print the rows
//	damage FILE OFFSET LENGTH           overwrite part of a file with zeros
//	need TOOL…                          with HOBNOB_TEST_REQUIRE=1, fail if a tool is missing
//	terminal [-in FILE] [-until REGEXP] FILE CMD ARG…
//	                                    run a command on a terminal of 80×24 and write its output to FILE;
//	                                    -until ends the fault when the output matches
//	follow DOCUMENT SECTION             write and run the blocks of a section of docs/DOCUMENT
//	replace FILE REGEXP TEXT            replace text that differs between runs
func TestScripts(t *testing.T) {
	records := t.TempDir()
	t.Cleanup(func() { checkContract(t, records) })
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("HOBNOB_TEST_UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv(recordsDir, records)
			env.Setenv("HOBNOB_TEST_SCRIPT", filepath.Base(env.WorkDir))
			env.Setenv("AppData", filepath.Join(home, "AppData"))
			env.Setenv("LocalAppData", filepath.Join(home, "LocalAppData"))
			env.Setenv("TERM", "xterm-256color")
			env.Setenv("LC_ALL", "C.UTF-8")
			// The terminals of the scripts do not respond to queries.
			env.Setenv("COLORFGBG", "15;0")
			// Otherwise the race detector waits a second at every exit.
			env.Setenv("GORACE", "atexit_sleep_ms=0")
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"service":  startService,
			"fault":    setFault,
			"network":  startNetwork,
			"issuer":   runIssuer,
			"requests": writeRequests,
			"await":    awaitRequests,
			"expire":   expireTokens,
			"accepted": writeAccepted,
			"until":    awaitText,
			"code":     exitsWith,
			"signal":   sendSignal,
			"exited":   exited,
			"sql":      runSQL,
			"damage":   damageFile,
			"need":     needTools,
			"terminal": onTerminal,
			"follow":   followDocument,
			"replace":  replaceText,
		},
	})
}

// awaitText waits until a file matches, for up to 30 seconds.
func awaitText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: until FILE REGEXP")
	}
	pattern, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		text, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && pattern.Match(text) {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("%s does not match %q: %s", args[0], args[1], text)
		}
	}
}

// needTools fails the script if a tool is missing and HOBNOB_TEST_REQUIRE is set. It is
// followed by a line like `[!exec:tool] skip`.
func needTools(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		if _, err := exec.LookPath(name); err != nil && os.Getenv("HOBNOB_TEST_REQUIRE") == "1" {
			ts.Fatalf("%s is not installed, and HOBNOB_TEST_REQUIRE=1", name)
		}
	}
}

// onTerminal runs a command with all three streams on a terminal. If neg, the command
// must fail.
func onTerminal(ts *testscript.TestScript, neg bool, args []string) {
	input := ""
	if len(args) > 2 && args[0] == "-in" {
		input = ts.ReadFile(args[1])
		args = args[2:]
	}
	var until *regexp.Regexp
	if len(args) > 2 && args[0] == "-until" {
		pattern, err := regexp.Compile(args[1])
		ts.Check(err)
		until, args = pattern, args[2:]
	}
	if len(args) < 2 {
		ts.Fatalf("usage: terminal [-in FILE] [-until REGEXP] FILE CMD [ARG…]")
	}
	path, err := lookScriptPath(ts, args[1])
	ts.Check(err)
	command := exec.Command(path, args[2:]...)
	command.Dir = ts.MkAbs(".")
	for _, key := range []string{"HOME", "PATH", "TMPDIR", "TERM", "LC_ALL", "GORACE", "NO_COLOR", "ACCESSIBLE", "COLORTERM", "COLORFGBG", "VISUAL", "EDITOR", "PAGER", "LESS", "LESSOPEN",
		"HOBNOB_BASE_URL", "HOBNOB_TOKEN", "HOBNOB_AGENT", "HOBNOB_CONFIG", "HOBNOB_PROFILE", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"} {
		if value := ts.Getenv(key); value != "" {
			command.Env = append(command.Env, key+"="+value)
		}
	}
	master, err := pty.StartWithSize(command, &pty.Winsize{Rows: 24, Cols: 80})
	ts.Check(err)
	defer func() { _ = master.Close() }()
	kill := time.AfterFunc(time.Minute, func() { _ = command.Process.Kill() })
	defer kill.Stop()
	if input != "" {
		_, err := master.WriteString(input)
		ts.Check(err)
	}
	var shown strings.Builder
	buffer := make([]byte, 4096)
	for {
		n, err := master.Read(buffer)
		shown.Write(buffer[:n])
		if until != nil && until.MatchString(shown.String()) {
			until = nil
			serviceOf(ts).set("none")
		}
		if err != nil { // also when the last process has exited
			break
		}
	}
	err = command.Wait()
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(shown.String()), 0o600))
	if (err != nil) != neg {
		ts.Fatalf("%v; the output is:\n%s", err, shown.String())
	}
}

func lookScriptPath(ts *testscript.TestScript, name string) (string, error) {
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not on PATH", name)
}

// exitsWith runs a command and checks its exit code.
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N CMD [ARG…]")
	}
	wantCode(ts, number(ts, args[0]), ts.Exec(args[1], args[2:]...))
}

func wantCode(ts *testscript.TestScript, want int, err error) {
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// sendSignal sends a signal to the last command in the background. After `wait`,
// `exited` checks its exit code.
func sendSignal(ts *testscript.TestScript, neg bool, args []string) {
	running := ts.BackgroundCmds()
	if neg || len(args) != 1 || len(running) == 0 {
		ts.Fatalf("usage: signal INT|TERM|KILL, with a command in the background")
	}
	s := serviceOf(ts)
	s.signalled = running[len(running)-1]
	ts.Check(s.signalled.Process.Signal(map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "KILL": os.Kill}[args[0]]))
}

func exited(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: exited N")
	}
	if got := serviceOf(ts).signalled.ProcessState.ExitCode(); got != number(ts, args[0]) {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// runSQL runs a statement and prints the rows, with columns separated by spaces.
func runSQL(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sql FILE STATEMENT")
	}
	db, err := sql.Open("sqlite", ts.MkAbs(args[0]))
	ts.Check(err)
	defer func() { _ = db.Close() }()
	rows, err := db.Query(args[1])
	ts.Check(err)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	ts.Check(err)
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(sql.NullString)
		}
		ts.Check(rows.Scan(values...))
		for _, v := range values {
			fmt.Fprint(ts.Stdout(), v.(*sql.NullString).String, " ")
		}
		fmt.Fprintln(ts.Stdout())
	}
	ts.Check(rows.Err())
}

func replaceText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE REGEXP TEXT")
	}
	pattern, err := regexp.Compile("(?m)" + args[1])
	ts.Check(err)
	text := pattern.ReplaceAllString(ts.ReadFile(args[0]), args[2])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// number parses an argument that must be a number.
func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}
