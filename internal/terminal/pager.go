package terminal

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
)

// Page writes text, which must be safe already, to stdout; on a terminal through
// the pager that HOBNOB_PAGER, else PAGER names, else less. Leaving the pager
// early is no error; cat means no pager. Ctrl-C is the pager's while it runs.
func (s *Streams) Page(text string) error {
	pager, ok := s.pager()
	if !ok || !s.OutTTY || s.Dumb {
		_, err := io.WriteString(s.Out, text)
		return err
	}
	// Not CommandContext: a pager that was killed leaves the terminal as it is.
	command := exec.Command("sh", "-c", pager) //nolint:noctx // see above
	if words := strings.Fields(pager); runtime.GOOS == "windows" || len(words) == 1 {
		command = exec.Command(words[0], words[1:]...) //nolint:noctx // see above
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	// LESS: leave when all fits (F), show colours (R), keep the screen (X).
	// LESSSECURE: no shell, no editor and no log from within less, which shows
	// what a service wrote.
	command.Env = os.Environ()
	if s.getenv("LESS") == "" {
		command.Env = append(command.Env, "LESS=FRX")
	}
	command.Env = append(command.Env, "LESSSECURE=1", "LESSCHARSET=utf-8")
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(text), s.Out, s.Err
	err := command.Run()
	var failed *exec.ExitError
	switch {
	case err == nil, errors.Is(err, syscall.EPIPE):
		return nil
	case errors.As(err, &failed) && failed.ExitCode() != 127:
		return nil
	}
	// There is no such pager.
	_, err = io.WriteString(s.Out, text)
	return err
}

func (s *Streams) pager() (string, bool) {
	for _, key := range []string{"HOBNOB_PAGER", "PAGER"} {
		if pager := strings.TrimSpace(s.getenv(key)); pager != "" {
			return pager, pager != "cat"
		}
	}
	if _, err := exec.LookPath("less"); err != nil {
		return "", false
	}
	return "less", true
}
