package guide

import (
	"math"
	"slices"
)

// evidence returns the confidence that the best match answers a query: the logarithm of
// the odds. The factors are from a logistic regression over the learned questions, each
// of them evaluated with an index that was built without it.
func (g *Guide) evidence(q query, matches []match) float64 {
	if len(matches) == 0 || !q.subject {
		return near - 1
	}
	best := matches[0]
	evidence := -4.8 + 6.6*best.score + 0.3*g.index.kinship(q.terms, best.number) + 0.9*g.index.relatedness(q.terms) - 2.5*g.index.unheard(q.terms)
	if q.itself {
		evidence += 5
	}
	if best.likeness >= learnedItself {
		evidence = max(evidence, known)
	}
	return evidence
}

// relatedness returns how much more likely the words of a query are in learned questions
// about hobnob than in unrelated ones: the sum of their log odds, divided by the square
// root of their number, because words are not independent.
func (x *index) relatedness(terms []term) float64 {
	var sum, weight float64
	for _, t := range terms {
		w := t.weight * max(t.specificity, stopWeight)
		sum += w * x.odds(t)
		weight += w
	}
	if weight == 0 {
		return 0
	}
	return sum / math.Sqrt(weight)
}

// unheard returns the part of the specific words of a query that are not in the index.
func (x *index) unheard(terms []term) float64 {
	var all, unheard float64
	for _, t := range terms {
		w := t.weight * t.specificity
		all += w
		if !slices.ContainsFunc(t.features, func(s substitute) bool { return x.features[s.name] != nil }) {
			unheard += w
		}
	}
	if all == 0 {
		return 0
	}
	return unheard / all
}

// kinship returns how much more likely the words of a query are in the learned
// questions of one section than in the unrelated ones: like relatedness, a sum
// of logarithms of odds.
func (x *index) kinship(terms []term, section int) float64 {
	// The average frequency of a term counts as that of so many questions more.
	const forSection, forUnrelated = 3, 2
	unrelated := x.asked - float64(len(x.phrasings))
	var sum, weight float64
	for _, t := range terms {
		var there, related, elsewhere float64
		for _, s := range t.features {
			f := x.features[s.name]
			if f == nil {
				continue
			}
			n := 0.0
			for _, p := range f.phrasings {
				if x.phrasings[p].section == section {
					n += s.closeness
				}
			}
			if n > there || related == 0 {
				there, related, elsewhere = n, f.related, f.unrelated
			}
		}
		average := (related + elsewhere + 0.5) / (x.asked + 1)
		inSection := (there + forSection*average) / (x.learned[section] + forSection)
		sum += t.weight * math.Log(inSection*(unrelated+forUnrelated)/(elsewhere+forUnrelated*average))
		weight += t.weight
	}
	if weight == 0 {
		return 0
	}
	return sum / math.Sqrt(weight)
}

// odds returns the logarithm of the odds that a term is from a question about hobnob. It
// is 0 for a word that is only in the manual, and negative for an unknown word.
func (x *index) odds(t term) float64 {
	const smooth, unheard = 0.5, -1.0
	related := float64(len(x.phrasings))
	odds := unheard
	for i, s := range t.features {
		f := x.features[s.name]
		if f == nil {
			continue
		}
		own := 0.0
		if f.related+f.unrelated > 0 {
			own = math.Log((f.related+smooth)/(related+1)) - math.Log((f.unrelated+smooth)/(x.asked-related+1))
		}
		if i == 0 || f.unrelated == 0 && own > odds {
			odds = own
		}
	}
	return odds
}
