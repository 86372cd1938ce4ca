package guide

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// maxWord is the maximum length of a word in bytes. Longer words are ignored, because
// they are data, such as base64.
const maxWord = 40

// splitWords returns the words of text in lower case. Words with hyphens or underscores
// ("no-save", "hobnob_token") and flags with their dashes are not split. Short flags
// keep their case: -c and -C are different.
func splitWords(text string) []string {
	found := make([]string, 0, len(text)/5+1)
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

// isPlain reports whether a token consists only of ASCII letters and digits, so that it
// is already a word.
func isPlain(token string) bool {
	for _, b := range []byte(token) {
		if b >= utf8.RuneSelf || !isWord(rune(b)) {
			return false
		}
	}
	return true
}

// joiners are the characters that can join parts of a word.
const joiners = "-_'’"

func isBetweenWords(r rune) bool {
	return !isWord(r) && r != '-' && r != '_' && r != '\'' && r != '’'
}

// dropApostrophes removes a possessive s, and the apostrophe of a contraction.
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

// parts returns the parts of a compound word or a long flag, and nil for any other word.
func parts(word string) []string {
	if !strings.ContainsAny(word, "-_") || isFlag(word) && len(word) == 2 {
		return nil
	}
	return strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '_' })
}

func isFlag(word string) bool { return strings.HasPrefix(word, "-") }

// phrases are pairs of words with a joint meaning, and the word that replaces them.
var phrases = map[[2]string]string{
	{"log", "in"}: "login", {"logging", "in"}: "login", {"logged", "in"}: "login",
	{"sign", "in"}: "login", {"signing", "in"}: "login", {"signed", "in"}: "login",
	{"log", "out"}: "logout", {"logging", "out"}: "logout", {"logged", "out"}: "logout",
	{"sign", "out"}: "logout", {"signing", "out"}: "logout", {"signed", "out"}: "logout",
	{"timed", "out"}: "timeout", {"time", "out"}: "timeout", {"times", "out"}: "timeout", {"time", "limit"}: "timeout",
	{"turn", "off"}: "disable", {"turning", "off"}: "disable", {"switch", "off"}: "disable",
	{"set", "up"}: "setup", {"setting", "up"}: "setup", {"get", "rid"}: "remove", {"getting", "rid"}: "remove",
	{"carry", "on"}: "continue", {"go", "on"}: "continue", {"going", "on"}: "continue",
	{"standard", "input"}: "stdin", {"standard", "output"}: "stdout", {"standard", "error"}: "stderr",
	{"api", "key"}: "token", {"access", "key"}: "token", {"api", "token"}: "token",
	{"exit", "status"}: "exitcode", {"exit", "code"}: "exitcode", {"exit", "codes"}: "exitcode",
	{"return", "code"}: "exitcode", {"return", "codes"}: "exitcode", {"error", "code"}: "exitcode",
	{"env", "var"}: "environment", {"env", "vars"}: "environment", {"command", "prompt"}: "cmd",
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
		if n := len(joined); n > 1 && len(words[i]) == 1 && words[i] >= "0" && words[i] <= "9" && beforeExitCode(joined[n-2]) {
			joined[n-1] = "exitcode" + words[i]
		}
	}
	return joined
}

// beforeExitCode reports whether a number after the word is an exit code.
var beforeExitCode = among("exitcode exit code error status with")

// stem returns the common stem of the forms of an English word.
func stem(word string) string { return english.Stem(word, true) }
