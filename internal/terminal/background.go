package terminal

import (
	"bytes"
	"cmp"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	// answerLimit is how long a rendering may wait for the terminal to tell its
	// background; people notice more.
	answerLimit = 100 * time.Millisecond

	// replyLimit is how long after the question a reply is still kept from
	// showing up as if it was typed. A pager, a prompt and the end of the program
	// wait for it where the terminal has not answered.
	replyLimit = 300 * time.Millisecond

	// backgroundQuestion asks for the background by OSC 11, which many terminals
	// do not know, and then for the terminal's kind (DA1), which all but a few
	// answer, and in order: whoever has read the second answer has them all. BEL
	// ends the first, because rxvt does not answer an ST with a whole ST.
	backgroundQuestion = "\x1b]11;?\a\x1b[c"
)

var colorPattern = regexp.MustCompile(`^11;(?:rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})|#([0-9a-fA-F]{2})([0-9a-fA-F]{2})([0-9a-fA-F]{2}))`)

// background is the question about the background, which is put once.
type background struct {
	asked, light bool

	// An unanswered question keeps the terminal quiet, so that a late reply is
	// not echoed; see DrainReplies.
	open  *inquiry
	typed []byte

	// What goes before the constants of these names; zero is nothing.
	answerLimit, replyLimit time.Duration
}

// inquiry is a terminal that is to answer until deadline.
type inquiry struct {
	in, out  *os.File
	restore  func() error
	deadline time.Time
	heard    replies
}

// LightBackground reports whether the terminal has a light background: by
// COLORFGBG, which rxvt, Konsole and others set to "foreground;background" in
// the sixteen colours of the terminal, else by asking the terminal, once, for at
// most 100 ms. It is false if the terminal does not answer. After a question calls
// of DrainReplies are necessary.
func (s *Streams) LightBackground() bool {
	if colors := s.Getenv("COLORFGBG"); colors != "" {
		number := colors[strings.LastIndexByte(colors, ';')+1:]
		return number == "7" || number == "15"
	}
	if s.background == nil || !s.OutTTY || s.Dumb || !s.answers() {
		return false
	}
	if !s.background.asked {
		s.background.asked = true
		s.askBackground()
	}
	return s.background.light
}

// answers tells whether the terminal may be asked. The Linux console prints what
// it does not know, and GNU screen, unlike tmux under the same name, hands the
// question to a terminal whose answer may go astray. Over ssh the way there and
// back may take longer than anybody waits for a reply.
func (s *Streams) answers() bool {
	for _, key := range []string{"SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"} {
		if s.Getenv(key) != "" {
			return false
		}
	}
	name := s.Getenv("TERM")
	return name != "linux" && (!strings.HasPrefix(name, "screen") || s.Getenv("TMUX") != "")
}

// askBackground puts the question, unless somebody else owns the terminal or
// something is typed already.
func (s *Streams) askBackground() {
	in, out, err := s.TTY()
	if err != nil {
		return
	}
	restore, err := quietly(in)
	if err != nil {
		closeTTY(in, out)
		return
	}
	c := &inquiry{in: in, out: out, restore: restore, deadline: time.Now().Add(cmp.Or(s.background.replyLimit, replyLimit))}
	s.background.open = c
	if _, err := out.WriteString(backgroundQuestion); err != nil {
		s.DrainReplies()
		return
	}
	if c.listen(time.Now().Add(cmp.Or(s.background.answerLimit, answerLimit))) {
		s.DrainReplies()
	}
	s.background.light = isLight(c.heard.background)
}

// DrainReplies ends the question about the background and restores the terminal's
// modes. It returns at once where there is no question or the terminal has
// answered; for a reply that is still out it waits, until 300 ms after the
// question at most, and one that comes later yet shows up as if it was typed.
// What was typed in the meantime is typed again, or kept for TypedAhead where the
// system does not let it be. It is called before anybody else reads from the
// terminal and when the program ends.
func (s *Streams) DrainReplies() {
	if s.background == nil || s.background.open == nil {
		return
	}
	c := s.background.open
	s.background.open = nil
	c.listen(c.deadline)
	_ = c.restore()
	s.background.typed = append(s.background.typed, retype(c.in, c.heard.rest())...)
	closeTTY(c.in, c.out)
}

// TypedAhead returns, once, what was typed while the terminal was asked
// something and could not be given back to it.
func (s *Streams) TypedAhead() []byte {
	if s.background == nil {
		return nil
	}
	typed := s.background.typed
	s.background.typed = nil
	return typed
}

// listen reads until the last answer is there, which it tells, or deadline.
func (c *inquiry) listen(deadline time.Time) bool {
	buffer := make([]byte, 256)
	for !c.heard.complete {
		n, err := readUntil(c.in, buffer, deadline)
		if n == 0 || err != nil {
			return false
		}
		c.heard.add(buffer[:n])
	}
	return true
}

// replies is what came from a terminal, replies and typing apart.
type replies struct {
	background string // what OSC 11 answered, without ESC ]
	complete   bool   // the answer to DA1 has come

	typed, pending []byte
}

var (
	oscPattern = regexp.MustCompile(`^\x1b\]([^\x07\x1b]*)(?:\x07|\x1b\\)`)
	daPattern  = regexp.MustCompile(`^\x1b\[\?[0-9;]*c`)

	// An answer that has begun, or ESC alone.
	partPattern = regexp.MustCompile(`^\x1b(?:\][^\x07\x1b]*\x1b?|\[(?:\?[0-9;]*)?)?$`)
)

func (r *replies) add(data []byte) {
	r.pending = append(r.pending, data...)
	for len(r.pending) > 0 {
		if m := oscPattern.FindSubmatch(r.pending); m != nil {
			if bytes.HasPrefix(m[1], []byte("11;")) {
				r.background = string(m[1])
			}
			r.pending = r.pending[len(m[0]):]
		} else if m := daPattern.Find(r.pending); m != nil {
			r.complete = true
			r.pending = r.pending[len(m):]
		} else if partPattern.Match(r.pending) {
			return
		} else {
			r.typed = append(r.typed, r.pending[0])
			r.pending = r.pending[1:]
		}
	}
}

// rest is what was typed. Half an answer is none of it, but ESC alone is a key.
func (r *replies) rest() []byte {
	if string(r.pending) == "\x1b" {
		return append(r.typed, r.pending...)
	}
	return r.typed
}

// isLight tells whether a colour of XParseColor's is nearer to white than to
// black for the eye (ITU-R BT.709).
func isLight(answer string) bool {
	m := colorPattern.FindStringSubmatch(answer)
	if m == nil {
		return false
	}
	channels := m[1:4]
	if channels[0] == "" {
		channels = m[4:7]
	}
	var luminance float64
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		value, _ := strconv.ParseUint(channels[i], 16, 16)
		luminance += weight * float64(value) / (math.Pow(16, float64(len(channels[i]))) - 1)
	}
	return luminance > 0.5
}
