// Package guide answers questions about hobnob from its manual, without a model
// and without a network. It owns the index of the manual's sections and what is
// known about words: synonyms, typos, phrases and platforms. It must not know
// agents, messages or the service; a question is a text and an answer Markdown.
package guide

import (
	"io/fs"
	"slices"
	"strings"
)

const (
	// confident is the coverage from which a section is given as the answer.
	confident = 0.5
	// confidentOfItself is the same for a question that names hobnob, which is
	// hardly on another subject.
	confidentOfItself = 0.38
	// related is the coverage from which a section is named as coming near.
	related = 0.15
	// near is the part of the best score from which another section is worth
	// a "see also", and worthwhile the one from which "more" shows it.
	near       = 0.6
	worthwhile = 0.3
	// morePage is how many sections each "more" shows.
	morePage = 2
	// fewSections is how many sections of each topic a first list shows.
	fewSections = 3
	// maxLookBack bounds how many messages are searched for the question that
	// a follow-up refers to.
	maxLookBack = 50
)

// Guide answers questions from a manual. It is read-only and may be used from
// several goroutines.
type Guide struct {
	index   *index
	lexicon *lexicon
	speller speller
}

// New returns a guide to a manual: every .md file in it. There "# " is the title
// of a file, each "## " a section, and a "### " with the name of a shell or a
// system ("PowerShell", "macOS") a variant of the section above it. A line
// "<!-- words: … -->" in a section gives further words by which people ask for
// it; it is not shown. New fails when the manual cannot be read, has no section,
// or holds text that belongs to none.
//
// The index is built here, in a few milliseconds.
func New(manual fs.FS) (*Guide, error) {
	sections, err := readManual(manual)
	if err != nil {
		return nil, err
	}
	g := &Guide{lexicon: newLexicon()}
	var vocabulary []string
	g.index, vocabulary = newIndex(sections, g.lexicon.stop)
	g.speller = newSpeller(append(vocabulary, g.lexicon.words...))
	return g, nil
}

// Answer returns Markdown that answers the last of the questions, in the light of
// those before; no question at all counts as an empty one. It depends on the
// manual and the questions alone.
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
		q.terms = []term{g.term(strings.ToLower(q.platform.name), 1)} // "PowerShell?" asks for itself
		return g.find(q)
	case q.empty():
		return g.topics(fewSections)
	}
	matches := g.index.rank(q.terms)
	if !q.knows(matches) && q.leaning && !earlier.empty() {
		if both, ok := g.together(q, earlier); ok {
			return g.find(both)
		}
	}
	return g.find(q)
}

// find answers a query by itself.
func (g *Guide) find(q query) string {
	matches := g.index.rank(q.terms)
	if !q.knows(matches) {
		return g.unknown(matches)
	}
	return show(matches, q.platform)
}

// knows reports whether the best match may be given as the answer to q.
func (q query) knows(matches []match) bool {
	enough := confident
	if q.itself {
		enough = confidentOfItself
	}
	return len(matches) > 0 && matches[0].coverage >= enough
}

// earlier returns the last question that a follow-up can refer to, with the
// platform that was asked for since, and how often "more" followed it.
func (g *Guide) earlier(asked []string) (q query, pages int) {
	var (
		since    *platform
		fallback query
	)
	for i := len(asked) - 1; i >= max(0, len(asked)-maxLookBack); i-- {
		q := g.understand(asked[i])
		switch {
		case q.more:
			// "continue" asks for more, and about itself when it came first.
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

// together joins a question that leans on an earlier one with it, if the two
// find a section that speaks of something from both.
func (g *Guide) together(q, earlier query) (query, bool) {
	both := query{terms: slices.Concat(q.terms, earlier.terms), platform: q.platform}
	if both.platform == nil {
		both.platform = earlier.platform
	}
	matches := g.index.rank(both.terms)
	if !both.knows(matches) {
		return query{}, false
	}
	met := matches[0].met
	return both, slices.Contains(met[:len(q.terms)], true) && slices.Contains(met[len(q.terms):], true)
}
