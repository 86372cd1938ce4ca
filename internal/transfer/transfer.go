// Package transfer exports and imports conversations. Each format has its own file. The
// package also detects the format of a file, chooses file names, and does not replace
// files without consent.
//
// All input is untrusted: titles, questions and replies must not execute or load
// anything in an exported document, and an import must not add more than it reports.
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

// Format is a file format for conversations. Export or Import is nil if the format does
// not support it.
type Format struct {
	Name       string   // name for imports
	Extensions []string // file extensions without the dot; the first one is the name for exports
	Lossless   bool     // includes all turns, the trash and the profiles, not only the path to the head

	// Export writes the trees of conversations, one by one.
	Export func(w io.Writer, conversations []history.Conversation, trees iter.Seq2[history.Tree, error]) error
	// Import returns an iterator over the trees in r, which can be used several times.
	// Invalid content is a *history.ImportError.
	Import func(r io.ReadSeeker, origin Origin) (iter.Seq2[history.Tree, error], error)
	// Detect reports whether a file that begins with head, after a byte order mark and
	// white space, may have this format.
	Detect func(head []byte) bool
}

// Origin describes a file to import.
type Origin struct {
	Name string    // file name without directory
	Time time.Time // for turns without a time
}

// formats lists all formats. A file is read in the first one that detects it.
var formats = []Format{markdownFormat, hobnobFormat, htmlFormat, llmFormat, aichatFormat}

// Auto is the name for a detected format.
const Auto = "auto"

// ImportNames returns the names that ImportFormat accepts.
func ImportNames() []string {
	names := []string{Auto}
	for _, f := range formats {
		if f.Import != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// ExportNames returns the names that ExportFormat accepts.
func ExportNames() []string {
	var names []string
	for _, f := range formats {
		if f.Export != nil {
			names = append(names, f.Extensions[0])
		}
	}
	return names
}

// UnknownFormatError reports an unknown format.
type UnknownFormatError struct {
	Name  string   // or the extension of Path
	Path  string   // empty if the format was named
	Known []string // valid names
}

func (e *UnknownFormatError) Error() string {
	text := fmt.Sprintf("unknown format %q", e.Name)
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

// find returns the first format that is accepts.
func find(is func(Format) bool) (Format, bool) {
	if i := slices.IndexFunc(formats, is); i >= 0 {
		return formats[i], true
	}
	return Format{}, false
}
