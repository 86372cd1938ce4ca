package guide

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

const (
	// How much a section is about a word, depending on where the word occurs: in the
	// heading, in each learned question, in a command or in the text. The sum w of
	// these weights is scaled to w/(w+halfAbout).
	inHeading = 2.0
	inLearned = 6.7
	inCommand = 0.5
	inText    = 0.25
	halfAbout = 0.85

	// likenessPart is the part of a score that depends on the learned questions most
	// similar to the query; the rest depends on the words of the section.
	likenessPart = 0.3
	// secondPart is the weight of the second most similar question, relative to the
	// first.
	secondPart = 1.0

	// The weights of a stop word, a pair of words and a part of a compound, relative
	// to a single word.
	stopWeight  = 0.3
	pairWeight  = 0.25
	pieceWeight = 0.5
	// platformWeight is the weight of the name of a platform, which chooses between
	// sections about one subject.
	platformWeight = 0.5

	// unasked is the factor for the score of a section about one platform if the
	// question does not mention it.
	unasked = 0.8

	// manyWords is the approximate number of different words.
	manyWords = 8 << 10
)

// index ranks the sections of a manual for a query and estimates whether the query is
// about the manual at all. Both are learned from the words of the manual and from
// questions with a known section.
type index struct {
	sections  []section
	features  map[string]*feature // by stem, pair of stems or concept
	phrasings []phrasing
	learned   []float64 // number of learned questions, by section
	asked     float64   // number of learned questions, including unrelated ones

	// Preallocated memory for features and for the first posting of each. Most
	// features have only one.
	spareFeatures []feature
	sparePostings []posting
}

// feature is a stem, a pair of stems or a concept.
type feature struct {
	sections  []posting
	phrasings []int
	weight    float64 // in a question
	// information is the information content: high for features that are rare in
	// questions.
	information float64
	related     float64 // number of learned questions with a section in which it occurs
	unrelated   float64 // number of unrelated questions in which it occurs
}

// posting is how much a section is about a feature, from 0 to 1.
type posting struct {
	section int
	about   float64
}

// phrasing is a learned question: its section and the length of its vector.
type phrasing struct {
	section int
	norm    float64
}

// term is a word or a pair of words in a query. It matches any of its features.
type term struct {
	features    []substitute
	weight      float64
	specificity float64 // how specific it is for a subject, from 0 to 1
}

// substitute is a feature that matches a term, such as a concept or a corrected word.
type substitute struct {
	name      string
	closeness float64
}

// match is a section that matches a query. The numbers are between 0 and about 1.
type match struct {
	section  *section
	number   int // of the section
	score    float64
	likeness float64 // the similarity of the most similar learned question
	met      []bool  // by term: whether it matches
}

// quoted matches quoted text in a command, which is an example of a question about any subject.
var quoted = regexp.MustCompile(`"[^"\n]*"`)

// splitter returns the features of a text. With asked, the text is a question.
type splitter func(text string, asked bool) []trait

// trait is a feature of a text and its weight.
type trait struct {
	name   string
	weight float64
}

// newIndex returns an index of sections, questions about them and unrelated questions.
func newIndex(sections []section, questions []learned, unrelated []string, split splitter) *index {
	x := &index{sections: sections, features: make(map[string]*feature, 2*manyWords)}
	x.asked = float64(len(questions) + len(unrelated))
	x.learned = make([]float64, len(sections))
	for _, q := range questions {
		x.learned[q.section]++
	}
	for i := range sections {
		s := &sections[i]
		s.place = 1
		if i > 0 && sections[i-1].topic == s.topic {
			s.place = sections[i-1].place + 1
		}
		x.note(i, split(s.heading, true), inHeading, false)
		x.noteMarkdown(i, s.text, split)
		for _, v := range s.variants {
			x.note(i, split(v.platform, false), inText, false)
			x.noteMarkdown(i, v.text, split)
		}
		for _, w := range splitWords(s.heading) {
			if platformOf(w) != nil {
				s.narrow = stem(w)
			}
		}
	}
	vectors, traits := make([][]trait, len(questions)), 0
	for i, q := range questions {
		vectors[i] = split(q.question, true)
		for _, t := range vectors[i] {
			f := x.feature(t.name)
			f.related, f.weight = f.related+1, t.weight
			traits++
		}
		// A word in all questions about a section counts more than a word in one of
		// them, but sections with many questions have no advantage.
		x.note(q.section, vectors[i], inLearned/math.Sqrt(x.learned[q.section]+1), true)
		x.phrasings = append(x.phrasings, phrasing{section: q.section})
	}
	for _, q := range unrelated {
		for _, t := range split(q, true) {
			x.feature(t.name).unrelated++
		}
	}
	for _, f := range x.features {
		f.information = x.information(f.related + f.unrelated)
		for i, p := range f.sections {
			f.sections[i].about = p.about / (p.about + halfAbout)
		}
	}
	all := make([]int, traits)
	for i, vector := range vectors {
		for _, t := range vector {
			f := x.features[t.name]
			if f.phrasings == nil {
				n := int(f.related)
				f.phrasings, all = all[:0:n], all[n:]
			}
			f.phrasings = append(f.phrasings, i)
			if !isConcept(t.name) {
				x.phrasings[i].norm += square(t.weight * f.information)
			}
		}
	}
	return x
}

