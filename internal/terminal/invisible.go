package terminal

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

const (
	zwsp, zwnj, zwj = '\u200b', '\u200c', '\u200d'
	textStyle       = '\ufe0e' // variation selectors 15 and 16, for emoji
	emojiStyle      = '\ufe0f'
	mongolianVowel  = '\u180e'
	brailleBlank    = '\u2800'

	// maxRevealed is the maximum number of invisible characters in a row that are shown.
	maxRevealed = 8
	// maxPasses limits how often a line is revealed.
	maxPasses = 4
)

// subdivisionFlags are the emoji with tag characters: England, Scotland and Wales
// (https://www.unicode.org/Public/emoji/latest/emoji-sequences.txt).
var subdivisionFlags = []string{tagged("gbeng"), tagged("gbsct"), tagged("gbwls")}

// tagged returns a black flag followed by a region in tag characters.
func tagged(region string) string {
	var b strings.Builder
	b.WriteString("\U0001f3f4")
	for _, r := range region {
		b.WriteRune(0xe0000 + r)
	}
	b.WriteRune(0xe007f)
	return b.String()
}

var (
	// Scripts with joined letters, whose form ZWNJ and ZWJ select.
	cursive = []*unicode.RangeTable{
		unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Mongolian, unicode.Nko, unicode.Phags_Pa, unicode.Adlam,
		unicode.Hanifi_Rohingya, unicode.Manichaean, unicode.Sogdian, unicode.Psalter_Pahlavi, unicode.Chorasmian, unicode.Old_Uyghur,
	}
	// Scripts with conjuncts, which ZWNJ and ZWJ select.
	brahmic = []*unicode.RangeTable{
		unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
		unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Balinese, unicode.Grantha, unicode.Newa, unicode.Tirhuta,
		unicode.Brahmi, unicode.Chakma, unicode.Sharada, unicode.Modi, unicode.Meetei_Mayek, unicode.Sundanese, unicode.Syloti_Nagri,
	}
	// Scripts without spaces between words, in which ZWSP allows a line break.
	unspaced = []*unicode.RangeTable{
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Javanese, unicode.New_Tai_Lue, unicode.Tai_Tham, unicode.Tai_Viet, unicode.Tibetan,
	}
)

// reveal replaces invisible characters in a line by their code points, such as <U+200B>,
// unless they serve their purpose in Unicode: they join emoji, letters of cursive scripts
// or conjuncts, select a variant of the preceding character, belong to the flag of
// England, Scotland or Wales, or separate words of scripts without spaces. Of many
// invisible characters in a row it shows the first and the number of the others. It also
// limits the size of grapheme clusters. reveal is idempotent.
func reveal(line string) string {
	for pass := 1; ; pass++ {
		revealed := revealOnce(line, pass < maxPasses)
		if revealed == line {
			return line
		}
		line = revealed
	}
}

// revealOnce replaces invisible characters once; without lenient, even those that serve
// a purpose.
func revealOnce(line string, lenient bool) string {
	if isASCII(line) {
		return line
	}
	var b escaper
	var before []rune // the preceding cluster
	for rest := line; rest != ""; {
		cluster, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		rest = rest[len(cluster):]
		runes := []rune(cluster)
		if slices.Contains(subdivisionFlags, cluster) || len(runes) == 1 && !invisible(runes[0]) {
			b.write(cluster)
			before = runes
			continue
		}
		var part []rune // of the cluster
		next, _ := utf8.DecodeRuneInString(rest)
		before = last(before, 2)
		context := slices.Concat(before, runes)
		for i, r := range runes {
			if !invisible(r) || lenient && useful(context, len(before)+i, next) {
				part = append(part, r)
				continue
			}
			b.write(cells.Bounded(string(part)))
			b.escape(r)
			part = nil
		}
		b.write(cells.Bounded(string(part)))
		before = runes
	}
	return b.text()
}

// escaper builds a text in which some characters are replaced by their code points.
type escaper struct {
	b   strings.Builder
	run int // the number of characters escaped in a row
}

func (s *escaper) write(text string) {
	if text != "" {
		s.end()
		s.b.WriteString(text)
	}
}

func (s *escaper) escape(r rune) {
	if s.run++; s.run <= maxRevealed {
		fmt.Fprintf(&s.b, "<U+%04X>", r)
	}
}

func (s *escaper) end() {
	if s.run > maxRevealed {
		fmt.Fprintf(&s.b, "<+%d>", s.run-maxRevealed)
	}
	s.run = 0
}

