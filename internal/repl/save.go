package repl

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

func runSave(ctx context.Context, s *session, name string) error {
	text, err := s.at.LastReply()
	if err != nil {
		return err
	}
	path, err := typedPath(name)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return failure.Usagef("add a file name", "%s is a directory", path)
	}
	existing, ok, err := s.replace(ctx).Allows([]string{path}, true)
	if err != nil {
		return err
	}
	if !ok {
		s.f.Print.Note("nothing was written")
		return nil
	}
	mode := os.O_CREATE | os.O_EXCL
	if len(existing) > 0 {
		mode = os.O_TRUNC // preserves its permissions
	}
	file, err := os.OpenFile(path, os.O_WRONLY|mode, 0o666)
	if err != nil {
		return err
	}
	_, err = file.WriteString(strings.TrimRight(text, "\n") + "\n")
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	s.f.Print.Note("wrote the reply to %s", path)
	return nil
}