func square(f float64) float64 { return f * f }

func (x *index) feature(name string) *feature {
	f := x.features[name]
	if f == nil {
		if len(x.spareFeatures) == 0 {
			x.spareFeatures = make([]feature, manyWords)
		}
		f, x.spareFeatures = &x.spareFeatures[0], x.spareFeatures[1:]
		x.features[name] = f
	}
	return f
}

// note records that a section is about traits, with a weight. With sum, the weights of
// several occurrences are added; otherwise the largest one counts.
func (x *index) note(section int, traits []trait, weight float64, sum bool) {
	for _, t := range traits {
		f := x.feature(t.name)
		i, ok := slices.BinarySearchFunc(f.sections, section, func(p posting, s int) int { return cmp.Compare(p.section, s) })
		switch {
		case f.sections == nil:
			if len(x.sparePostings) == 0 {
				x.sparePostings = make([]posting, manyWords)
			}
			f.sections, x.sparePostings = x.sparePostings[:1:1], x.sparePostings[1:]
			f.sections[0] = posting{section, weight}
		case !ok:
			f.sections = slices.Insert(f.sections, i, posting{section, weight})
		case sum:
			f.sections[i].about += weight
		default:
			f.sections[i].about = max(f.sections[i].about, weight)
		}
	}
}

// noteMarkdown notes the text and the commands of a section.
func (x *index) noteMarkdown(section int, text string, split splitter) {
	for i, block := range strings.Split(text, "```") {
		if i%2 == 1 {
			x.note(section, split(quoted.ReplaceAllString(block, ""), false), inCommand, false)
			continue
		}
		for j, span := range strings.Split(block, "`") {
			x.note(section, split(span, false), [...]float64{inText, inCommand}[j%2], false)
		}
	}
}

// information returns the information content of a feature in n of the learned questions.
func (x *index) information(n float64) float64 { return math.Log((x.asked + 1) / (n + 1)) }

// informationOf returns the information content of the first known feature of a term.
func (x *index) informationOf(t term) float64 {
	for _, s := range t.features {
		if f := x.features[s.name]; f != nil {
			return f.information
		}
	}
	return x.information(0)
}

// rank returns the sections that match a query, best first. Sections with equal scores
// are in the order of the manual.
func (x *index) rank(terms []term) []match {
	matches := make([]match, len(x.sections))
	likeness := make([]float64, len(x.phrasings))
	var total, norm float64
	for t, term := range terms {
		info := term.weight * x.informationOf(term)
		norm += square(info)
		total += info
		about, alike := x.gains(term, info)
		for i, gain := range about {
			if gain == 0 {
				continue
			}
			m := &matches[i]
			if m.met == nil {
				m.number, m.section, m.met = i, &x.sections[i], make([]bool, len(terms))
			}
			m.met[t] = true
			m.score += gain
		}
		for p, gain := range alike {
			likeness[p] += info * gain
		}
	}
	seconds := make([]float64, len(x.sections))
	for p, dot := range likeness {
		if dot == 0 {
			continue
		}
		m := &matches[x.phrasings[p].section]
		like := min(1, dot/math.Sqrt(norm*x.phrasings[p].norm))
		if like > m.likeness {
			m.likeness, like = like, m.likeness
		}
		seconds[x.phrasings[p].section] = max(seconds[x.phrasings[p].section], like)
	}
	for i := range matches {
		m := &matches[i]
		if m.met == nil {
			continue
		}
		like := (m.likeness + secondPart*seconds[i]) / (1 + secondPart)
		m.score = (1-likenessPart)*m.score/total + likenessPart*like
		if narrow := m.section.narrow; narrow != "" && !asksFor(terms, narrow) {
			m.score *= unasked
		}
	}
	matches = slices.DeleteFunc(matches, func(m match) bool { return m.met == nil })
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return matches
}

// gains returns the contribution of a term with information content info to the score
// of each section and of each learned question. A feature counts at most as much as its
// own information content.
func (x *index) gains(t term, info float64) (about []float64, alike map[int]float64) {
	about, alike = make([]float64, len(x.sections)), map[int]float64{}
	for _, s := range t.features {
		f := x.features[s.name]
		if f == nil {
			continue
		}
		for _, p := range f.sections {
			about[p.section] = max(about[p.section], s.closeness*min(info, f.information*t.weight)*p.about)
		}
		for _, p := range f.phrasings {
			alike[p] = max(alike[p], s.closeness*f.information*f.weight)
		}
	}
	return about, alike
}

// asksFor reports whether a feature is in one of the terms.
func asksFor(terms []term, name string) bool {
	return slices.ContainsFunc(terms, func(t term) bool {
		return slices.ContainsFunc(t.features, func(s substitute) bool { return s.name == name })
	})
}
