package terminal

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

var (
	// sgrPattern limits the number and size of parameters, because terminals treat
	// overflowing ones differently.
	sgrPattern  = regexp.MustCompile(`\x1b\[((?:[0-9]{0,3}[;:]){0,31}[0-9]{0,3})m`)
	foldPattern = regexp.MustCompile(`[ \t\n]*[\t\n][ \t\n]*`)
)

// Clean makes text safe for a terminal without losing any of it. Newline and tab stay,
// CRLF and the Unicode line and paragraph separators become newlines, other C0 controls
// and DEL become their control pictures (ESC is ␛), C1 controls and bidi controls become
// their code points (<U+009B>), and invalid UTF-8 becomes U+FFFD. Clean is idempotent.
//
// Bidi controls are shown because they can make text look like different text
// (https://trojansource.codes), and tag characters outside of flags because they can
// hide whole sentences. Other invisible characters affect only the layout of multi-line
// text and stay.
func Clean(text string) string {
	return clean(text, true)
}

// CleanASCII is like Clean, with ASCII replacements: ESC becomes ^[, and invalid UTF-8
// becomes a question mark.
func CleanASCII(text string) string {
	return clean(text, false)
}

// Clean calls the function Clean, or CleanASCII in a locale without Unicode.
func (s *Streams) Clean(text string) string {
	return clean(text, s.UTF8)
}

// CleanLine calls the function CleanLine. In a locale without Unicode it uses ASCII
// replacements, and three dots instead of ….
func (s *Streams) CleanLine(text string) string {
	if s.UTF8 {
		return CleanLine(text)
	}
	return strings.ReplaceAll(cleanLine(text, false), "…", "...")
}

func clean(text string, useUnicode bool) string {
	if strings.ContainsFunc(text, isTag) {
		text = revealTags(text)
	}
	if utf8.ValidString(text) && !strings.ContainsFunc(text, Unsafe) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	for i, r := range text {
		switch {
		case r == '\r' && strings.HasPrefix(text[i+1:], "\n"):
		case r == '\u2028', r == '\u2029':
			b.WriteByte('\n')
		case !useUnicode && r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"):
			b.WriteByte('?')
		case !Unsafe(r):
			b.WriteRune(r)
		case !useUnicode && r <= 0x7f: // caret notation
			b.WriteByte('^')
			b.WriteByte(byte(r) ^ 0x40)
		case r < 0x20:
			b.WriteRune('\u2400' + r)
		case r == 0x7f:
			b.WriteRune('\u2421')
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// CleanLine returns text as one clean line, such as a title or a name. Each run of white
// space that contains a newline or a tab becomes one space, and leading and trailing
// spaces are removed. Invisible characters without a function become their code points.
// If a character on the screen has more than 16 code points, the others are replaced by
// their number, as in <+984>.
func CleanLine(text string) string {
	return cleanLine(text, true)
}

func cleanLine(text string, useUnicode bool) string {
	return strings.Trim(reveal(foldPattern.ReplaceAllString(clean(text, useUnicode), " ")), " ")
}

// IsPrintable reports whether text has neither control characters, except newlines and
// tabs, nor other characters that CleanLine would make visible.
func IsPrintable(text string) bool {
	text = strings.ReplaceAll(text, "\t", " ")
	for line := range strings.SplitSeq(text, "\n") {
		if reveal(clean(line, true)) != line {
			return false
		}
	}
	return true
}

// FilterRendered is like Clean, for the output of a renderer. With color, SGR sequences
// (ESC [ digits, ; and : m) that do not conceal text stay, and the result ends with a
// reset if one is in effect. Without color they are removed.
func FilterRendered(text string, color bool) string {
	var b strings.Builder
	b.Grow(len(text))
	end, open := 0, false
	for _, at := range sgrPattern.FindAllStringSubmatchIndex(text, -1) {
		b.WriteString(Clean(text[end:at[0]]))
		end = at[1]
		params := text[at[2]:at[3]]
		if !color || conceals(params) {
			continue
		}
		b.WriteString(text[at[0]:at[1]])
		open = params != "" && params != "0"
	}
	b.WriteString(Clean(text[end:]))
	if open {
		b.WriteString(cells.Reset)
	}
	return b.String()
}

// conceals reports whether an SGR sequence with these parameters hides text, or might
// because the arguments of a colour are missing. The arguments of 38, 48 and 58 are not
// codes themselves (ECMA-48 8.3.117, ITU-T T.416): 38;5;8 is a colour and hides nothing.
func conceals(params string) bool {
	fields := strings.Split(params, ";")
	i := 0
	for ; i < len(fields); i++ {
		first, _, colons := strings.Cut(fields[i], ":")
		switch code, _ := strconv.Atoi(first); {
		case code == 8:
			return true
		case colons || code != 38 && code != 48 && code != 58:
		case i+1 == len(fields):
			return true
		case fields[i+1] == "5":
			i += 2
		case fields[i+1] == "2":
			i += 4
		}
	}
	return i > len(fields)
}

// Truncate shortens line to width columns. A shortened line ends with …, or with three
// dots without Unicode. SGR sequences stay and do not count.
func (s *Streams) Truncate(line string, width int) string {
	if s.UTF8 {
		return ansi.Truncate(line, width, "…")
	}
	return ansi.Truncate(line, width, "...")
}

// Unsafe reports whether Clean replaces r.
func Unsafe(r rune) bool {
	return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control))
}
