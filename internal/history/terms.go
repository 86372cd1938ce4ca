package history

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A term is a word as the search index has it: compatibility forms and accents
// folded, in lower case. Writing without spaces between words is cut into single
// characters, so that a part of a sentence is found as a phrase.
type term struct {
	text       string
	start, end int // bytes of the original text
}

// terms cuts a text into its terms.
func terms(text string) []term {
	var out []term
	var word strings.Builder
	start := 0
	flush := func(end int) {
		if word.Len() > 0 {
			out = append(out, term{word.String(), start, end})
			word.Reset()
		}
	}
	for i, r := range text {
		switch {
		case unspaced(r):
			flush(i)
			start = i
			fold(&word, r)
			flush(i + len(string(r)))
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			if word.Len() == 0 {
				start = i
			}
			fold(&word, r)
		case unicode.Is(unicode.Inherited, r) && unicode.IsMark(r):
			// An accent belongs to the letter before it and is not indexed.
		case unicode.IsMark(r) && word.Len() > 0:
			word.WriteRune(r) // a vowel sign, as the scripts of India have
		default:
			flush(i)
		}
	}
	flush(len(text))
	return out
}

// unspaced reports whether the script of r puts no spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// fold appends r without accents and in lower case. What the index would not
// take for a letter or a number is left out, so that both agree on words.
func fold(b *strings.Builder, r rune) {
	if r < 0x80 {
		b.WriteRune(unicode.ToLower(r))
		return
	}
	if plain := latin(r); plain != "" {
		b.WriteString(plain)
		return
	}
	for _, d := range norm.NFKC.String(strings.Map(accentless, norm.NFKD.String(string(r)))) {
		if unicode.IsLetter(d) || unicode.IsNumber(d) || unicode.IsMark(d) && b.Len() > 0 {
			b.WriteRune(unicode.ToLower(d))
		}
	}
}

// accentless drops the marks that Unicode gives to no script of their own.
func accentless(r rune) rune {
	if unicode.IsMark(r) && unicode.Is(unicode.Inherited, r) {
		return -1
	}
	return r
}

// latin spells letters that Unicode does not take apart as people without the key
// type them; ς is σ at the end of a word.
func latin(r rune) string {
	for _, special := range [...]struct {
		letter rune
		plain  string
	}{
		{'ø', "o"}, {'ł', "l"}, {'đ', "d"}, {'ð', "d"}, {'ı', "i"}, {'ς', "σ"}, {'æ', "ae"}, {'œ', "oe"}, {'ß', "ss"}, {'þ', "th"},
	} {
		if special.letter == unicode.ToLower(r) {
			return special.plain
		}
	}
	return ""
}

// indexed is a text as it goes into the index.
func indexed(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, t := range terms(text) {
		b.WriteString(t.text)
		b.WriteByte(' ')
	}
	return b.String()
}

// A needle is one condition of a query: terms that follow each other, the last
// one perhaps only begun.
type needle struct {
	terms  []string
	prefix bool
}

// parseQuery reads words, "phrases", begin* and -not. Any input is a query: what
// has no meaning is a separator.
func parseQuery(query string) (want, reject []needle) {
	parts := regexp.MustCompile(`(-?)(?:"([^"]*)"?(\*?)|([^\s\v\x{85}\p{Z}"]+))`)
	for _, part := range parts.FindAllStringSubmatch(query, -1) {
		text := part[2] + part[3] + part[4]
		n := needle{prefix: strings.HasSuffix(text, "*")}
		for _, t := range terms(text) {
			n.terms = append(n.terms, t.text)
		}
		switch {
		case len(n.terms) == 0:
		case part[1] == "-":
			reject = append(reject, n)
		default:
			want = append(want, n)
		}
	}
	return want, reject
}

// match is the query in the syntax of FTS5. Every term stands in quotes, so that
// none is taken for an operator.
func match(want, reject []needle) string {
	join := func(needles []needle, op string) string {
		parts := make([]string, len(needles))
		for i, n := range needles {
			parts[i] = `"` + strings.Join(n.terms, " ") + `"`
			if n.prefix {
				parts[i] += " *"
			}
		}
		return strings.Join(parts, op)
	}
	text := "(" + join(want, " AND ") + ")"
	if len(reject) > 0 {
		text += " NOT (" + join(reject, " OR ") + ")"
	}
	return text
}

// find returns the bytes of text that the needles meet, in order and without overlap.
func find(text string, needles []needle) [][2]int {
	words := terms(text)
	var found [][2]int
	for i := 0; i < len(words); i++ {
		longest := 0
		for _, n := range needles {
			if len(n.terms) > longest && meets(words[i:], n) {
				longest = len(n.terms)
			}
		}
		if longest > 0 {
			found = append(found, [2]int{words[i].start, words[i+longest-1].end})
			i += longest - 1
		}
	}
	return found
}

// met reports whether text meets the query as the index would.
func met(text string, want, reject []needle) bool {
	fails := func(n needle) bool { return len(find(text, []needle{n})) == 0 }
	return !slices.ContainsFunc(want, fails) && !slices.ContainsFunc(reject, func(n needle) bool { return !fails(n) })
}

func meets(words []term, n needle) bool {
	if len(words) < len(n.terms) {
		return false
	}
	for i, t := range n.terms {
		if last := i == len(n.terms)-1; words[i].text != t && !(last && n.prefix && strings.HasPrefix(words[i].text, t)) {
			return false
		}
	}
	return true
}
