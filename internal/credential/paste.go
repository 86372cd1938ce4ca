package credential

import (
	"regexp"
	"strings"
)

// around is what a paste puts before a token: the name of the header, the scheme
// in it, or the start of a bracketed paste.
var around = regexp.MustCompile(`(?i)^(\x1b\[200~|authorization\s*:\s*|bearer(\s+|\s*:\s*))`)

// Pasted is Trim for a token that a person gives: it also removes the quotes
// around it and a header's name and scheme before it, as documents show them.
func Pasted(token string) string {
	for {
		before := token
		token = strings.TrimSuffix(Trim(token), "\x1b[201~")
		token = around.ReplaceAllString(token, "")
		for _, quote := range []string{`"`, "'", "`"} {
			if len(token) > 1 && strings.HasPrefix(token, quote) && strings.HasSuffix(token, quote) {
				token = token[1 : len(token)-1]
			}
		}
		if token == before {
			return token
		}
	}
}
