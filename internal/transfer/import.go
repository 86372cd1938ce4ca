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
	"time"

	"golang.org/x/text/encoding/unicode"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// Source is a file to import. Close it after use.
type Source struct {
	Name   string // as it was given to Open
	Format Format

	detected  bool
	file      *os.File
	temporary bool // file is a copy
	modified  time.Time
	trees     iter.Seq2[history.Tree, error]
}

// ImportFormat returns the format with a name, which is empty for Auto. Errors are
// *UnknownFormatError.
func ImportFormat(name string) (Format, error) {
	f, ok := find(func(f Format) bool { return f.Import != nil && f.Name == name })
	if !ok && name != Auto {
		return f, &UnknownFormatError{Name: name, Known: ImportNames()}
	}
	return f, nil
}

// Open opens the file with a name, or stdin when it is "-". An empty format is detected.
// What cannot be read twice, like a pipe, and what is UTF-16, as PowerShell writes it, is
// copied to a private temporary file. A file that cannot be opened is an error of kind
// failure.Usage, and one with invalid content a *history.ImportError.
func Open(name string, stdin io.Reader, format Format) (*Source, error) {
	s := &Source{Name: name, Format: format, modified: time.Now()}
	err := s.open(stdin)
	if err == nil {
		err = s.parse()
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Source) open(stdin io.Reader) (err error) {
	from, regular := stdin, false
	if s.Name != "-" {
		if s.file, err = os.Open(s.Name); err != nil {
			return failure.Usagef("name a file that can be read, or - for stdin", "%v", err)
		}
		if info, err := s.file.Stat(); err != nil {
			return err
		} else if info.IsDir() {
			return failure.Usagef("name the files in it that are to be imported", "%s is a directory", s.Name)
		} else if regular = info.Mode().IsRegular(); regular {
			s.modified = info.ModTime()
		}
		from = s.file
	}
	if text, was16 := fromUTF16(bufio.NewReader(from)); was16 || !regular {
		temporary, err := os.CreateTemp("", "hobnob-import-*")
		if err != nil {
			return err
		}
		_, err = io.Copy(temporary, text)
		s.Close()
		s.file, s.temporary = temporary, true
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
		n, _ := s.file.ReadAt(head, 0) // an error comes again when all is read
		head = bytes.TrimLeft(bytes.TrimPrefix(head[:n], []byte(byteOrderMark)), " \t\r\n")
		s.Format, s.detected = find(func(f Format) bool { return f.Detect != nil && f.Detect(head) })
	}
	s.trees, err = s.Format.Import(s.file, Origin{Name: filepath.Base(s.Name), Time: s.modified})
	return s.refused(err)
}

// Close removes what Open made.
func (s *Source) Close() {
	if s.file == nil {
		return
	}
	_ = s.file.Close()
	if s.temporary {
		_ = os.Remove(s.file.Name())
	}
}

// Imported is what an import of a file did or, in a dry run, would do.
type Imported struct {
	File   string `json:"file"`
	Format string `json:"format"`
	history.Imported
	DryRun   bool     `json:"dry_run"`
	Profiles []string `json:"-"` // of the conversations that kept theirs
}

// Import adds the conversations to the history under a profile or, when it is empty,
// under the profile that each of them has. With dryRun it changes nothing. Invalid content
// is a *history.ImportError.
func (s *Source) Import(ctx context.Context, store *history.Store, profile string, dryRun bool) (Imported, error) {
	profiles := map[string]bool{}
	trees := func(yield func(history.Tree, error) bool) {
		for tree, err := range s.trees {
			if err == nil && profile == "" {
				profiles[tree.Conversation.Profile] = true
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
	return done, s.refused(err)
}

// refused adds the file and its format to what is wrong with its content.
func (s *Source) refused(err error) error {
	if !errors.As(err, new(*history.ImportError)) {
		return err
	}
	err = fmt.Errorf("%s: %w", s.Name, err)
	if s.detected {
		err = failure.WithHint(err, "nothing of this file was imported; it was taken for one of %s, which --format can change", s.Format.Name)
	}
	return err
}

// fromUTF16 returns the text in r as UTF-8 if a byte order mark says that it is
// UTF-16, and r as it is if not. What is no character becomes U+FFFD.
func fromUTF16(r *bufio.Reader) (text io.Reader, was16 bool) {
	head, _ := r.Peek(2) // an error comes again when r is read
	if mark := string(head); mark != "\xff\xfe" && mark != "\xfe\xff" {
		return r, false
	}
	return unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Reader(r), true
}
