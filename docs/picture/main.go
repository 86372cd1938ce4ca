// Command picture draws docs/picture.svg, the terminal in the README. It builds
// hobnob, runs it in a pseudo-terminal with an empty home directory, and draws the
// output. Every run produces the same bytes. Run it in the root of the repository:
//
//	go run ./docs/picture
//
// It imports no package of hobnob and only runs the program.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/creack/pty"
)

// columns is the width of the terminal, a common default.
const columns = 80

// questions are the arguments of hobnob, one run after the other with the same home
// directory.
var questions = [][]string{
	{"chat", "how do I pipe a file into a chat?"},
	{"chat", "-c", "and in PowerShell?"},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("picture: ")
	if err := draw(context.Background(), filepath.Join("docs", "picture.svg")); err != nil {
		log.Fatal(err)
	}
}

func draw(ctx context.Context, path string) error {
	dir, err := os.MkdirTemp("", "hobnob-picture-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "hobnob")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("cannot build hobnob: %w", err)
	}
	s := &screen{rows: [][]span{nil}, pen: plain}
	for i, args := range questions {
		if i > 0 {
			s.newline()
		}
		s.typed(commandLine(args))
		output, err := run(ctx, program, filepath.Join(dir, "home"), args)
		if err == nil {
			err = s.write(output)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", commandLine(args), err)
		}
	}
	return os.WriteFile(path, render(s.lines()), 0o644)
}

// run returns what hobnob writes to a terminal with 256 colours, stdout and stderr
// combined.
func run(ctx context.Context, program, home string, args []string) (string, error) {
	command := exec.CommandContext(ctx, program, args...)
	command.Env = []string{"HOME=" + home, "TERM=xterm-256color", "LANG=C.UTF-8", "COLORFGBG=15;0"}
	terminal, err := pty.StartWithSize(command, &pty.Winsize{Rows: 50, Cols: columns})
	if err != nil {
		return "", err
	}
	defer func() { _ = terminal.Close() }()
	var output strings.Builder
	_, err = io.Copy(&output, terminal)
	// Linux reports the end of a terminal as EIO.
	if err != nil && (runtime.GOOS != "linux" || !errors.Is(err, syscall.EIO)) {
		return "", err
	}
	return output.String(), command.Wait()
}

// commandLine returns the command line for args, with the last argument quoted.
func commandLine(args []string) string {
	last := len(args) - 1
	return fmt.Sprintf("hobnob %s %q", strings.Join(args[:last], " "), args[last])
}
