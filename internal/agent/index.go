package agent

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

// P are tunables
var P = map[string]float64{"words": 0.9, "text": 0.3, "code": 0.3, "variant": 0.4, "topic": 0.4,
	"ordinary": 2.5, "unasked": 0.7, "head": 0.4, "cov": 0.5, "first": 0.1, "confident": 0.52, "again": 0, "lack": .4, "foreign": 1}

// index ranks the sections of a manual for a query.
type index struct {
	sections []section
	postings map[string][]posting // by stem, in the order of sections
	titles   [][]string           // stems of each heading, without stop words
	place    []int                // of each section in its topic, from 0
	narrow   []string             // the stem of the platform that a heading names, or ""
}

// posting says how far a section is about a term.
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
		titles:   make([][]string, len(sections)),
		place:    make([]int, len(sections)),
		narrow:   make([]string, len(sections)),
	}
	stems := map[string]string{}
	for i, s := range sections {
		if i > 0 && sections[i-1].topic == s.topic {
			x.place[i] = x.place[i-1] + 1
		}
		x.add(i, s.heading, 1, stems)
		x.add(i, s.words, P["words"], stems)
		x.add(i, s.topic, P["topic"], stems)
		x.addMarkdown(i, s.text, 1, stems)
		for _, v := range s.variants {
			x.add(i, v.platform, P["text"], stems)
			x.addMarkdown(i, v.text, P["variant"], stems)
		}
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
		about := P["text"]
		if i%2 == 1 {
			about, block = P["code"], quoted.ReplaceAllString(block, "")
		}
		x.add(section, block, about*factor, stems)
	}
}

// add notes how far a section is about the words of text; stems caches the
// stem of each word and so collects the vocabulary.
func (x *index) add(section int, text string, about float64, stems map[string]string) {
	count := func(word string) {
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
		if p.about > 0 {
			p.about = min(1+P["again"], max(p.about, about)+P["again"]*min(about, p.about))
		} else {
			p.about = about
		}
		x.postings[term] = list
	}
	for _, w := range splitWords(text) {
		count(w)
		for _, part := range parts(w) {
			count(part)
		}
	}
}

// rarity is the inverse document frequency of a term: how much it tells. A
// term that no section holds tells most.
func (x *index) rarity(stem string) float64 {
	n, found := float64(len(x.sections)), 0.0
	for _, p := range x.postings[stem] {
		found += min(1, p.about)
	}
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
	totals := make([]float64, len(x.sections))
	for t, term := range terms {
		rarity := x.rarityOf(term)
		subject := max(rarity, P["ordinary"])
		sure, known := term.stems[0].closeness, 0.0
		best := make([]float64, len(x.sections))
		for _, s := range term.stems {
			for _, p := range x.postings[s.stem] {
				best[p.section] = max(best[p.section], s.closeness*p.about)
			}
		}
		for _, c := range best {
			known = max(known, min(1, c))
		}
		for i, covered := range best {
			if !term.faint {
				lack := P["lack"]*known + P["foreign"]*(1-known)
				totals[i] += sure*subject*(min(1, covered)+(1-min(1, covered))*lack) + (1-sure)*x.rarity("")*P["foreign"]
			}
			if covered == 0 {
				continue
			}
			m := &matches[i]
			if m.met == nil {
				m.section, m.met = i, make([]bool, len(terms))
			}
			m.met[t] = true
			m.score += term.weight * covered * rarity
			if !term.faint {
				m.coverage += min(1, covered) * subject
			}
		}
	}
	matches = slices.DeleteFunc(matches, func(m match) bool { return m.met == nil })
	for i := range matches {
		m := &matches[i]
		if totals[m.section] > 0 {
			m.coverage /= totals[m.section]
		}
		m.score *= (P["cov"] + m.coverage) * (1 + P["head"]*x.headingMet(m.section, terms)) * (1 + P["first"]/float64(1+x.place[m.section]))
		if narrow := x.narrow[m.section]; narrow != "" && !named(terms, narrow) {
			m.score *= P["unasked"]
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
