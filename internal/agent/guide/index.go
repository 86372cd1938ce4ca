package guide

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

const (
	// How far a section is about a word, by where the word occurs. In the heading
	// it counts 1; in the text it may be mentioned in passing.
	inWords = 0.9
	inText  = 0.3

	// entireHeading is what a section gains when a question contains all of its
	// heading: extra words in a heading make it a special case.
	entireHeading = 0.2
	// opening is what the first section of a topic gains, the second half of it
	// and so on: the general comes before the special there.
	opening = 0.1
	// manyWords is about how many different words a manual has.
	manyWords = 4 << 10

	// A section on one platform is not for those who ask about no platform.
	unasked = 0.4
)

// index ranks the sections of a manual for a query. The score of a section is
// the part of the question that it speaks of, each word weighed by its rarity.
type index struct {
	sections []section
	postings map[string][]posting // by stem, in the order of sections
}

// posting is how far a section is about a term, from 0 to 1.
type posting struct {
	section int
	about   float64
}

// term is what a query looks for: one of several stems, each as good as its
// closeness to what was asked.
type term struct {
	stems  []substitute
	weight float64
	faint  bool // neither for nor against knowing the answer
}

// match is a section that holds some terms of a query.
type match struct {
	section *section
	score   float64
	// coverage is the part of the query, by the rarity of its terms, that the
	// section speaks of: from 0 to 1.
	coverage float64
	met      []bool // by term
}

// quoted text in a command is an example of a question, about any subject.
var quoted = regexp.MustCompile(`"[^"\n]*"`)

// newIndex also returns the vocabulary: every word of the sections.
func newIndex(sections []section, stop map[string]bool) (*index, []string) {
	x := &index{sections: sections, postings: make(map[string][]posting, manyWords)}
	stems := make(map[string]string, manyWords)
	for i := range sections {
		s := &sections[i]
		s.place = 1
		if i > 0 && sections[i-1].topic == s.topic {
			s.place = sections[i-1].place + 1
		}
		x.add(i, s.heading, 1, stems)
		x.add(i, s.words, inWords, stems)
		x.addMarkdown(i, s.text, stems)
		for _, v := range s.variants {
			x.add(i, v.platform, inText, stems)
			x.addMarkdown(i, v.text, stems)
		}
		for _, w := range joinNegations(splitWords(s.heading)) {
			if !stop[w] {
				s.title = append(s.title, stems[w])
			}
			if platformOf(w) != nil {
				s.narrow = stems[w]
			}
		}
	}
	return x, slices.Collect(maps.Keys(stems))
}

func (x *index) addMarkdown(section int, text string, stems map[string]string) {
	for i, block := range strings.Split(text, "```") {
		if i%2 == 1 {
			block = quoted.ReplaceAllString(block, "")
		}
		x.add(section, block, inText, stems)
	}
}

// add notes how far a section is about the words of text; stems caches the
// stem of each word and so collects the vocabulary.
func (x *index) add(section int, text string, about float64, stems map[string]string) {
	note := func(word string) {
		term, ok := stems[word]
		if !ok {
			term = stem(word)
			stems[word] = term
		}
		list := x.postings[term]
		if n := len(list); n == 0 || list[n-1].section != section {
			x.postings[term] = append(list, posting{section, about})
		} else {
			list[n-1].about = max(list[n-1].about, about)
		}
	}
	words := splitWords(text)
	if about > inText { // in passing, a negation means nothing
		words = joinNegations(words)
	}
	for _, w := range words {
		note(w)
		if strings.HasPrefix(w, negated) {
			continue // "no network" is not about the network
		}
		for _, part := range parts(w) {
			note(part)
		}
	}
}

// rarity is the inverse document frequency of a term: how specific it is.
// A term that no section holds is the most specific.
func (x *index) rarity(stem string) float64 {
	all, about := float64(len(x.sections)), 0.0
	for _, p := range x.postings[stem] {
		about += p.about
	}
	return math.Log(1 + (all-about+0.5)/(about+0.5))
}

// rarityOf is the rarity of the word that was asked for, or of its closest
// synonym when the manual has another word for it.
func (x *index) rarityOf(t term) float64 {
	closest, rarity := 0.0, x.rarity(t.stems[0].stem)
	for _, s := range t.stems {
		if x.postings[s.stem] != nil && s.closeness > closest {
			closest, rarity = s.closeness, x.rarity(s.stem)
		}
	}
	return rarity
}

// rank returns the sections that hold a term, best first; equals keep the
// order of the manual.
func (x *index) rank(terms []term) []match {
	matches := make([]match, len(x.sections))
	var total float64
	for t, term := range terms {
		rarity := x.rarityOf(term)
		if !term.faint {
			// What a corrected word could mean instead is not covered by anything.
			sure := term.stems[0].closeness
			total += sure*rarity + (1-sure)*x.rarity("")
		}
		for i, gain := range x.best(term, rarity) {
			if gain == 0 {
				continue
			}
			m := &matches[i]
			if m.met == nil {
				m.section, m.met = &x.sections[i], make([]bool, len(terms))
			}
			m.met[t] = true
			m.score += term.weight * gain
			if !term.faint {
				m.coverage += gain
			}
		}
	}
	matches = slices.DeleteFunc(matches, func(m match) bool { return m.met == nil })
	for i := range matches {
		m := &matches[i]
		if total > 0 {
			m.coverage /= total
		}
		m.score *= 1 + entireHeading*x.headingMet(m.section, terms)
		m.score *= 1 + opening/float64(m.section.place)
		if narrow := m.section.narrow; narrow != "" && closest(terms, narrow) == 0 {
			m.score *= unasked
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return matches
}

// best returns what each section gains by a term of some rarity. A match through
// a common synonym counts no more than the synonym itself.
func (x *index) best(t term, rarity float64) []float64 {
	best := make([]float64, len(x.sections))
	for _, s := range t.stems {
		gain := s.closeness * min(rarity, x.rarity(s.stem))
		for _, p := range x.postings[s.stem] {
			best[p.section] = max(best[p.section], gain*p.about)
		}
	}
	return best
}

// closest is how near the terms come to a stem, from 0 to 1.
func closest(terms []term, stem string) float64 {
	near := 0.0
	for _, t := range terms {
		for _, s := range t.stems {
			if s.stem == stem {
				near = max(near, s.closeness)
			}
		}
	}
	return near
}

// headingMet is the part of a section's heading that the terms speak of.
func (x *index) headingMet(s *section, terms []term) float64 {
	var met, all float64
	for _, title := range s.title {
		rarity := x.rarity(title)
		all += rarity
		met += closest(terms, title) * rarity
	}
	if all == 0 {
		return 0
	}
	return met / all
}
