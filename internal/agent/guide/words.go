package guide

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is the longest word, in bytes, that is looked at; what is longer is
// data, such as base64, and no word of a question.
const maxWord = 40

// splitWords returns the words of text in lower case. A word with hyphens or
// underscores inside stays whole ("no-save", "hobnob_token"), and so does a flag
// with its dashes. A short flag keeps its case: -c and -C are not the same.
func splitWords(text string) []string {
	var found []string
	for token := range strings.FieldsFuncSeq(text, isBetweenWords) {
		if len(token) <= maxWord && isPlain(token) {
			found = append(found, strings.ToLower(token))
			continue
		}
		word := strings.TrimLeft(token, joiners)
		lead := token[:len(token)-len(word)]
		word = strings.TrimRight(word, joiners)
		if word == "" || len(word) > maxWord {
			continue
		}
		dashes := lead[len(strings.TrimRight(lead, "-")):]
		switch {
		case dashes == "-" && utf8.RuneCountInString(word) == 1:
			found = append(found, dashes+word)
			continue
		case dashes == "--":
			word = token[len(lead)-len(dashes) : len(lead)+len(word)]
		}
		found = append(found, dropApostrophes(strings.ToLower(word)))
	}
	return joinPhrases(found)
}

// isPlain reports whether a token has ASCII letters and digits alone, as most
// have, and so is a word already.
func isPlain(token string) bool {
	for _, b := range []byte(token) {
		if b >= utf8.RuneSelf || !isWord(rune(b)) {
			return false
		}
	}
	return true
}

// joiners may stand inside a word.
const joiners = "-_'’"

func isBetweenWords(r rune) bool {
	return !isWord(r) && r != '-' && r != '_' && r != '\'' && r != '’'
}

// dropApostrophes takes off a possessive s and joins a contraction.
func dropApostrophes(word string) string {
	if !strings.ContainsAny(word, "'’") {
		return word
	}
	word = strings.ReplaceAll(word, "’", "'")
	return strings.ReplaceAll(strings.TrimSuffix(word, "'s"), "'", "")
}

func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// parts returns the words that a compound word or a long flag is made of, none
// for a plain word.
func parts(word string) []string {
	if !strings.ContainsAny(word, "-_") || isFlag(word) && len(word) == 2 {
		return nil
	}
	return strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '_' })
}

func isFlag(word string) bool { return strings.HasPrefix(word, "-") }

// phrases are words that mean one thing together, each with the one word that
// replaces it.
var phrases = map[[2]string]string{
	{"log", "in"}: "login", {"logging", "in"}: "login", {"logged", "in"}: "login",
	{"sign", "in"}: "login", {"signing", "in"}: "login", {"signed", "in"}: "login",
	{"log", "out"}: "logout", {"logging", "out"}: "logout", {"logged", "out"}: "logout",
	{"sign", "out"}: "logout", {"signing", "out"}: "logout", {"signed", "out"}: "logout",
	{"sign", "off"}: "logout", {"log", "off"}: "logout",
	{"get", "started"}: "getstarted", {"getting", "started"}: "getstarted", {"am", "i"}: "status",
	{"i", "start"}: "getstarted", {"i", "begin"}: "getstarted", {"to", "begin"}: "getstarted", {"to", "start"}: "getstarted",
	{"timed", "out"}: "timeout", {"time", "out"}: "timeout", {"times", "out"}: "timeout",
	{"turn", "off"}: "disable", {"turning", "off"}: "disable", {"switch", "off"}: "disable",
	{"go", "back"}: "continue", {"going", "back"}: "continue",
	{"set", "up"}: "setup", {"setting", "up"}: "setup",
	{"carry", "on"}: "continue", {"left", "off"}: "continue", {"pick", "up"}: "continue", {"follow", "up"}: "continue",
	{"standard", "input"}: "stdin", {"standard", "output"}: "stdout", {"standard", "error"}: "stderr",
	{"api", "key"}: "token", {"access", "key"}: "token", {"api", "token"}: "token",
	{"exit", "status"}: "exitcode", {"exit", "code"}: "exitcode", {"exit", "codes"}: "exitcode",
	{"return", "code"}: "exitcode", {"return", "codes"}: "exitcode", {"error", "code"}: "exitcode",
	{"exited", "with"}: "exitcode", {"exits", "with"}: "exitcode", {"exit", "value"}: "exitcode",
	{"rate", "limit"}: "rate-limited", {"rate", "limits"}: "rate-limited", {"rate", "limited"}: "rate-limited",
	{"time", "limit"}: "timeout", {"at", "once"}: "simultaneously", {"same", "time"}: "simultaneously",
	{"go", "on"}: "continue", {"going", "on"}: "continue", {"help", "for"}: "manual", {"help", "on"}: "manual",
	{"how", "long"}: "howlong", {"how", "big"}: "size", {"how", "large"}: "size",
	{"in", "use"}: "current", {"being", "used"}: "current",
	{"how", "many"}: "count", {"how", "much"}: "count", {"many", "requests"}: "rate-limited",
	{"quick", "start"}: "quickstart", {"plain", "text"}: "plaintext",
	{"to", "date"}: "update", {"next", "question"}: "continue",
	{"env", "var"}: "environment", {"env", "vars"}: "environment", {"secret", "service"}: "keyring",
	{"server", "error"}: "500", {"not", "saved"}: "unsaved", {"not", "sent"}: "unsent", {"not", "found"}: "notfound",
	{"shut", "up"}: "quiet", {"get", "rid"}: "remove", {"getting", "rid"}: "remove",
	{"start", "over"}: "fresh", {"from", "scratch"}: "fresh",
	{"command", "prompt"}: "cmd", {"command", "line"}: "shell",
	{"config", "file"}: "configfile", {"configuration", "file"}: "configfile",
	{"settings", "file"}: "configfile",
}