func (s *escaper) text() string {
	s.end()
	return s.b.String()
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// last returns the last n runes.
func last(runes []rune, n int) []rune { return runes[max(0, len(runes)-n):] }

// invisible reports whether a character has no visible form: it is default ignorable
// in Unicode, an annotation, or the blank of Braille.
func invisible(r rune) bool {
	if r < 0xad {
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) &&
		(r < 0x13430 || r > 0x1343f) || r == brailleBlank
}

// useful reports whether the invisible character runes[at] serves a purpose. Next is the
// character after runes, or 0xfffd at the end of the line.
func useful(runes []rune, at int, next rune) bool {
	var before rune
	if at > 0 {
		before = runes[at-1]
	}
	inCluster := at+1 < len(runes)
	if inCluster {
		next = runes[at+1]
	}
	switch r := runes[at]; {
	case r == zwj || r == zwnj:
		return joins(runes, at, r, before, next, inCluster)
	case r == zwsp:
		return unicode.In(before, unspaced...) && unicode.In(next, unspaced...)
	case r == textStyle || r == emojiStyle:
		return before > ' ' && (unicode.In(before, unicode.So, unicode.Sm, unicode.Po, unicode.Pd) && !invisible(before) || before >= '0' && before <= '9' || before == 'ℹ')
	case r >= 0xfe00 && r < textStyle:
		return before == '0' || unicode.In(before, unicode.Han, unicode.Sm, unicode.Myanmar, unicode.Phags_Pa, unicode.Manichaean) || before >= 0x3000 && unicode.Is(unicode.Po, before)
	case r >= 0xe0100 && r <= 0xe01ef:
		return unicode.Is(unicode.Han, before)
	case r == mongolianVowel:
		return isLetter(before, unicode.Mongolian) && isLetter(next, unicode.Mongolian)
	case r >= 0x180b && r <= 0x180f:
		return isLetter(before, unicode.Mongolian)
	case r == brailleBlank:
		return before != brailleBlank && unicode.Is(unicode.Braille, before) || next != brailleBlank && unicode.Is(unicode.Braille, next)
	}
	return false
}

// joins reports whether r, a joiner or non-joiner, serves a purpose between before and
// next. InCluster reports whether next belongs to the same grapheme cluster, as in an
// emoji or a conjunct.
func joins(runes []rune, at int, r, before, next rune, inCluster bool) bool {
	if before == emojiStyle && at > 1 {
		before = runes[at-2]
	}
	for i := at - 1; i > 0 && unicode.Is(unicode.Mn, before) && !unicode.In(before, brahmic...); i-- { // vowel signs
		before = runes[i-1]
	}
	switch {
	case invisible(before), invisible(next):
		return false
	case r == zwj && inCluster && !unicode.In(next, unicode.L, unicode.M, unicode.N):
		return true
	case isVirama(before):
		return true
	case unicode.In(before, brahmic...) && unicode.In(next, brahmic...):
		return true
	case r == zwj:
		return isLetter(before, cursive...) || isLetter(next, cursive...)
	}
	return isLetter(before, cursive...) && isLetter(next, cursive...)
}

// isLetter reports whether r is a letter of one of the scripts.
func isLetter(r rune, scripts ...*unicode.RangeTable) bool {
	return unicode.IsLetter(r) && unicode.In(r, scripts...)
}

// isVirama reports whether r removes the vowel of the preceding consonant.
func isVirama(r rune) bool {
	return strings.ContainsRune("\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0f84\u1039\u103a\u17d2\u1b44\u1baa\ua806\ua8c4\ua9c0\uabed", r)
}

// revealTags replaces tag characters outside of flags by their code points, because a
// whole message can be hidden in them.
func revealTags(text string) string {
	var b escaper
	for rest := text; rest != ""; {
		at := strings.IndexFunc(rest, isTag)
		if at < 0 {
			b.write(rest)
			break
		}
		base := strings.TrimSuffix(rest[:at], "\U0001f3f4")
		if i := slices.IndexFunc(subdivisionFlags, func(flag string) bool { return strings.HasPrefix(rest[len(base):], flag) }); i >= 0 {
			n := len(base) + len(subdivisionFlags[i])
			b.write(rest[:n])
			rest = rest[n:]
			continue
		}
		b.write(rest[:at])
		r, size := utf8.DecodeRuneInString(rest[at:])
		b.escape(r)
		rest = rest[at+size:]
	}
	return b.text()
}

func isTag(r rune) bool { return r >= 0xe0000 && r <= 0xe007f }
