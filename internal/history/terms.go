package history

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A term is a word in the form of the search index: in lower case, without
// compatibility forms and accents. In scripts without spaces between words, and of
// emoji, each character is a term, so that parts of a sentence are found as phrases.
type term struct {
	text       string
	start, end int // bytes of the original text
}

// terms splits a text into terms.
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
		case isSymbol(r):
			flush(i)
			out = append(out, term{symbolTerm(r), i, i + len(string(r))})
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			if word.Len() == 0 {
				start = i
			}
			fold(&word, r)
		case unicode.Is(unicode.Inherited, r) && unicode.IsMark(r):
			// An accent belongs to the letter before it and is not indexed.
		case unicode.IsMark(r) && word.Len() > 0:
			word.WriteRune(r) // a vowel sign, as in the scripts of India
		default:
			flush(i)
		}
	}
	flush(len(text))
	return out
}

// unspaced reports whether the script of r is written without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// isSymbol reports whether r is an emoji, a skin tone or a similar symbol, but not a
// box-drawing or Braille character.
func isSymbol(r rune) bool {
	drawing := r >= 0x2500 && r <= 0x259f || r >= 0x2800 && r <= 0x28ff
	return r > 0xff && unicode.Is(unicode.So, r) && !drawing || r >= 0x1f3fb && r <= 0x1f3ff
}

// symbolTerm returns the term of a symbol. The tokenizer of the index drops symbols, so
// it is a private character, which is in no other term, and the code point.
func symbolTerm(r rune) string { return fmt.Sprintf("\ue000%x", r) }

// fold appends r in lower case without accents. Characters that the index does not
// treat as letters or numbers are omitted, so that both agree on words.
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

// accentless drops the marks that do not belong to a specific script.
func accentless(r rune) rune {
	if unicode.IsMark(r) && unicode.Is(unicode.Inherited, r) {
		return -1
	}
	return r
}

// latin returns the usual ASCII spelling of letters that Unicode does not decompose,
// and σ for ς. It returns "" for other letters.
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

// indexed returns a text in the form of the index.
func indexed(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for _, t := range terms(text) {
		b.WriteString(t.text)
		b.WriteByte(' ')
	}
	return b.String()
}

// A needle is one condition of a query: a sequence of terms, the last one possibly a
// prefix.
type needle struct {
	terms  []string
	prefix bool
}

// parseQuery parses words, "phrases", prefix* and -excluded. Any input is valid; other
// characters are separators.
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

// asPrefixes returns needles in which each word of at least a number of letters also
// matches longer words.
func asPrefixes(needles []needle, letters int) []needle {
	out := slices.Clone(needles)
	for i, n := range out {
		if len(n.terms) == 1 && utf8.RuneCountInString(n.terms[0]) >= letters {
			out[i].prefix = true
		}
	}
	return out
}

// match returns the query in the syntax of FTS5. Terms are quoted, so that none is an
// operator.
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

// find returns the byte ranges of text that match a needle, in order and without overlap.
func find(text string, needles []needle) [][2]int {
	words := terms(text)
	var found [][2]int
	for i := 0; i < len(words); i++ {
		longest := 0
		for _, n := range needles {
			if len(n.terms) > longest && beginsWith(words[i:], n) {
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

// matches reports whether text matches the query, as the index would.
func matches(text string, want, reject []needle) bool {
	fails := func(n needle) bool { return len(find(text, []needle{n})) == 0 }
	return !slices.ContainsFunc(want, fails) && !slices.ContainsFunc(reject, func(n needle) bool { return !fails(n) })
}

func beginsWith(words []term, n needle) bool {
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
