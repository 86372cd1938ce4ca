//go:build unix

package terminal

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clipboardConsole returns a console and a directory to which clipboard programs write.
// The programs are shell scripts by name.
func clipboardConsole(t *testing.T, programs map[string]string, pairs ...string) (*console, string) {
	t.Helper()
	bin, dir := t.TempDir(), t.TempDir()
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\ncd '"+dir+"' || exit\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, tool := range []string{"cat", "sleep"} {
		if err := os.Symlink("/bin/"+tool, filepath.Join(bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	con := newConsole(t)
	con.streams.env = environment(append([]string{"TERM=xterm"}, pairs...)...)
	return con, dir
}

const recording = `cat >text; echo "$*" >arguments`

func TestCopyChoosesProgram(t *testing.T) {
	all := map[string]string{"wl-copy": recording, "xclip": recording, "xsel": recording, "tmux": recording}
	for _, c := range []struct {
		name     string
		programs map[string]string
		env      []string
		want     string
	}{
		{"Wayland", all, []string{"WAYLAND_DISPLAY=wayland-0", "DISPLAY=:0", "TMUX=x"}, "wl-copy"},
		{"X11", all, []string{"DISPLAY=:0", "TMUX=x"}, "xclip"},
		{"X11 with xsel only", map[string]string{"xsel": recording}, []string{"DISPLAY=:0"}, "xsel"},
		{"XWayland", map[string]string{"xclip": recording}, []string{"WAYLAND_DISPLAY=wayland-0", "DISPLAY=:0"}, "xclip"},
		{"fallback from a failing program", map[string]string{"wl-copy": "exit 1", "xclip": recording}, []string{"WAYLAND_DISPLAY=x", "DISPLAY=:0"}, "xclip"},
		{"tmux", all, []string{"TMUX=x"}, "tmux"},
		{"tmux over ssh", all, []string{"TMUX=x", "DISPLAY=localhost:10.0", "SSH_TTY=/dev/pts/1"}, "tmux"},
		{"WSL", map[string]string{"powershell.exe": recording}, []string{"WSL_DISTRO_NAME=Debian"}, "powershell.exe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			con, dir := clipboardConsole(t, c.programs, c.env...)
			how, err := con.streams.Copy(t.Context(), "世界 $(x) `y`\n\n")
			if err != nil || how != c.want {
				t.Fatalf("copied with %q, want %q: %v", how, c.want, err)
			}
			if got, _ := os.ReadFile(filepath.Join(dir, "text")); string(got) != "世界 $(x) `y`\n" {
				t.Errorf("the program got %q", got)
			}
			if got, _ := os.ReadFile(filepath.Join(dir, "arguments")); strings.Contains(string(got), "世界") {
				t.Errorf("the text is in the arguments %q", got)
			}
		})
	}
}

func TestCopyMakesTextSafeToPaste(t *testing.T) {
	con, dir := clipboardConsole(t, map[string]string{"xclip": recording}, "DISPLAY=:0")
	if _, err := con.streams.Copy(t.Context(), "a\tb\r\nc\x1b[201~\nrm\x03\r\u009b\u202e\n"); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(filepath.Join(dir, "text"))
	if want := "a\tb\nc␛[201~\nrm␃␍<U+009B><U+202E>"; string(got) != want {
		t.Errorf("copied %q, want %q", got, want)
	}
}

// A program that serves the clipboard continues in the background. The text is copied
// when its parent has exited.
func TestCopyDoesNotWaitForBackgroundProcess(t *testing.T) {
	con, _ := clipboardConsole(t, map[string]string{"xclip": "cat >/dev/null; sleep 60 &"}, "DISPLAY=:0")
	start := time.Now()
	how, err := con.streams.Copy(t.Context(), "text")
	if took := time.Since(start); err != nil || how != "xclip" || took > 30*time.Second {
		t.Errorf("copied with %q in %s: %v", how, took, err)
	}
}

func TestCopyStopsWithContext(t *testing.T) {
	con, _ := clipboardConsole(t, map[string]string{"xclip": "sleep 60"}, "DISPLAY=:0")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if how, err := con.streams.Copy(ctx, strings.Repeat("text", 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("copied with %q: %v", how, err)
	}
}

func TestCopyFallsBackToOSC52(t *testing.T) {
	plain := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("text\n世界")) + "\a"
	for _, c := range []struct {
		name     string
		programs map[string]string
		env      []string
		want     string
	}{
		{"terminal", nil, nil, plain},
		{"ssh", map[string]string{"xclip": recording}, []string{"DISPLAY=:0", "SSH_CONNECTION=a 1 b 2"}, plain},
		{"missing display", map[string]string{"xclip": "exit 1"}, []string{"DISPLAY=:0"}, plain},
		{"old tmux", map[string]string{"tmux": "exit 1"}, []string{"TMUX=x"}, plain + "\x1bPtmux;\x1b" + plain + "\x1b\\"},
		{"screen", nil, []string{"STY=x"}, "\x1bP" + plain + "\x1b\\"},
	} {
		t.Run(c.name, func(t *testing.T) {
			con, _ := clipboardConsole(t, c.programs, c.env...)
			if how, err := con.streams.Copy(t.Context(), "text\n世界\n"); err != nil || how != OSC52 {
				t.Fatalf("copied with %q: %v", how, err)
			}
			con.expect(c.want)
		})
	}
}

func TestCopyReportsEachFailure(t *testing.T) {
	for _, c := range []struct {
		name, text string
		programs   map[string]string
		env        []string
		want       string
	}{
		{"dumb terminal", "a", nil, []string{"TERM=dumb"}, "OSC 52: this terminal has no clipboard"},
		{"too long", strings.Repeat("a", maxOSC52+1), nil, nil, "OSC 52: text too long: 74995 bytes, limit 74994"},
		{"two attempts", "a", map[string]string{"xclip": "exit 7"}, []string{"DISPLAY=:0", "TERM=linux"}, "xclip: exit status 7; OSC 52: this terminal has no clipboard"},
	} {
		t.Run(c.name, func(t *testing.T) {
			con, _ := clipboardConsole(t, c.programs, c.env...)
			con.streams.Dumb = strings.Contains(strings.Join(c.env, " "), "TERM=dumb")
			how, err := con.streams.Copy(t.Context(), c.text)
			var none *NoClipboardError
			if !errors.As(err, &none) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("copied with %q: %v", how, err)
			}
		})
	}
	con, _ := clipboardConsole(t, nil)
	con.streams.OpenTTY = func() (in, out *os.File, err error) { return nil, nil, os.ErrNotExist }
	if _, err := con.streams.Copy(t.Context(), "a"); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("without a terminal: %v", err)
	}
}
