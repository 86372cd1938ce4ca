package terminal

import (
	"cmp"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// responseTimeout is how long LightBackground waits for the terminal. Users notice
	// longer delays.
	responseTimeout = 100 * time.Millisecond
	// drainTimeout is how long after the query a late response is intercepted, so that
	// it does not appear as typed text. Until then, prompts, pagers and the exit of the
	// program wait for the response.
	drainTimeout = 300 * time.Millisecond

	// backgroundQuery requests the background with OSC 11, which many terminals do not
	// support, and then the device attributes (DA1), which almost all report. Responses
	// arrive in order, so that of DA1 is the last one. OSC 11 ends with BEL, because
	// rxvt responds to ST with an incomplete ST.
	backgroundQuery = "\x1b]11;?\a\x1b[c"
)

var colorPattern = regexp.MustCompile(`^11;(?:rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})|#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2}))`)

// LightBackground reports whether the terminal has a light background. It uses
// COLORFGBG, which rxvt, Konsole and others set to "foreground;background" in the
// sixteen colours of the terminal. Without it, the first call queries the terminal and
// waits up to 100 ms; the background is dark if there is no response. DrainResponses
// must be called before anything else reads from the terminal.
func (s *Streams) LightBackground() bool {
	if colors := s.Getenv("COLORFGBG"); colors != "" {
		number := colors[strings.LastIndexByte(colors, ';')+1:]
		return number == "7" || number == "15"
	}
	b := s.background
	if b == nil || !s.OutTTY || s.Dumb || !mayQuery(s.Getenv) {
		return false
	}
	if !b.queried {
		b.queried = true
		if in, out, err := s.TTY(); err == nil {
			b.query(in, out)
		}
	}
	return b.light
}

// DrainResponses ends the query of the background and restores the terminal's modes.
// If a response is outstanding, it waits until 300 ms after the query. If none has
// arrived by then, later calls discard a response that has arrived since. Keys typed in
// the meantime are returned to the terminal or, where the system does not allow that,
// saved for TypedAhead. DrainResponses must be called before anything else reads from
// the terminal and before the program exits.
func (s *Streams) DrainResponses() {
	switch b := s.background; {
	case b == nil:
	case b.restore != nil:
		b.drain()
	case b.queried && b.in != nil && !b.received.complete:
		if in, out, err := s.openTTY(); err == nil {
			b.discardLate(in, out)
		}
	}
}

// TypedAhead returns the keys that were typed during a query and could not be returned
// to the terminal, and forgets them. They may end with the beginning of a response.
func (s *Streams) TypedAhead() []byte {
	if s.background == nil {
		return nil
	}
	b := s.background
	typed := append(b.typed, b.received.pending...) // the rest of a partial response follows
	b.typed, b.received.pending = nil, nil
	return typed
}

// Unread saves keys that were read but are for the next reader, which gets them from
// TypedAhead.
func Unread(s *Streams, keys string) {
	if s.background != nil {
		s.background.typed = append(s.background.typed, keys...)
	}
}

// mayQuery reports whether the terminal may be queried. The Linux console prints unknown
// sequences. GNU screen, unlike tmux with the same TERM, forwards the query to the outer
// terminal, whose response may be lost. Over ssh the round trip may exceed the timeout.
func mayQuery(env Env) bool {
	name, ssh := env("TERM"), cmp.Or(env("SSH_CONNECTION"), env("SSH_TTY"), env("SSH_CLIENT"))
	return ssh == "" && name != "linux" && (!strings.HasPrefix(name, "screen") || env("TMUX") != "")
}

// background is the query of the background, which is sent once.
type background struct {
	queried, light bool

	in, out  *os.File
	deadline time.Time // of the response
	received responses
	// While a response is outstanding, the echo is off, so that a late one is not
	// shown. DrainResponses calls restore, which is nil if there is no query.
	restore func() error
	typed   []byte // could not be returned to the terminal

	// They replace the constants of the same names unless they are 0.
	responseTimeout, drainTimeout time.Duration
}

// query sends the query and waits for the response, unless the process is in the
// background or there is typed input.
func (b *background) query(in, out *os.File) {
	restore, err := cbreakIfIdle(in)
	if err != nil {
		closeTTY(in, out)
		return
	}
	now := time.Now()
	b.in, b.out, b.restore, b.deadline = in, out, restore, now.Add(cmp.Or(b.drainTimeout, drainTimeout))
	_, err = out.WriteString(backgroundQuery)
	if err != nil || b.receive(now.Add(cmp.Or(b.responseTimeout, responseTimeout))) {
		b.drain()
	}
	b.light = isLight(b.received.background)
}

func (b *background) drain() {
	b.receive(b.deadline)
	_ = b.restore()
	b.restore = nil
	b.typed = append(b.typed, retype(b.in, b.received.take())...)
	closeTTY(b.in, b.out)
}

// discardLate discards a response that has arrived late. It waits only for the rest of
// a partial one.
func (b *background) discardLate(in, out *os.File) {
	restore, err := cbreak(in)
	if err != nil {
		closeTTY(in, out)
		return
	}
	b.in, b.out, b.restore, b.deadline = in, out, restore, time.Now()
	if !b.receive(b.deadline) && len(b.received.pending) > 0 {
		b.deadline = b.deadline.Add(cmp.Or(b.responseTimeout, responseTimeout))
	}
	b.drain()
}

// receive reads until the last response or deadline, and reports whether the last
// response has arrived.
func (b *background) receive(deadline time.Time) bool {
	buffer := make([]byte, 256)
	for !b.received.complete {
		n, err := readUntil(b.in, buffer, deadline)
		if n == 0 || err != nil {
			return false
		}
		b.received.add(buffer[:n])
	}
	return true
}

// responses separates the responses of a terminal from typed keys.
type responses struct {
	background string // the response to OSC 11, without ESC ]
	complete   bool   // the response to DA1, the last one, has arrived

	typed, pending []byte
}

func (r *responses) add(data []byte) {
	r.pending = append(r.pending, data...)
	for len(r.pending) > 0 {
		n, partial := Response(string(r.pending))
		switch response := string(r.pending[:n]); {
		case partial:
			return
		case n == 0:
			r.typed, n = append(r.typed, r.pending[0]), 1
		case strings.HasPrefix(response, "\x1b]11;"):
			r.background = strings.TrimRight(response[2:], "\a\x1b\\")
		case strings.HasPrefix(response, "\x1b[?") && response[n-1] == 'c':
			r.complete = true
		}
		r.pending = r.pending[n:]
	}
}

// take returns and removes the typed keys. A single ESC is a key; a partial response
// stays.
func (r *responses) take() []byte {
	typed := r.typed
	if string(r.pending) == "\x1b" {
		typed, r.pending = append(typed, r.pending...), nil
	}
	r.typed = nil
	return typed
}

// isLight reports whether the colour in a response to OSC 11 looks closer to white than
// to black (ITU-R BT.709).
func isLight(response string) bool {
	m := colorPattern.FindStringSubmatch(response)
	if m == nil {
		return false
	}
	channels := slices.DeleteFunc(m[1:], func(channel string) bool { return channel == "" })
	var luminance float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value, _ := strconv.ParseUint(channels[i], 16, 16)
		luminance += weight * float64(value) / (math.Pow(16, float64(len(channels[i]))) - 1)
	}
	return luminance > 0.5
}
