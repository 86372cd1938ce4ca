package repl

import (
	"context"
	"errors"
	"fmt"
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
	mode := os.O_CREATE | os.O_EXCL
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return failure.Usagef("name a file in it", "%s is a directory", path)
		}
		yes, err := s.f.IO.Confirm(ctx, fmt.Sprintf("%s exists. Replace it?", path))
		if err != nil || !yes {
			s.f.Print.Note("nothing was written")
			return err
		}
		mode = os.O_TRUNC // which keeps its permissions
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
