package guide

import (
	"slices"
	"strings"
)

const (
	// maxQuestion is how much of a message, in bytes, counts as the question:
	// what follows is input that was piped in after it.
	maxQuestion = 2 << 10
	// maxTerms bounds the work that one question can ask for.
	maxTerms = 48
	// faintWeight is what a word that names no subject counts in ranking.
	faintWeight = 0.5
	// certain is how sure a corrected word must be to change the question.
	certain = 0.8
	// itsName is in every section and means nothing, unless the question has no
	// other subject.
	itsName = "hobnob"
)

// query is what the guide made of a question.
type query struct {
	terms    []term
	platform *platform // the one that the question names, or nil
	more     bool      // asks for more of the earlier answer
	itself   bool      // names hobnob
	leaning  bool      // leans on the earlier question: "and …", "what about it"
}

// empty reports whether a question names no subject.
func (q query) empty() bool { return len(q.terms) == 0 }

// moreWords ask to go on; a question of goOn words with one of them among it
// asks for nothing else.
const (
	moreWords = "more else further next continue on details detail"
	goOnWords = moreWords + ` tell me please about that this it go what anything and is there show give us some
something yes ok okay sure again keep going thanks thank you in can the can could`
)

// leaningWords refer to what was said before.
const leaningWords = "it that them those this these same instead"

// paragraphs returns the parts of a message that may be the question, most
// likely first: its paragraphs within the first maxQuestion bytes. A prompt is
// followed by a blank line and then by the files and the input that go with it.
func paragraphs(message string) []string {
	if len(message) > maxQuestion {
		message = message[:maxQuestion]
	}
	message = strings.ToValidUTF8(message, " ")
	message = strings.ReplaceAll(message, "\r\n", "\n")
	return strings.Split(message, "\n\n")
}

// understand reads the first paragraph of a message that names a subject.
func (g *Guide) understand(message string) query {
	all := paragraphs(message)
	for _, paragraph := range all {
		if q := g.parse(paragraph); !q.empty() || q.more || q.platform != nil {
			return q
		}
	}
	return g.parse(all[0])
}

// parse reads one paragraph.
func (g *Guide) parse(text string) query {
	var (
		words = joinNegations(splitWords(text))
		q     = query{more: asksMore(words), leaning: leans(words)}
		seen  = map[string]bool{}
		add   = func(t term) {
			if key := t.stems[0].stem; !seen[key] && len(q.terms) < maxTerms {
				seen[key] = true
				q.terms = append(q.terms, t)
			}
		}
		platforms []string
	)
	for _, w := range words {
		if p := g.platform(w); p != nil {
			q.platform = p
			platforms = append(platforms, w)
			continue
		}
		if w == itsName {
			q.itself = true
			continue
		}
		for _, t := range g.terms(w) {
			add(t)
		}
	}
	subject := slices.ContainsFunc(q.terms, func(t term) bool { return !t.faint })
	if !subject && q.platform != nil {
		q.terms = nil // "and does it run on Windows?" asks for the platform alone
	}
	if subject {
		// The platform helps to choose between sections on one subject.
		for _, w := range platforms {
			add(term{stems: []substitute{{stem(w), 1}}, weight: 1, faint: true})
		}
	} else if q.itself && !q.more && q.platform == nil {
		add(term{stems: []substitute{{stem(itsName), 1}}, weight: 1})
	}
	return q
}

// platform returns the platform that a word names, mistyped or not, or nil.
func (g *Guide) platform(word string) *platform {
	if p := platformOf(word); p != nil || g.known(word) {
		return p
	}
	if corrected, sure := g.speller.correct(word); sure >= certain {
		return platformOf(corrected)
	}
	return nil
}

// known reports whether a word occurs in the manual or in the lexicon.
func (g *Guide) known(word string) bool {
	return g.index.postings[stem(word)] != nil || g.lexicon.knows(word)
}

// terms returns what a word asks for: nothing when it is a stop word, its
// parts when it is a compound that the manual does not have.
func (g *Guide) terms(word string) []term {
	if g.lexicon.stop[word] {
		return nil
	}
	known := g.known(word)
	var pieces []term
	for _, piece := range parts(word) {
		for _, t := range g.terms(piece) {
			if known {
				t.faint, t.weight = true, faintWeight
			}
			pieces = append(pieces, t)
		}
	}
	if known {
		return append(pieces, g.term(word, 1))
	}
	if len(parts(word)) > 0 {
		return pieces
	}
	corrected, sure := g.speller.correct(word)
	stop := g.lexicon.stop[corrected]
	switch {
	case sure == 0 || sure < certain && (stop || g.lexicon.faint[stem(corrected)]):
		return []term{g.term(word, 1)}
	case stop:
		return nil
	default:
		return []term{g.term(corrected, sure)}
	}
}

// term looks for a word and its synonyms.
func (g *Guide) term(word string, closeness float64) term {
	own := stem(word)
	t := term{stems: []substitute{{own, closeness}}, weight: 1, faint: g.isAmount(word)}
	if g.lexicon.faint[own] {
		t.weight, t.faint = faintWeight, true
	}
	for _, r := range g.lexicon.related[own] {
		t.stems = append(t.stems, substitute{r.stem, r.closeness * closeness})
	}
	return t
}

// isAmount reports whether a word is a number that may count anything. A small
// one is explained by the word next to it ("exit code 6"); a large one that the
// manual has, such as 429, is a name.
func (g *Guide) isAmount(word string) bool {
	return strings.Trim(word, "0123456789") == "" && (len(word) <= 2 || g.index.postings[word] == nil)
}

func asksMore(words []string) bool {
	others := slices.DeleteFunc(slices.Clone(words), among(goOnWords))
	return len(others) == 0 && slices.ContainsFunc(words, among(moreWords))
}

func leans(words []string) bool {
	text := strings.Join(words, " ") + " "
	begins := func(start string) bool { return strings.HasPrefix(text, start) }
	return slices.ContainsFunc([]string{"and ", "but ", "also ", "what about ", "how about "}, begins) ||
		slices.ContainsFunc(words, among(leaningWords))
}

// among returns what reports whether a word is one of the list.
func among(list string) func(word string) bool {
	words := strings.Fields(list)
	return func(word string) bool { return slices.Contains(words, word) }
}
