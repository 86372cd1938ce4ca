package transfer

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/encoding/unicode"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/input"
	"github.com/hobnob-cli/hobnob/internal/plural"
)

// Source is a file to import. Close it after use.
type Source struct {
	Name   string // as passed to Open
	Format Format

	detected  bool
	file      *os.File
	temporary bool // file is a copy that Close removes
	modified  time.Time
	trees     iter.Seq2[history.Tree, error]
}

// ImportFormat returns the format with a name, or an empty Format for Auto. Errors are
// *UnknownFormatError.
func ImportFormat(name string) (Format, error) {
	f, ok := find(func(f Format) bool { return f.Import != nil && f.Name == name })
	if !ok && name != Auto {
		return f, &UnknownFormatError{Name: name, Known: ImportNames()}
	}
	return f, nil
}

// Open opens the file with a name, or stdin for "-". If format is empty, the format is
// detected. Input that cannot be read twice, such as a pipe, and UTF-16, as written by
// PowerShell, is copied to a private temporary file. If the file cannot be opened, the
// error has the kind failure.Usage; invalid content is a *history.ImportError. When ctx
// is cancelled, Open returns its error.
func Open(ctx context.Context, name string, stdin io.Reader, format Format) (*Source, error) {
	s := &Source{Name: name, Format: format, modified: time.Now()}
	err := s.open(ctx, stdin)
	if err == nil {
		err = s.parse()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Source) open(ctx context.Context, stdin io.Reader) (err error) {
	from, regular := stdin, false
	if s.Name != "-" {
		// Opening a named pipe blocks until its writer opens it.
		s.file, err = input.Await(ctx, func() (*os.File, error) { return os.Open(s.Name) })
		if ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			return failure.Usagef("specify a readable file, or - for stdin", "cannot read %s: %v", s.Name, failure.Reason(err))
		}
		if info, err := s.file.Stat(); err != nil {
			return err
		} else if info.IsDir() {
			return failure.Usagef("specify the files in it to import", "%s is a directory", s.Name)
		} else if regular = info.Mode().IsRegular(); regular {
			s.modified = info.ModTime()
		}
		from = s.file
	}
	if text, was16 := fromUTF16(bufio.NewReader(input.Reader(ctx, from))); was16 || !regular {
		temporary, err := os.CreateTemp("", "hobnob-import-*")
		if err != nil {
			return err
		}
		removed := os.Remove(temporary.Name()) == nil // fails on Windows while the file is open
		_, err = io.Copy(temporary, text)
		s.Close()
		s.file, s.temporary = temporary, !removed
		if err != nil {
			return err
		}
	}
	_, err = s.file.Seek(0, io.SeekStart)
	return err
}

func (s *Source) parse() (err error) {
	if s.Format.Import == nil {
		head := make([]byte, 4096)
		n, _ := s.file.ReadAt(head, 0) // Import reports the error
		head = bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte(byteOrderMark)), " \t\r\n")
		s.Format, s.detected = find(func(f Format) bool { return f.Detect != nil && f.Detect(head) })
	}
	s.trees, err = s.Format.Import(s.file, Origin{Name: filepath.Base(s.Name), Time: s.modified})
	return s.refused(err)
}

// Close closes the file and removes the temporary copy.
func (s *Source) Close() {
	if s.file == nil {
		return
	}
	_ = s.file.Close()
	if s.temporary {
		_ = os.Remove(s.file.Name())
	}
}

// Imported is the result of an import or of a dry run.
type Imported struct {
	File   string `json:"file"`
	Format string `json:"format"`
	history.Imported
	DryRun   bool     `json:"dry_run"`
	Profiles []string `json:"-"` // profiles from the file, unless one was specified
	// Trashed are the conversations that remain in the trash.
	Trashed []history.Conversation `json:"-"`
	// InTrash are the ids of Trashed.
	InTrash []string `json:"in_trash,omitempty"`
}

// Import adds the conversations to the history, either all of them or none. They get the
// given profile or, if it is empty, the profile in the file. With dryRun it changes
// nothing. Invalid content is a *history.ImportError.
func (s *Source) Import(ctx context.Context, store *history.Store, profile string, dryRun bool) (Imported, error) {
	profiles := map[string]bool{}
	var ids []string // of the conversations that are not in the trash in the file
	trees := func(yield func(history.Tree, error) bool) {
		for tree, err := range s.trees {
			if err == nil && profile == "" {
				profiles[tree.Conversation.Profile] = true
			}
			if err == nil && tree.Conversation.Deleted.IsZero() {
				ids = append(ids, tree.Conversation.ID)
			}
			if !yield(tree, err) {
				return
			}
		}
	}
	done := Imported{File: s.Name, Format: s.Format.Name, DryRun: dryRun}
	var err error
	if dryRun {
		done.Imported, err = store.CheckImport(ctx, trees)
	} else {
		done.Imported, err = store.Import(ctx, trees, profile)
	}
	done.Profiles = slices.Sorted(maps.Keys(profiles))
	if err == nil {
		done.Trashed, _ = store.InTrash(ctx, ids) // the import succeeded in any case
	}
	for _, c := range done.Trashed {
		done.InTrash = append(done.InTrash, c.ID)
	}
	return done, s.refused(err)
}

// FilesError reports that an import of several files failed. Err is the error of the first file in Left.
type FilesError struct {
	Err  error
	Done []Imported // the imported files
	Left []string   // the other files, of which nothing was imported
}

func (e *FilesError) Error() string { return e.Err.Error() + "; " + e.effect() }

// Unwrap returns the error of the file.
func (e *FilesError) Unwrap() error { return e.Err }

// Failure implements failure.Explainer.
func (e *FilesError) Failure() failure.Failure {
	f := failure.Of(e.Err)
	f.Effect = e.effect()
	return f
}

// effect describes what was imported from each file.
func (e *FilesError) effect() string {
	text := "nothing imported from " + strings.Join(e.Left, ", ")
	for _, one := range e.Done {
		text += fmt.Sprintf("; %s: %s and %s imported", one.File, plural.Count(one.Conversations, "new conversation"), plural.Count(one.Added, "new turn"))
	}
	return text
}

// refused adds the name of the file to an ImportError, and a hint if the format was detected.
func (s *Source) refused(err error) error {
	if !errors.As(err, new(*history.ImportError)) {
		return err
	}
	err = fmt.Errorf("%s: %w", s.Name, err)
	if s.detected {
		err = failure.WithHint(err, "the detected format is %s; choose another one with --format", s.Format.Name)
	}
	return err
}

// fromUTF16 converts UTF-16 with a byte order mark to UTF-8. Invalid characters become
// U+FFFD. Without such a mark it returns r.
func fromUTF16(r *bufio.Reader) (text io.Reader, was16 bool) {
	head, _ := r.Peek(2) // the next read reports the error
	if mark := string(head); mark != "\xff\xfe" && mark != "\xfe\xff" {
		return r, false
	}
	return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(r), true
}
