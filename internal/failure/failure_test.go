package failure_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

func TestOfReturnsOutermostExplainer(t *testing.T) {
	inner := failure.New(failure.Auth, failure.Plain("inner"), "no token")
	for _, c := range []struct {
		err  error
		kind failure.Kind
		hint string
	}{
		{errors.New("x"), failure.Other, ""},
		{inner, failure.Auth, "inner"},
		{fmt.Errorf("wrapped: %w", inner), failure.Auth, "inner"},
		{failure.WithHint(inner, "outer"), failure.Auth, "outer"},
		{errors.Join(errors.New("x"), inner), failure.Auth, "inner"},
	} {
		f := failure.Of(c.err)
		if f.Kind != c.kind || f.Hint.For("") != c.hint {
			t.Errorf("%v: %v, %q; want %v, %q", c.err, f.Kind, f.Hint.For(""), c.kind, c.hint)
		}
	}
	if err := failure.WithHint(inner, "outer"); !errors.Is(err, inner) || err.Error() != "no token" {
		t.Errorf("WithHint changed the error to %v", err)
	}
}

func TestHintCommandsNameSelectedProfile(t *testing.T) {
	login := failure.Run("hobnob login")
	for _, c := range []struct {
		hint           failure.Hint
		selected, want string
	}{
		{failure.Hintf("store one with %s, or set HOBNOB_TOKEN", login), "", "store one with hobnob login, or set HOBNOB_TOKEN"},
		{failure.Hintf("store one with %s, or set HOBNOB_TOKEN", login), "work", "store one with hobnob login -p work, or set HOBNOB_TOKEN"},
		{failure.Hintf("%s, then: %s", failure.Hintf("run %s", login), failure.Run("hobnob resend %s", "3f2a").In("lab")), "it's", `run hobnob login -p 'it'\''s', then: hobnob resend 3f2a -p lab`},
		{failure.Plain("100% of %s"), "work", "100% of %s"},
		{failure.Hint{}, "work", ""},
	} {
		if got := c.hint.For(c.selected); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	inner := failure.Plain("unset it").AfterRestart()
	if !failure.Hintf("do this; %s", inner).NeedsRestart() || failure.Hintf("run: %s", login).NeedsRestart() || failure.Plain("x").NeedsRestart() {
		t.Error("NeedsRestart is wrong")
	}
	if !failure.Plain("").IsZero() || failure.Plain("x").IsZero() {
		t.Error("IsZero is wrong")
	}
}

func TestParseKind(t *testing.T) {
	for kind := failure.Other; kind <= failure.Unrecorded; kind++ {
		if parsed := failure.ParseKind(kind.String()); parsed.String() != kind.String() || kind.String() == "" || kind.Exit() == 0 {
			t.Errorf("kind %d: %q, exit code %d, parsed as %v", kind, kind, kind.Exit(), parsed)
		}
	}
	if got := failure.ParseKind("from a newer hobnob"); got != failure.Unrecorded {
		t.Errorf("unknown name parsed as %v", got)
	}
	described, last := map[int]string{}, -1
	for _, code := range failure.ExitCodes() {
		if code.Code <= last || code.Help == "" {
			t.Errorf("exit code %d follows %d and means %q", code.Code, last, code.Help)
		}
		described[code.Code], last = code.Help, code.Code
	}
	for kind := failure.Other; kind <= failure.Unrecorded; kind++ {
		if kind.Help() != described[kind.Exit()] || kind.Help() == "" {
			t.Errorf("exit code %d of kind %v means %q", kind.Exit(), kind, kind.Help())
		}
	}
}

func TestReason(t *testing.T) {
	_, noFile := os.Open("/no/such/file")
	noCommand := exec.Command("no-such-command-here").Run()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{noFile, "no such file or directory"},
		{fmt.Errorf("wrapped: %w", noFile), "no such file or directory"},
		{noCommand, "command not found"},
		{os.NewSyscallError("bind", syscall.EADDRINUSE), "address already in use"},
		{&net.OpError{Op: "listen", Net: "tcp", Err: os.NewSyscallError("bind", syscall.EADDRINUSE)}, "address already in use"},
		{&net.OpError{Op: "listen", Net: "tcp", Err: errors.New("unknown port")}, "unknown port"},
		{&os.LinkError{Op: "rename", Old: "a", New: "b", Err: syscall.EACCES}, "permission denied"},
		{errors.New("other"), "other"},
	} {
		if got := failure.Reason(tt.err); got.Error() != tt.want && runtime.GOOS != "windows" || !errors.Is(got, tt.err) {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
	if failure.Reason(nil) != nil {
		t.Error("Reason(nil) is not nil")
	}
}

func TestErrorsHaveFailureOfFirst(t *testing.T) {
	first := failure.New(failure.Auth, failure.Plain("log in"), "one: no token")
	if f := failure.Of(failure.Errors{first, errors.New("two: reset")}); f.Kind != failure.Auth || f.Hint.For("") != "log in" {
		t.Errorf("%+v", f)
	}
	// The kind of a later one is not that of the first.
	both := failure.Errors{errors.New("one: disk full"), first}
	if f := failure.Of(both); f.Kind != failure.Other || !f.Hint.IsZero() {
		t.Errorf("%+v", f)
	}
	if both.Error() != "one: disk full; one: no token" || !errors.Is(both, first) {
		t.Errorf("%v", both)
	}
}
