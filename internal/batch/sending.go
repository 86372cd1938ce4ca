package batch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofrs/flock"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// sendingSuffix follows the name of an output in that of its journal.
const sendingSuffix = ".sending"

// slotSize is the size of a slot in bytes. An id of 512 bytes has at most 3 KiB in JSON.
// A slot is one page of memory, so that a kill cannot leave half of a write.
const slotSize = 4096

// maxSlots limits the size of a file that is read.
const maxSlots = 64 << 10

// sending is the file OUT.sending with the ids of the rows that may be at the service:
// slots of one line of JSON each, padded with spaces. A slot is written before its row is
// sent, and is valid until the result of the row is in OUT. A slot that begins with a space
// is empty. The first slot is unused, because Windows refuses writes to the byte that is
// locked.
type sending struct {
	path   string
	file   *os.File
	lock   *flock.Flock
	slots  [][]byte // the text of each, without the spaces that follow
	memory []byte   // the file, or nil where slots are written with system calls
}

// lockSending opens and locks the file next to the output at path. It creates the file if
// it does not exist. Only one process can hold the lock.
func lockSending(out string) (*sending, error) {
	path := out + sendingSuffix
	for {
		// The lock opens the file itself; create it first to report its errors in words.
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, failure.WithHint(outputError(out, err), "create its directory: mkdir -p %s", shell.Word(filepath.Dir(out)))
		}
		if err != nil {
			return nil, failure.WithHint(fmt.Errorf("cannot create %s: %w", path, failure.Reason(err)), "write the output to a directory where you can create files")
		}
		lock := flock.New(path)
		locked, err := lock.TryLock()
		if err == nil && !locked {
			_ = file.Close()
			return nil, failure.Usagef("wait until it has finished, or write to another file", "another hobnob batch is writing %s", out)
		}
		if err != nil {
			_ = file.Close()
			return nil, fmt.Errorf("cannot lock %s: %w", path, failure.Reason(err))
		}
		// Another process may have removed the file before it was locked.
		opened, err1 := file.Stat()
		named, err2 := os.Stat(path)
		held, err3 := lock.Stat()
		if err1 == nil && err2 == nil && err3 == nil && os.SameFile(opened, named) && os.SameFile(opened, held) {
			return &sending{path: path, file: file, lock: lock}, nil
		}
		_ = lock.Unlock()
		_ = file.Close()
		if err := errors.Join(err1, err3); err != nil || err2 != nil && !errors.Is(err2, fs.ErrNotExist) {
			return nil, fmt.Errorf("cannot lock %s: %w", path, failure.Reason(errors.Join(err, err2)))
		}
	}
}

// ids returns the ids in the file.
func (s *sending) ids() ([]string, error) {
	// The first byte may be locked.
	text, err := io.ReadAll(io.NewSectionReader(s.file, 1, maxSlots*slotSize))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", s.path, failure.Reason(err))
	}
	var ids []string
	for line := range bytes.Lines(text) {
		if line = bytes.Trim(line, "\n\x00"); len(line) == 0 || line[0] == ' ' {
			continue
		}
		var entry struct{ ID string }
		if err := json.Unmarshal(line, &entry); err != nil || entry.ID == "" {
			return nil, failure.Usagef("move it away, or write to another file", "%s is not a file of hobnob batch", s.path)
		}
		ids = append(ids, entry.ID)
	}
	return ids, nil
}

// reset makes a file with n empty slots.
func (s *sending) reset(n int) error {
	if err := s.file.Truncate(0); err != nil {
		return err
	}
	empty := bytes.Repeat([]byte(" "), slotSize*(n+1))
	for at := slotSize; at <= len(empty); at += slotSize {
		empty[at-1] = '\n'
	}
	s.slots = make([][]byte, n)
	if _, err := s.file.WriteAt(empty[1:], 1); err != nil {
		return err
	}
	// The file has all its blocks, so that a full disk is not found out by a fault.
	if memory, err := mapFile(s.file, len(empty)); err == nil {
		s.memory = memory
	}
	return nil
}

// set writes the id of a row to a slot, or empties it if id is "". Calls for different
// slots may be concurrent.
func (s *sending) set(slot int, id string) error {
	text, used := s.slots[slot][:0], len(s.slots[slot])
	if id != "" {
		var err error
		if text, err = jsontext.AppendQuote(append(text, `{"id":`...), id); err != nil {
			return err
		}
		text = append(text, '}')
	}
	s.slots[slot] = text
	for len(text) < used {
		text = append(text, ' ')
	}
	if len(text) == 0 {
		return nil
	}
	at := slotSize * (slot + 1)
	if s.memory != nil {
		return store(s.memory[at:at+slotSize], text)
	}
	_, err := s.file.WriteAt(text, int64(at))
	return err
}

// store writes the text of a slot to memory that belongs to a file. The slot is empty
// until all of it is written, because a kill can leave half of the text.
func store(slot, text []byte) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if recover() != nil {
			err = errors.New("the file was truncated, or its disk has failed")
		}
	}()
	slot[0] = ' '
	copy(slot[1:], text[1:])
	slot[0] = text[0]
	return nil
}

// close unlocks the file and, if done, removes it.
func (s *sending) close(done bool) error {
	var err error
	remove := func() {
		if done {
			err = os.Remove(s.path)
		}
	}
	if runtime.GOOS == "windows" { // where an open file cannot be removed
		defer remove()
	} else {
		remove() // before another process can lock it
	}
	if s.memory != nil {
		err = errors.Join(err, unmap(s.memory))
	}
	return errors.Join(err, s.file.Close(), s.lock.Unlock())
}
