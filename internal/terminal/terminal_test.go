//go:build unix

package terminal

import (
	"fmt"
	"os"
	"testing"

	"github.com/creack/pty"
)

// openPTY returns the two ends of a pseudo-terminal with 123 columns.
func openPTY(t *testing.T) (keyboard, tty *os.File) {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = keyboard.Close()
		_ = tty.Close()
	})
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 40, Cols: 123}); err != nil {
		t.Fatal(err)
	}
	return keyboard, tty
}

func openPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = r.Close()
		_ = w.Close()
	})
	return w
}

func TestColourDependsOnTerminalAndEnvironment(t *testing.T) {
	_, tty := openPTY(t)
	pipe := openPipe(t)
	for _, onTTY := range []bool{true, false} {
		for _, name := range []string{"xterm-256color", "dumb", ""} {
			for _, noColor := range []string{"", "1"} {
				for _, force := range []string{"", "0", "1"} {
					for _, clicolor := range []string{"", "0"} {
						out := pipe
						if onTTY {
							out = tty
						}
						s := Detect(pipe, out, out, environment("TERM="+name, "NO_COLOR="+noColor, "CLICOLOR_FORCE="+force, "CLICOLOR="+clicolor))
						want := onTTY && name == "xterm-256color" && clicolor == ""
						if force == "1" {
							want = true
						}
						if noColor != "" {
							want = false
						}
						row := fmt.Sprintf("tty=%v TERM=%q NO_COLOR=%q CLICOLOR_FORCE=%q CLICOLOR=%q", onTTY, name, noColor, force, clicolor)
						if s.OutColor != want || s.ErrColor != want {
							t.Errorf("%s: colour %v, %v; want %v", row, s.OutColor, s.ErrColor, want)
						}
						if s.InTTY || s.OutTTY != onTTY || s.ErrTTY != onTTY || s.Dumb != (name != "xterm-256color") {
							t.Errorf("%s: %+v", row, s)
						}
						if s.DisableColor(); s.OutColor || s.ErrColor {
							t.Errorf("%s: colour after DisableColor", row)
						}
					}
				}
			}
		}
	}
}

func TestColorsFromEnvironment(t *testing.T) {
	for _, c := range []struct {
		env  string
		want int
	}{
		{"TERM=xterm", 16},
		{"TERM=screen-256color", 256},
		{"TERM=xterm-direct", 1 << 24},
		{"COLORTERM=truecolor", 1 << 24},
		{"COLORTERM=24bit", 1 << 24},
	} {
		s := &Streams{OutColor: true, env: environment(c.env)}
		if got := s.Colors(); got != c.want {
			t.Errorf("%s: %d colours, want %d", c.env, got, c.want)
		}
		if s.DisableColor(); s.Colors() != 0 {
			t.Errorf("%s: %d colours after DisableColor", c.env, s.Colors())
		}
	}
}

func TestColourPerStream(t *testing.T) {
	_, tty := openPTY(t)
	s := Detect(tty, openPipe(t), tty, environment("TERM=xterm"))
	if !s.InTTY || s.OutColor || !s.ErrColor {
		t.Errorf("with stdout in a pipe: %+v", s)
	}
	if s := Detect(nil, nil, nil, environment("TERM=xterm")); s.InTTY || s.OutTTY || s.ErrTTY || s.OutColor || s.ErrColor {
		t.Errorf("without streams: %+v", s)
	}
}

func TestUnicodeFromLocale(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{nil, true},
		{[]string{"LANG=C"}, false},
		{[]string{"LANG=POSIX"}, false},
		{[]string{"LANG=en_US"}, false},
		{[]string{"LANG=en_US.UTF-8"}, true},
		{[]string{"LANG=de_DE.utf8"}, true},
		{[]string{"LC_CTYPE=UTF-8"}, true},
		{[]string{"LC_ALL=C.UTF-8"}, true},
		{[]string{"LC_ALL=C", "LANG=en_US.UTF-8"}, false},
		{[]string{"LC_CTYPE=ja_JP.eucJP", "LANG=en_US.UTF-8"}, false},
		{[]string{"LC_ALL=", "LC_CTYPE=", "LANG=en_US.UTF-8"}, true},
	} {
		if got := isUTF8(environment(c.env...), "linux"); got != c.want {
			t.Errorf("%v: Unicode %v, want %v", c.env, got, c.want)
		}
		if !isUTF8(environment(c.env...), "windows") {
			t.Errorf("%v: no Unicode on Windows", c.env)
		}
	}
}

func TestMissingTERMIsDumbExceptOnWindows(t *testing.T) {
	if isDumb(environment(), "windows") || !isDumb(environment(), "linux") || !isDumb(environment("TERM=dumb"), "windows") {
		t.Error("a missing TERM must be dumb, except on Windows")
	}
}

func TestAccessibleFromEnvironment(t *testing.T) {
	for value, want := range map[string]bool{"": false, "0": false, "1": true, "yes": true} {
		if got := Detect(nil, nil, nil, environment("ACCESSIBLE="+value)).Accessible; got != want {
			t.Errorf("ACCESSIBLE=%q: %v, want %v", value, got, want)
		}
	}
}

func TestColumnsOfTerminal(t *testing.T) {
	_, tty := openPTY(t)
	pipe := openPipe(t)
	for _, c := range []struct {
		name     string
		out, err *os.File
		columns  string
		want     int
	}{
		{"stdout", tty, pipe, "50", 123},
		{"stderr", pipe, tty, "50", 123},
		{"neither", pipe, pipe, "50", 50},
		{"default", pipe, pipe, "", 80},
		{"invalid COLUMNS", pipe, pipe, "wide", 80},
		{"negative COLUMNS", pipe, pipe, "-3", 80},
	} {
		if got := Detect(pipe, c.out, c.err, environment("COLUMNS="+c.columns)).Columns(); got != c.want {
			t.Errorf("%s: width %d, want %d", c.name, got, c.want)
		}
	}
	if err := pty.Setsize(tty, &pty.Winsize{}); err != nil {
		t.Fatal(err)
	}
	if got := Detect(pipe, tty, pipe, environment("COLUMNS=50")).Columns(); got != 50 {
		t.Errorf("terminal without size: width %d, want 50", got)
	}
}

func TestSizeFollowsTerminal(t *testing.T) {
	_, tty := openPTY(t)
	s := Detect(nil, openPipe(t), tty, environment("COLUMNS=50"))
	for _, size := range []pty.Winsize{{Rows: 24, Cols: 80}, {Rows: 10, Cols: 33}, {Rows: 50, Cols: 200}} {
		if err := pty.Setsize(tty, &size); err != nil {
			t.Fatal(err)
		}
		if s.Columns() != int(size.Cols) || s.Rows() != int(size.Rows) {
			t.Errorf("%d × %d after a change to %d × %d", s.Columns(), s.Rows(), size.Cols, size.Rows)
		}
	}
	if s := (&Streams{Width: 7, Height: 3, screens: []*os.File{tty}}); s.Columns() != 7 || s.Rows() != 3 {
		t.Errorf("%d × %d, want 7 × 3", s.Columns(), s.Rows())
	}
	if s := Detect(nil, nil, nil, environment()); s.Columns() != 80 || s.Rows() != 0 {
		t.Errorf("%d × %d without a terminal", s.Columns(), s.Rows())
	}
}
