// Package transfer owns the formats in which conversations leave hobnob and come in,
// a file for each, and the rules of both ways: which format a file has, how files are
// named, and that an export replaces nothing unasked. It knows neither commands nor
// the terminal, and what belongs into the history is decided by package history.
//
// Everything that it is given is hostile: titles, questions and replies must not act
// on the reader of a document, and an import must not get more into the history than
// it shows.
//
// It alone makes HTML, with goldmark, chroma and bluemonday.
package transfer

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// Format is a form of conversations in a file. Without Export or Import it goes one
// way only.
type Format struct {
	Name       string   // for an import
	Extensions []string // of files, without the dot, for an export; the first one is its name
	Lossless   bool     // has all turns, the trash and the profiles; else the path to the head

	// Export writes trees, one after the other, which are those of conversations.
	Export func(w io.Writer, conversations []history.Conversation, trees iter.Seq2[history.Tree, error]) error
	// Import reads trees, as often as they are ranged over. What is wrong with a file
	// is a *history.ImportError.
	Import func(r io.ReadSeeker, origin Origin) (iter.Seq2[history.Tree, error], error)
	// Detect reports whether a file that begins with head, after a byte order mark and
	// white space, may have this format.
	Detect func(head []byte) bool
}

// Origin tells what a file to import does not say in its text.
type Origin struct {
	Name string    // of the file, without its directory
	Time time.Time // for turns whose time is not known
}

// formats are listed in this order, and the first that detects a file reads it.
var formats = []Format{markdownFormat, hobnobFormat, htmlFormat, llmFormat, aichatFormat}

// Auto is the name of the format that the text of an imported file shows.
const Auto = "auto"

// ImportNames are the names of formats that ImportFormat takes.
func ImportNames() []string {
	names := []string{Auto}
	for _, f := range formats {
		if f.Import != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// ExportNames are the names of formats that ExportFormat takes.
func ExportNames() []string {
	var names []string
	for _, f := range formats {
		if f.Export != nil {
			names = append(names, f.Extensions[0])
		}
	}
	return names
}

// UnknownFormatError is a format that hobnob does not have.
type UnknownFormatError struct {
	Name  string   // or the extension of Path
	Path  string   // empty when the format was named
	Known []string // names
}

func (e *UnknownFormatError) Error() string {
	text := fmt.Sprintf("there is no format %q", e.Name)
	if e.Path != "" {
		return e.Path + ": " + text
	}
	return text
}

// Failure implements failure.Explainer.
func (e *UnknownFormatError) Failure() failure.Failure {
	hint := "formats: "
	if e.Path != "" {
		hint = "choose one with --format: "
	}
	return failure.Failure{Kind: failure.Usage, Hint: failure.Plain(hint + strings.Join(e.Known, ", "))}
}

// find returns the first format for which is holds.
func find(is func(Format) bool) (Format, bool) {
	if i := slices.IndexFunc(formats, is); i >= 0 {
		return formats[i], true
	}
	return Format{}, false
}
