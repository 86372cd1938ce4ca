// Package guide answers questions about hobnob from its manual, without a model and
// without a network. It contains the index of the sections of the manual, synonyms,
// phrases and platforms, and corrects typos. A question is plain text, and an answer is
// Markdown.
package guide

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
)

const (
	// known is the minimum evidence for a section to be the answer, and near the
	// minimum to be shown as the closest section. About one in fifteen unrelated
	// questions reaches near if it is not learned.
	known = 0.7
	near  = 0.0
	// likely is the minimum likeness to a learned question at which a question without
	// a subject ("it does not work") is answered.
	likely = 0.8
	// learnedItself is the likeness of a question that is itself a learned one.
	learnedItself = 0.95
	// alsoNear is the minimum score, relative to the best one, of a section in "see
	// also", and worthwhile that of a section shown for "more".
	alsoNear   = 0.7
	worthwhile = 0.35
	// morePage is the number of sections that each "more" shows.
	morePage = 2
	// moreSections is the maximum number of sections that "more" shows in total.
	moreSections = 6
	// fewSections is the number of sections of each topic in a short list.
	fewSections = 3
	// maxLookBack is the maximum number of messages that are searched for the
	// question of a follow-up.
	maxLookBack = 50
)

// Guide answers questions from a manual. It is safe for concurrent use.
type Guide struct {
	index      *index
	lexicon    *lexicon
	speller    speller
	vocabulary map[string]string // stems of the words of the manual and of the learned questions
}

// New returns a guide to the .md files of a manual. In a file, "# " is the title, "## "
// begins a section, and "### " with the name of a shell or a system ("PowerShell",
// "macOS") begins a variant of that section. New returns an error if the manual cannot
// be read, has no sections or has text outside of sections, or if a learned question
// belongs to a section that does not exist.
//
// New builds the index, which takes some tens of milliseconds.
func New(manual fs.FS) (*Guide, error) {
	sections, err := readManual(manual)
	if err != nil {
		return nil, err
	}
	questions, err := readQuestions(questionsFile, sections)
	if err != nil {
		return nil, err
	}
	return newGuide(sections, questions, readUnrelated(unrelatedFile)), nil
}

func newGuide(sections []section, questions []learned, unrelated []string) *Guide {
	g := &Guide{lexicon: newLexicon(), vocabulary: make(map[string]string, manyWords)}
	for i, s := range sections {
		questions = append(questions, learned{s.heading, i})
	}
	g.index = newIndex(sections, questions, unrelated, g.split)
	g.speller = newSpeller(append(slices.Sorted(maps.Keys(g.vocabulary)), g.lexicon.words...))
	return g
}

// Answer returns the answer to the last of the questions as Markdown. The earlier ones
// are its context. Without any question, it answers an empty one. The answer depends
// only on the manual and the questions.
func (g *Guide) Answer(questions []string) string {
	if len(questions) == 0 {
		return g.topics(fewSections)
	}
	last := len(questions) - 1
	q := g.understand(questions[last])
	earlier, pages := g.earlier(questions[:last])
	switch {
	case q.more && !earlier.empty():
		return g.more(earlier, pages)
	case q.more && q.empty():
		return g.topics(len(g.index.sections))
	case q.empty() && q.platform != nil && !earlier.empty():
		earlier.platform = q.platform
		return g.find(earlier)
	case q.empty() && q.platform != nil:
		// "PowerShell?" without an earlier question is a question about PowerShell.
		return g.find(query{terms: []term{g.term(strings.ToLower(q.platform.name))}, platform: q.platform, subject: true, itself: true})
	case q.empty():
		if matches := g.index.rank(q.terms); len(matches) > 0 && matches[0].likeness >= likely {
			return show(matches, nil)
		}
		if answer := smallTalk(q.words); answer != "" {
			return answer
		}
		return g.topics(fewSections)
	}
	if answer := smallTalk(q.words); answer != "" {
		return answer
	}
	if q.leaning && !earlier.empty() && g.evidence(q, g.index.rank(q.terms)) < known {
		if both, ok := g.together(q, earlier); ok {
			return g.find(both)
		}
	}
	return g.find(q)
}

// find answers a query without context.
func (g *Guide) find(q query) string {
	matches := g.index.rank(q.terms)
	switch evidence := g.evidence(q, matches); {
	case evidence >= known:
		return show(matches, q.platform)
	case evidence >= near:
		return closest(matches, q.platform)
	default:
		return refusal
	}
}

// earlier returns the last question that a follow-up can refer to, with a platform that
// was asked for since then, and the number of times that "more" followed it.
func (g *Guide) earlier(asked []string) (q query, pages int) {
	var (
		since    *platform
		fallback query
	)
	for i := len(asked) - 1; i >= max(0, len(asked)-maxLookBack); i-- {
		q := g.understand(asked[i])
		switch {
		case q.more:
			// As a first question, "continue" is about the word itself.
			pages, fallback = pages+1, q
		case !q.empty():
			if since != nil {
				q.platform = since
			}
			return q, pages
		case q.platform != nil && since == nil:
			since = q.platform
		}
	}
	return fallback, max(0, pages-1)
}

// together joins a follow-up and the earlier question, if the best section for both
// matches words of each.
func (g *Guide) together(q, earlier query) (query, bool) {
	both := query{terms: slices.Concat(q.terms, earlier.terms), platform: q.platform, subject: true, itself: q.itself}
	if both.platform == nil {
		both.platform = earlier.platform
	}
	matches := g.index.rank(both.terms)
	if g.evidence(both, matches) < known {
		return query{}, false
	}
	met := matches[0].met
	return both, slices.Contains(met[:len(q.terms)], true) && slices.Contains(met[len(q.terms):], true)
}
