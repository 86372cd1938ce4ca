package credential

import (
	"regexp"
	"strings"
)

// around matches a prefix of a pasted token: the name of the header, the
// authentication scheme, or the start of a bracketed paste.
var around = regexp.MustCompile(`(?i)^(\x1b\[200~|authorization\s*:\s*|bearer(\s+|\s*:\s*))`)

// Pasted is like Trim, but for a token typed or pasted by the user: it also removes
// surrounding quotes, a leading "Authorization:" or "Bearer", and the control
// sequences of a bracketed paste.
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
