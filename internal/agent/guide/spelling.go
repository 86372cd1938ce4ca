package guide

import (
	"slices"

	"github.com/hobnob-cli/hobnob/internal/suggest"
)

// speller corrects typos.
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

// correct returns the word of the vocabulary that was most likely meant by a mistyped
// word, and the confidence from 0 to 1. If there is none, the confidence is 0. Only
// ASCII words are corrected, because distances are in bytes.
//
// Short words of other subjects often differ by one letter from words of the manual
// ("pasta" and "paste", "prime" and "price"). Therefore short words are only corrected if
// two letters are swapped or one of six is missing, and the first letter must be right
// unless it is swapped. A different last letter usually means a related word ("printer"
// and "printed"), not a typo.
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
			// The vocabulary is not sorted; of equal candidates, the alphabetically first one wins.
			if c := certainty(word, w); c > sure || c > 0 && c == sure && w < best {
				best, sure = w, c
			}
		}
	}
	return best, sure
}

// certainty returns the confidence that typed is a typo of word.
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
	case distance == 2 && n >= 8:
		return 0.6
	default:
		return 0
	}
}

func isASCII(word string) bool {
	return !slices.ContainsFunc([]byte(word), func(b byte) bool { return b >= 0x80 })
}
