package terminal

import (
	"io"
	"os"
	"regexp"
	"strings"
	"time"
)

// colorSpec matches a colour in the notation of XParseColor, or the beginning of one.
const colorSpec = `(?:[0-9]+;)*(?:rgba?:[0-9a-fA-F/]*|#[0-9a-fA-F]*|[a-zA-Z]*)`

var (
	// A response to an OSC query, to DA1 and similar queries, or a cursor position report.
	responsePattern = regexp.MustCompile(`^\x1b(?:\][0-9]{1,4};` + colorSpec + `(?:\x07|\x1b\\)|\[[?>=][0-9;:]*[ -/]*[@-~]|\[[0-9]+;[0-9]+R)`)
	// The beginning of a response, or a single ESC.
	partialPattern = regexp.MustCompile(`^\x1b(?:\](?:[0-9]{1,4}(?:;(?:[0-9;]*|` + colorSpec + `\x1b?))?)?|\[(?:[?>=][0-9;:]*[ -/]*|[0-9]+(?:;[0-9]*)?)?)?$`)
)

// Response returns the length, in bytes, of the terminal response at the beginning of
// keys, or 0. Partial reports whether keys is the beginning of a response, such as a
// single ESC.
func Response(keys string) (length int, partial bool) {
	if found := responsePattern.FindString(keys); found != "" {
		return len(found), false
	}
	return 0, partialPattern.MatchString(keys)
}

// WithoutResponses returns line without terminal responses, which arrive as typed text
// in line mode.
func WithoutResponses(line string) string {
	var r responses
	r.add([]byte(line))
	return string(append(r.typed, r.pending...))
}

// Sequence returns the length of the escape sequence at the beginning of text, and
// whether it is complete. The sequence begins with Escape and [, O or ]. A control
// character or a non-ASCII letter ends it without being part of it.
func Sequence(text string) (length int, ends bool) {
	const introducer = len("\x1b[")
	if strings.HasPrefix(text, "\x1b]") {
		length, partial := Response(text)
		if length > 0 || partial {
			return length, !partial
		}
		for length = introducer; ; length++ { // another key, or a truncated response
			if _, partial := Response(text[:length+1]); !partial {
				return length, true
			}
		}
	}
	for i := introducer; i < len(text); i++ {
		switch c := text[i]; {
		case c < 0x20 || c > 0x7e:
			return i, true
		case text[introducer-1] == 'O' || c > 0x3f:
			return i + 1, true
		}
	}
	return 0, false
}

// EscapeTime is the time limit for the rest of an escape sequence after the Escape. It is
// too short for separate keystrokes.
const EscapeTime = 20 * time.Millisecond

// TypedWithin waits for input from the terminal in and returns it, or "" if none arrives
// within limit.
func TypedWithin(in io.Reader, limit time.Duration) string {
	file, ok := in.(*os.File)
	if !ok {
		return ""
	}
	buffer := make([]byte, 1024)
	n, err := readUntil(file, buffer, time.Now().Add(limit))
	if err != nil {
		return ""
	}
	return string(buffer[:n])
}
