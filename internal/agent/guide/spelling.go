package guide

import (
	"slices"

	"github.com/hobnob-cli/hobnob/internal/suggest"
)

// speller corrects words that are not in the vocabulary.
type speller struct {
	byLength map[int][]string
}

func newSpeller(vocabulary []string) speller {
	s := speller{byLength: map[int][]string{}}
	for _, w := range vocabulary {
		s.byLength[len(w)] = append(s.byLength[len(w)], w)
	}
	return s
}

// correct returns the word of the vocabulary that word is most likely a typo of
// and how sure that is, from 0 to 1; 0 means that none comes close. Only ASCII
// words are corrected: distances below count bytes.
//
// Real words of another subject are one letter away from ours ("pasta" and
// "paste", "prime" and "price"), mostly short ones. So short words are
// corrected only when two letters changed places, or one of six is missing, and the
// first letter must be right except for such a change. A wrong last letter mostly makes another
// word of the same stem ("printer" and "printed").
func (s speller) correct(word string) (string, float64) {
	const shortest, longest = 3, 24
	if len(word) < shortest || len(word) > longest || !isASCII(word) {
		return "", 0
	}
	best, sure := "", 0.0
	for length := len(word) - 2; length <= len(word)+2; length++ {
		for _, w := range s.byLength[length] {
			if w[0] != word[0] && (length != len(word) || w[0] != word[1] || w[1] != word[0]) {
				continue
			}
			// The vocabulary has no order; among equals the alphabet decides.
			if c := certainty(word, w); c > sure || c > 0 && c == sure && w < best {
				best, sure = w, c
			}
		}
	}
	return best, sure
}

// certainty is how sure it is that typed was meant to be word.
func certainty(typed, word string) float64 {
	distance, swapped := suggest.Distance(typed, word)
	switch n := min(len(typed), len(word)); {
	case distance == 1 && swapped:
		return 0.95
	case distance == 1 && len(typed) == len(word) && typed[:n-1] == word[:n-1]:
		return 0
	case distance == 1 && (n >= 6 || len(word) == 6):
		return 0.85
	case distance == 1 && n == 5 && len(typed) != len(word):
		return 0.7
	case distance == 2 && n >= 9:
		return 0.6
	default:
		return 0
	}
}

func isASCII(word string) bool {
	return !slices.ContainsFunc([]byte(word), func(b byte) bool { return b >= 0x80 })
}
