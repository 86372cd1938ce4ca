package guide

import (
	"iter"
	"slices"
	"strings"
)

const (
	// maxQuestion is the number of bytes of a message that are searched for the
	// question; piped input follows it.
	maxQuestion = 2 << 10
	// maxTerms is the maximum number of terms of a query.
	maxTerms = 64
	// certain is the minimum confidence in a corrected platform name.
	certain = 0.8
	// generalSpecificity is the specificity of a general word.
	generalSpecificity = 0.25
	// itsName is in every section, so it is only a subject if there is no other.
	itsName = "hobnob"
)

// query is a parsed question.
type query struct {
	words    []string
	terms    []term
	subject  bool      // has a specific word
	platform *platform // the platform in the question, or nil
	more     bool      // asks for more of the earlier answer
	itself   bool      // names hobnob
	leaning  bool      // refers to the earlier question: "and …", "what about it"
}

// empty reports whether a question has no subject.
func (q query) empty() bool { return !q.subject }

// A question asks for more if it has one of moreWords and all its words are in
// goOnWords.
const (
	moreWords = "more else further next continue on details detail"
	goOnWords = moreWords + ` tell me please about that this it go what anything and is there show give us some
something yes ok okay sure again keep going thanks thank you in can the can could`
)

// leaningWords refer to the earlier question.
const leaningWords = "it that them those this these same instead"

// paragraphs returns the parts of a message that can be the question, most likely first:
// the paragraphs in its first maxQuestion bytes. Files and piped input follow the prompt
// after a blank line.
func paragraphs(message string) []string {
	if len(message) > maxQuestion {
		message = message[:maxQuestion]
	}
	message = strings.ToValidUTF8(message, " ")
	message = strings.ReplaceAll(message, "\r\n", "\n")
	return strings.Split(message, "\n\n")
}

// understand parses the first paragraph of a message that has a subject.
func (g *Guide) understand(message string) query {
	all := paragraphs(message)
	for _, paragraph := range all {
		if q := g.parse(paragraph); !q.empty() || q.more || q.platform != nil {
			return q
		}
	}
	return g.parse(all[0])
}

// parse parses a paragraph.
func (g *Guide) parse(text string) query {
	var (
		words     = splitWords(text)
		q         = query{words: words, more: asksMore(words), leaning: leans(words)}
		seen      = map[string]bool{}
		before    []string
		platforms []term
		add       = func(t term) {
			if name := t.features[0].name; !seen[name] && len(q.terms) < maxTerms {
				seen[name] = true
				q.terms = append(q.terms, t)
			}
		}
	)
	for _, w := range words {
		if p := g.platform(w); p != nil {
			q.platform, before = p, nil
			platforms = append(platforms, term{features: []substitute{{stem(w), 1}}, weight: platformWeight})
			continue
		}
		if articles[w] {
			continue
		}
		q.itself = q.itself || w == itsName
		if pieces := parts(w); len(pieces) > 0 && !g.known(w) {
			for _, piece := range pieces {
				t := g.term(piece)
				add(t)
				q.subject = q.subject || t.specificity > 0
			}
			before = nil
			continue
		}
		t := g.term(w)
		add(t)
		q.subject = q.subject || t.specificity > 0
		for _, piece := range parts(w) {
			add(term{features: []substitute{{stem(piece), 1}}, weight: pieceWeight})
		}
		name := g.lexicon.concept(t.features[0].name)
		for pair := range pairs(before, name) {
			if g.index.features[pair] != nil {
				add(term{features: []substitute{{pair, 1}}, weight: pairWeight})
			}
		}
		before = append(before, name)
	}
	q.subject = q.subject || q.itself && !q.more && q.platform == nil
	if q.subject {
		// The platform helps to choose between sections with the same subject.
		for _, t := range platforms {
			add(t)
		}
	}
	return q
}

// split returns the features of a text of the manual. With asked, the text is a question,
// and pairs of words are included.
func (g *Guide) split(text string, asked bool) []trait {
	var (
		found  []trait
		before []string
		add    = func(name string, weight float64) {
			if !asked || !slices.ContainsFunc(found, func(t trait) bool { return t.name == name }) {
				found = append(found, trait{name, weight})
			}
		}
	)
	words := splitWords(text)
	found = make([]trait, 0, 3*len(words))
	for _, w := range words {
		if articles[w] {
			continue
		}
		s := g.learn(w)
		if g.lexicon.stop[w] {
			add(s, stopWeight)
		} else {
			add(s, 1)
		}
		for _, piece := range parts(w) {
			add(g.learn(piece), pieceWeight)
		}
		for _, concept := range g.lexicon.concepts[s] {
			add(concept, 1)
		}
		name := g.lexicon.concept(s)
		if asked {
			for pair := range pairs(before, name) {
				add(pair, pairWeight)
			}
			before = append(before, name)
		}
	}
	return found
}

// pairs yields a word with each of the two before it: "delete old chat" has "delete
// chat", too.
func pairs(before []string, word string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, w := range before[max(0, len(before)-2):] {
			if !yield(w + " " + word) {
				return
			}
		}
	}
}

// learn adds a word to the vocabulary and returns its stem.
func (g *Guide) learn(word string) string {
	s, ok := g.vocabulary[word]
	if !ok {
		s = stem(word)
		g.vocabulary[word] = s
	}
	return s
}

// platform returns the platform for a word, even if it is mistyped, or nil.
func (g *Guide) platform(word string) *platform {
	if p := platformOf(word); p != nil || g.vocabulary[word] != "" || g.lexicon.knows(word) {
		return p
	}
	if corrected, sure := g.speller.correct(word); sure >= certain {
		return platformOf(corrected)
	}
	return nil
}

// known reports whether a word is in the manual, in a learned question or in the
// lexicon.
func (g *Guide) known(word string) bool {
	return g.index.features[stem(word)] != nil || g.lexicon.knows(word)
}

// term returns the term for a word, with typos corrected.
func (g *Guide) term(word string) term {
	sure := 1.0
	if !g.known(word) && len(parts(word)) == 0 {
		if corrected, s := g.speller.correct(word); s > 0 {
			word, sure = corrected, s
		}
	}
	own := stem(word)
	t := term{features: []substitute{{own, sure}}, weight: 1, specificity: 1}
	switch {
	case g.lexicon.stop[word] || g.isAmount(word):
		t.weight, t.specificity = stopWeight, 0
	case g.lexicon.general[own]:
		t.specificity = generalSpecificity
	}
	for _, concept := range g.lexicon.concepts[own] {
		t.features = append(t.features, substitute{concept, sure})
	}
	return t
}

// isAmount reports whether a word is a number without a specific meaning: a small number,
// or one that is not in the manual. A large number in the manual, such as 429, is a
// name.
func (g *Guide) isAmount(word string) bool {
	return strings.Trim(word, "0123456789") == "" && (len(word) <= 2 || g.index.features[word] == nil)
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

// among returns a function that reports whether a word is in the list.
func among(list string) func(word string) bool {
	words := strings.Fields(list)
	return func(word string) bool { return slices.Contains(words, word) }
}
