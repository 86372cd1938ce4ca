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

// clipboardDesk is a desk with programs for the clipboard, scripts that are given
// by their names; what they write goes to the directory that is returned.
func clipboardDesk(t *testing.T, programs map[string]string, pairs ...string) (*desk, string) {
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
	d := newDesk(t)
	d.streams.env = environment(append([]string{"TERM=xterm"}, pairs...)...)
	return d, dir
}

const recording = `cat >text; echo "$*" >arguments`

func TestCopyTakesTheClipboardOfThisSystem(t *testing.T) {
	all := map[string]string{"wl-copy": recording, "xclip": recording, "xsel": recording, "tmux": recording}
	for _, c := range []struct {
		name     string
		programs map[string]string
		env      []string
		want     string
	}{
		{"Wayland", all, []string{"WAYLAND_DISPLAY=wayland-0", "DISPLAY=:0", "TMUX=x"}, "wl-copy"},
		{"X11", all, []string{"DISPLAY=:0", "TMUX=x"}, "xclip"},
		{"X11 with xsel alone", map[string]string{"xsel": recording}, []string{"DISPLAY=:0"}, "xsel"},
		{"XWayland", map[string]string{"xclip": recording}, []string{"WAYLAND_DISPLAY=wayland-0", "DISPLAY=:0"}, "xclip"},
		{"a program that fails gives way", map[string]string{"wl-copy": "exit 1", "xclip": recording}, []string{"WAYLAND_DISPLAY=x", "DISPLAY=:0"}, "xclip"},
		{"tmux", all, []string{"TMUX=x"}, "tmux"},
		{"tmux over ssh", all, []string{"TMUX=x", "DISPLAY=localhost:10.0", "SSH_TTY=/dev/pts/1"}, "tmux"},
		{"Windows below Linux", map[string]string{"powershell.exe": recording}, []string{"WSL_DISTRO_NAME=Debian"}, "powershell.exe"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, dir := clipboardDesk(t, c.programs, c.env...)
			how, err := d.streams.Copy(t.Context(), "世界 $(x) `y`\n\n")
			if err != nil || how != c.want {
				t.Fatalf("copied by %q, want %q: %v", how, c.want, err)
			}
			if got, _ := os.ReadFile(filepath.Join(dir, "text")); string(got) != "世界 $(x) `y`\n" {
				t.Errorf("the program got %q", got)
			}
			if got, _ := os.ReadFile(filepath.Join(dir, "arguments")); strings.Contains(string(got), "世界") {
				t.Errorf("the arguments %q hold the text", got)
			}
		})
	}
}

func TestCopyMakesTextSafeToPaste(t *testing.T) {
	d, dir := clipboardDesk(t, map[string]string{"xclip": recording}, "DISPLAY=:0")
	if _, err := d.streams.Copy(t.Context(), "a\tb\r\nc\x1b[201~\nrm\x03\r\u009b\u202e\n"); err != nil {
		t.Fatal(err)
	}
	got, _ := os.ReadFile(filepath.Join(dir, "text"))
	if want := "a\tb\nc␛[201~\nrm␃␍<U+009B><U+202E>"; string(got) != want {
		t.Errorf("copied %q, want %q", got, want)
	}
}

// A program that serves the clipboard goes on in the background; the copy is made
// when the one that was started has ended.
func TestCopyDoesNotWaitForTheBackground(t *testing.T) {
	d, _ := clipboardDesk(t, map[string]string{"xclip": "cat >/dev/null; sleep 60 &"}, "DISPLAY=:0")
	start := time.Now()
	how, err := d.streams.Copy(t.Context(), "text")
	if took := time.Since(start); err != nil || how != "xclip" || took > 30*time.Second {
		t.Errorf("copied by %q in %s: %v", how, took, err)
	}
}

func TestCopyEndsWithItsContext(t *testing.T) {
	d, _ := clipboardDesk(t, map[string]string{"xclip": "sleep 60"}, "DISPLAY=:0")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if how, err := d.streams.Copy(ctx, strings.Repeat("text", 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("copied by %q: %v", how, err)
	}
}

func TestCopyAsksTheTerminalWhereNoProgramIs(t *testing.T) {
	plain := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte("text\n世界")) + "\a"
	for _, c := range []struct {
		name     string
		programs map[string]string
		env      []string
		want     string
	}{
		{"a terminal", nil, nil, plain},
		{"over ssh the programs are on the wrong side", map[string]string{"xclip": recording}, []string{"DISPLAY=:0", "SSH_CONNECTION=a 1 b 2"}, plain},
		{"a display that is gone", map[string]string{"xclip": "exit 1"}, []string{"DISPLAY=:0"}, plain},
		{"a tmux of old", map[string]string{"tmux": "exit 1"}, []string{"TMUX=x"}, plain + "\x1bPtmux;\x1b" + plain + "\x1b\\"},
		{"screen", nil, []string{"STY=x"}, "\x1bP" + plain + "\x1b\\"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, _ := clipboardDesk(t, c.programs, c.env...)
			if how, err := d.streams.Copy(t.Context(), "text\n世界\n"); err != nil || how != OSC52 {
				t.Fatalf("copied by %q: %v", how, err)
			}
			d.sees(c.want)
		})
	}
}

func TestCopySaysWhyItCannot(t *testing.T) {
	for _, c := range []struct {
		name, text string
		programs   map[string]string
		env        []string
		want       string
	}{
		{"no way", "a", nil, []string{"TERM=dumb"}, "OSC 52: this terminal has no clipboard"},
		{"too long", strings.Repeat("a", maxOSC52+1), nil, nil, "OSC 52: the text has 74995 bytes, and a terminal takes 74994"},
		{"each way", "a", map[string]string{"xclip": "exit 7"}, []string{"DISPLAY=:0", "TERM=linux"}, "xclip: exit status 7; OSC 52: this terminal has no clipboard"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, _ := clipboardDesk(t, c.programs, c.env...)
			d.streams.Dumb = strings.Contains(strings.Join(c.env, " "), "TERM=dumb")
			how, err := d.streams.Copy(t.Context(), c.text)
			var none *NoClipboardError
			if !errors.As(err, &none) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("copied by %q: %v", how, err)
			}
		})
	}
	d, _ := clipboardDesk(t, nil)
	d.streams.OpenTTY = func() (in, out *os.File, err error) { return nil, nil, os.ErrNotExist }
	if _, err := d.streams.Copy(t.Context(), "a"); !errors.Is(err, ErrNoTerminal) {
		t.Errorf("without a terminal: %v", err)
	}
}
