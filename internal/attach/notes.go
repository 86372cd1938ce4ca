package attach

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/plural"
)

// Reason is the reason why a file is not attached.
type Reason string

// The reasons.
const (
	Binary     Reason = "binary"
	TooLarge   Reason = "too large" // itself
	NoRoom     Reason = "no room"   // after those before it
	Unreadable Reason = "unreadable"
)

// Skipped is a file or directory that is not attached.
type Skipped struct {
	Name   string // untrusted
	Why    Reason
	Detail string // of Unreadable
	Size   int64  // in bytes, of TooLarge and NoRoom
}

// named is the number of names in a note.
const named = 5

// Notes returns what the user should know about files that were not named themselves:
// how many are attached, and which are not.
func (f Found) Notes() []string {
	if len(f.expanded) == 0 {
		return nil
	}
	size := 0
	for _, file := range f.inside {
		size += len(file.Data)
	}
	attached := fmt.Sprintf("attached %s from %s (%s)", plural.Count(len(f.inside), "file"), List(f.expanded), plural.Bytes(int64(size)))
	return append([]string{attached}, f.Omissions()...)
}

// Omissions returns the Notes about files that are not attached.
func (f Found) Omissions() []string { return notesOf(f.Skipped, f.limit) }

// Summary returns how many files there are, whose they are, their size and their names.
func (f Found) Summary(whose string) string {
	size, names := 0, make([]string, len(f.Files))
	for i, file := range f.Files {
		size += len(file.Data)
		names[i] = file.Name
	}
	return fmt.Sprintf("%s %s (%s): %s", plural.Count(len(f.Files), "file"), whose, plural.Bytes(int64(size)), List(names))
}

// notesOf returns a note for each group of skipped files. The limit is that of all files
// together.
func notesOf(skipped []Skipped, limit string) []string {
	var binary, large, other []string
	for _, s := range skipped {
		switch s.Why {
		case Binary:
			binary = append(binary, s.Name)
		case TooLarge, NoRoom:
			large = append(large, fmt.Sprintf("%s (%s)", s.Name, plural.Bytes(s.Size)))
		default:
			other = append(other, fmt.Sprintf("%s (%s)", s.Name, s.Detail))
		}
	}
	var notes []string
	if len(binary) > 0 {
		notes = append(notes, fmt.Sprintf("skipped %s: %s", plural.Count(len(binary), "binary file"), List(binary)))
	}
	if len(other) > 0 {
		notes = append(notes, fmt.Sprintf("skipped %s", List(other)))
	}
	if len(large) > 0 {
		notes = append(notes, fmt.Sprintf("skipped %s over the limit of %s each or %s together: %s",
			plural.Count(len(large), "file"), plural.Bytes(maxEach), limit, List(large)))
	}
	return notes
}

// List joins names, at most five and the number of the others.
func List(names []string) string {
	if more := len(names) - named; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:named], ", "), more)
	}
	return strings.Join(slices.Clone(names), ", ")
}