func joinPhrases(words []string) []string {
	joined := words[:0]
	for i := 0; i < len(words); i++ {
		if i+1 < len(words) {
			if one, ok := phrases[[2]string{words[i], words[i+1]}]; ok {
				joined = append(joined, one)
				i++
				continue
			}
		}
		joined = append(joined, words[i])
	}
	return joined
}

// stem takes the common endings off an English word, so that "pipe", "pipes",
// "piped" and "piping" are one term. It is light: a term need not be a word,
// and words of other scripts are left alone.
func stem(word string) string {
	if rest, ok := strings.CutPrefix(word, negated); ok {
		return negated + stem(rest)
	}
	for _, b := range []byte(word) {
		if b < 'a' || b > 'z' {
			return word
		}
	}
	switch {
	case len(word) > 4 && strings.HasSuffix(word, "ies"):
		word = word[:len(word)-3] + "y"
	case len(word) > 4 && hasAnySuffix(word, "sses", "xes", "ches", "shes"):
		word = word[:len(word)-2]
	case len(word) > 2 && strings.HasSuffix(word, "s") && !hasAnySuffix(word, "ss", "us", "is"):
		word = word[:len(word)-1]
	}
	for _, ending := range []struct {
		text string
		left int // letters that must remain, so that "string" keeps its "ing"
	}{{"ation", 5}, {"ally", 5}, {"ion", 4}, {"ing", 3}, {"ed", 3}, {"ly", 4}} {
		rest, ok := strings.CutSuffix(word, ending.text)
		if ok && len(rest) >= ending.left && strings.ContainsAny(rest, "aeiouy") {
			word = undouble(rest)
			break
		}
	}
	if len(word) > 3 {
		word = strings.TrimSuffix(word, "e")
	}
	if len(word) > 3 && strings.HasSuffix(word, "y") {
		word = word[:len(word)-1] + "i"
	}
	return word
}

func hasAnySuffix(word string, suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool { return strings.HasSuffix(word, suffix) })
}

// undouble takes back the consonant that an ending doubled ("running").
func undouble(word string) string {
	n := len(word)
	if n > 3 && word[n-1] == word[n-2] && !strings.ContainsRune("aeioulsz", rune(word[n-1])) {
		return word[:n-1]
	}
	return word
}

// negated begins the word that joinNegations makes.
const negated = "no-"

// Negations, and what may stand between one and its word.
var (
	negations = []string{"no", "not", "without", "dont", "never"}
	articles  = []string{"a", "an", "any", "the", "my", "this", "that", "these", "those", "so"}
)

// joinNegations makes one word of a negation and what follows it: "no colours" and
// "without a network" ask for the opposite of the second word. A compound that the
// manual does not have is taken apart again.
func joinNegations(words []string) []string {
	joined := make([]string, 0, len(words))
	for i := 0; i < len(words); i++ {
		if slices.Contains(negations, words[i]) {
			next := i + 1
			if next < len(words) && slices.Contains(articles, words[next]) {
				next++
			}
			if next < len(words) && !isFlag(words[next]) {
				joined = append(joined, negated+words[next])
				i = next
				continue
			}
		}
		joined = append(joined, words[i])
	}
	return joined
}
