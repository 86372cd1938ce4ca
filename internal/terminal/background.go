package terminal

import (
	"bytes"
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
	// answerLimit is how long LightBackground waits for the terminal; people notice
	// longer delays.
	answerLimit = 100 * time.Millisecond
	// replyLimit is how long after the question a reply is still kept from showing up
	// as if it was typed. A pager, a prompt and the end of the program wait for it if
	// the terminal has not answered.
	replyLimit = 300 * time.Millisecond

	// backgroundQuestion asks for the background with OSC 11, which many terminals do
	// not know, and then for the terminal's kind (DA1), which almost all answer, and
	// in order: after the second answer there are no more. BEL ends the first one,
	// because rxvt does not answer an ST with a whole ST.
	backgroundQuestion = "\x1b]11;?\a\x1b[c"
)

var colorPattern = regexp.MustCompile(`^11;(?:rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})|#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2}))`)

// LightBackground reports whether the terminal has a light background: by
// COLORFGBG, which rxvt, Konsole and others set to "foreground;background" in
// the sixteen colours of the terminal, else by asking the terminal, once, for at
// most 100 ms. It is false if the terminal does not answer. After it, DrainReplies
// has to be called before anything else reads from the terminal.
func (s *Streams) LightBackground() bool {
	if colors := s.Getenv("COLORFGBG"); colors != "" {
		number := colors[strings.LastIndexByte(colors, ';')+1:]
		return number == "7" || number == "15"
	}
	b := s.background
	if b == nil || !s.OutTTY || s.Dumb || !answers(s.Getenv) {
		return false
	}
	if !b.asked {
		b.asked = true
		if in, out, err := s.TTY(); err == nil {
			b.ask(in, out)
		}
	}
	return b.light
}

// DrainReplies ends the question about the background and restores the terminal's
// modes. It returns at once if there is no question or the terminal has answered;
// otherwise it waits for the reply until 300 ms after the question. A reply that
// comes even later shows up as if it was typed. What was typed meanwhile is typed
// again, or saved for TypedAhead where the system does not allow that. It has to be
// called before anything else reads from the terminal and when the program ends.
func (s *Streams) DrainReplies() {
	if s.background != nil && s.background.restore != nil {
		s.background.drain()
	}
}

// TypedAhead returns, once, what was typed while the terminal was asked something
// and could not be given back to it.
func (s *Streams) TypedAhead() []byte {
	if s.background == nil {
		return nil
	}
	typed := s.background.typed
	s.background.typed = nil
	return typed
}

// answers reports whether the terminal may be asked. The Linux console prints what
// it does not know, and GNU screen, unlike tmux with the same TERM, forwards the
// question to a terminal whose answer may get lost. Over ssh the round trip may take
// longer than a reply is waited for.
func answers(env Env) bool {
	name, ssh := env("TERM"), cmp.Or(env("SSH_CONNECTION"), env("SSH_TTY"), env("SSH_CLIENT"))
	return ssh == "" && name != "linux" && (!strings.HasPrefix(name, "screen") || env("TMUX") != "")
}

// background is the question about the background, which is asked once.
type background struct {
	asked, light bool

	in, out  *os.File
	deadline time.Time // of the answer
	heard    replies
	// An unanswered question keeps the terminal quiet, so that a late reply is not
	// echoed, until DrainReplies calls restore; nil without a question.
	restore func() error
	typed   []byte // what could not be given back to the terminal

	// These replace the constants of the same names if they are not 0.
	answerLimit, replyLimit time.Duration
}

// ask asks the question, unless another process owns the terminal or something was
// typed already.
func (b *background) ask(in, out *os.File) {
	restore, err := quietly(in)
	if err != nil {
		closeTTY(in, out)
		return
	}
	now := time.Now()
	b.in, b.out, b.restore, b.deadline = in, out, restore, now.Add(cmp.Or(b.replyLimit, replyLimit))
	_, err = out.WriteString(backgroundQuestion)
	if err != nil || b.listen(now.Add(cmp.Or(b.answerLimit, answerLimit))) {
		b.drain()
	}
	b.light = isLight(b.heard.background)
}

func (b *background) drain() {
	b.listen(b.deadline)
	_ = b.restore()
	b.restore = nil
	b.typed = retype(b.in, b.heard.rest())
	closeTTY(b.in, b.out)
}

// listen reads until the last answer or deadline and reports which it was.
func (b *background) listen(deadline time.Time) bool {
	buffer := make([]byte, 256)
	for !b.heard.complete {
		n, err := readUntil(b.in, buffer, deadline)
		if n == 0 || err != nil {
			return false
		}
		b.heard.add(buffer[:n])
	}
	return true
}

// replies separates what a terminal answers from what is typed.
type replies struct {
	background string // the answer to OSC 11, without ESC ]
	complete   bool   // DA1 was answered

	typed, pending []byte
}

var (
	// An answer in OSC, which is the first group, or to DA1.
	answerPattern = regexp.MustCompile(`^\x1b(?:\]([^\x07\x1b]*)(?:\x07|\x1b\\)|\[\?[0-9;]*c)`)
	// The beginning of an answer, or ESC alone.
	partPattern = regexp.MustCompile(`^\x1b(?:\][^\x07\x1b]*\x1b?|\[(?:\?[0-9;]*)?)?$`)
)

func (r *replies) add(data []byte) {
	r.pending = append(r.pending, data...)
	for len(r.pending) > 0 {
		if m := answerPattern.FindSubmatch(r.pending); m != nil {
			r.complete = r.complete || m[1] == nil
			if bytes.HasPrefix(m[1], []byte("11;")) {
				r.background = string(m[1])
			}
			r.pending = r.pending[len(m[0]):]
		} else if partPattern.Match(r.pending) {
			return
		} else {
			r.typed = append(r.typed, r.pending[0])
			r.pending = r.pending[1:]
		}
	}
}

// rest returns what was typed: not an unfinished answer, but ESC alone is a key.
func (r *replies) rest() []byte {
	if string(r.pending) == "\x1b" {
		return append(r.typed, r.pending...)
	}
	return r.typed
}

// isLight reports whether a colour in the notation of XParseColor looks closer to
// white than to black (ITU-R BT.709).
func isLight(answer string) bool {
	m := colorPattern.FindStringSubmatch(answer)
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
