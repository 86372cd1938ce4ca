package agent

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

// What a word counts by the place it stands in, and the constants of BM25
// (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009; the
// fields are weighted as in its BM25F). Sections are short and of like length,
// hence the weak length normalisation.
const (
	inHeading = 4.0
	inWords   = 2.5
	inText    = 1.0
	inCode    = 0.5
	inVariant = 0.4
	inTopic   = 0.6

	saturation    = 1.2
	normalisation = 0.4

	// A term found in the heading or the words of a section is what it is about;
	// in the text alone it may be mentioned in passing.
	passing   = 0.75
	exemplary = 0.4 // in a command alone, which is about any subject

	// The least rarity that a word counts with in coverage: words that are
	// everywhere in the manual ("token") are what it is about.
	ordinary = 1.7

	// A section on one platform is not for those who ask about no platform.
	unasked = 0.6
)

// index ranks the sections of a manual for a query.
type index struct {
	sections []section
	postings map[string][]posting // by stem, in the order of sections
	lengths  []float64
	average  float64
	titles   [][]string // stems of each heading, without stop words
	narrow   []string   // the stem of the platform that a heading names, or ""
}

// posting says how much a term counts in a section.
type posting struct {
	section int
	weight  float64
	about   float64 // how far the section is about it: 1, passing or exemplary
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
	section int
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
	x := &index{
		sections: sections,
		postings: map[string][]posting{},
		lengths:  make([]float64, len(sections)),
		titles:   make([][]string, len(sections)),
		narrow:   make([]string, len(sections)),
	}
	stems := map[string]string{}
	for i, s := range sections {
		x.add(i, s.heading, inHeading, 1, stems)
		x.add(i, s.words, inWords, 1, stems)
		x.add(i, s.topic, inTopic, passing, stems)
		x.addMarkdown(i, s.text, 1, stems)
		for _, v := range s.variants {
			x.add(i, v.platform, inText, passing, stems)
			x.addMarkdown(i, v.text, inVariant, stems)
		}
		x.average += x.lengths[i] / float64(len(sections))
		for _, w := range splitWords(s.heading) {
			if !stop[w] {
				x.titles[i] = append(x.titles[i], stems[w])
			}
			if platformOf(w) != nil {
				x.narrow[i] = stems[w]
			}
		}
	}
	vocabulary := make([]string, 0, len(stems))
	for w := range stems {
		vocabulary = append(vocabulary, w)
	}
	return x, vocabulary
}

func (x *index) addMarkdown(section int, text string, factor float64, stems map[string]string) {
	for i, block := range strings.Split(text, "```") {
		weight, about := inText, passing
		if i%2 == 1 {
			weight, about, block = inCode, exemplary, quoted.ReplaceAllString(block, "")
		}
		x.add(section, block, weight*factor, about, stems)
	}
}

// add counts the words of text in a section; stems caches the stem of each
// word and so collects the vocabulary.
func (x *index) add(section int, text string, weight, about float64, stems map[string]string) {
	count := func(word string) {
		about := about
		if isFlag(word) {
			about = 1 // a flag stands only where it is explained
		}
		term, ok := stems[word]
		if !ok {
			term = stem(word)
			stems[word] = term
		}
		list := x.postings[term]
		if n := len(list); n == 0 || list[n-1].section != section {
			list = append(list, posting{section: section})
		}
		p := &list[len(list)-1]
		p.weight += weight
		p.about = max(p.about, about)
		x.postings[term] = list
	}
	for _, w := range splitWords(text) {
		x.lengths[section]++
		count(w)
		for _, part := range parts(w) {
			count(part)
		}
	}
}

// rarity is the inverse document frequency of a term: how much it tells. A
// term that no section holds tells most.
func (x *index) rarity(stem string) float64 {
	n, found := float64(len(x.sections)), float64(len(x.postings[stem]))
	return math.Log(1 + (n-found+0.5)/(found+0.5))
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
		subject := max(rarity, ordinary)
		if !term.faint {
			// What a mended word may mean instead is not covered by anything.
			sure := term.stems[0].closeness
			total += sure*subject + (1-sure)*x.rarity("")
		}
		best := make([]struct{ score, covered float64 }, len(x.sections))
		for _, s := range term.stems {
			for _, p := range x.postings[s.stem] {
				length := 1 - normalisation + normalisation*x.lengths[p.section]/x.average
				score := s.closeness * min(rarity, x.rarity(s.stem)) * p.weight * (saturation + 1) / (p.weight + saturation*length)
				covered := s.closeness * p.about
				b := &best[p.section]
				b.score, b.covered = max(b.score, score), max(b.covered, covered)
			}
		}
		for i, b := range best {
			if b.score == 0 {
				continue
			}
			m := &matches[i]
			if m.met == nil {
				m.section, m.met = i, make([]bool, len(terms))
			}
			m.met[t] = true
			m.score += term.weight * b.score
			if !term.faint {
				m.coverage += b.covered * subject
			}
		}
	}
	matches = slices.DeleteFunc(matches, func(m match) bool { return m.met == nil })
	for i := range matches {
		m := &matches[i]
		if total > 0 {
			m.coverage /= total
		}
		m.score *= (0.5 + m.coverage) * (1 + x.headingMet(m.section, terms)/2)
		if narrow := x.narrow[m.section]; narrow != "" && !named(terms, narrow) {
			m.score *= unasked
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return matches
}

// named reports whether terms look for a stem.
func named(terms []term, stem string) bool {
	return slices.ContainsFunc(terms, func(t term) bool {
		return slices.ContainsFunc(t.stems, func(s substitute) bool { return s.stem == stem })
	})
}

// headingMet is the part of a section's heading that the terms speak of.
func (x *index) headingMet(section int, terms []term) float64 {
	var met, all float64
	for _, title := range x.titles[section] {
		rarity := x.rarity(title)
		all += rarity
		closest := 0.0
		for _, t := range terms {
			for _, s := range t.stems {
				if s.stem == title {
					closest = max(closest, s.closeness)
				}
			}
		}
		met += closest * rarity
	}
	if all == 0 {
		return 0
	}
	return met / all
}
