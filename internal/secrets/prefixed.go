package secrets

import (
	"hash/crc32"
	"strings"
)

// shape is a secret that begins with a known prefix. It is a whole word of letters,
// digits, "_" and "-".
type shape struct {
	prefix string
	what   string
	chars  class
	min    int // length after the prefix
	max    int // 0 if it is not limited
	// valid checks the rest after the prefix. It may be nil.
	valid func(rest string) bool
}

// shapes are the documented formats of tokens:
//
//   - GitHub and npm: 30 random characters and a checksum, see
//     https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/ and
//     https://github.blog/2021-09-23-announcing-npms-new-access-token-format/. A token of
//     an installation may also be ghs_, the id of the app, "_" and a JWT, see
//     https://github.blog/changelog/2026-05-15-github-app-installation-tokens-per-request-override-header/.
//   - GitLab: https://docs.gitlab.com/security/tokens/#token-prefixes
//   - Slack: https://api.slack.com/concepts/token-types
//   - Stripe: https://docs.stripe.com/keys. Keys for tests (sk_test_) are no secrets of
//     value and are in many examples.
//   - PyPI: https://warehouse.pypa.io/development/token-scanning.html; "AgEIcHlwaS5vcmc" is
//     the beginning of a macaroon for pypi.org, and "AgENdGVzdC5weXBpLm9yZw" for
//     test.pypi.org.
//   - OpenAI: its keys contain "T3BlbkFJ", which is "OpenAI" in Base64.
//   - The others: the patterns that their vendors registered for secret scanning, see
//     https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns.
//
// JSON Web Tokens are not listed: most expire within the hour, and they are in many logs,
// tests and documents.
var shapes = [...]shape{
	{"ghp_", "GitHub token", alphanumeric, 36, 36, hasChecksum},
	{"gho_", "GitHub token", alphanumeric, 36, 36, hasChecksum},
	{"ghu_", "GitHub token", alphanumeric, 36, 36, hasChecksum},
	{"ghr_", "GitHub token", alphanumeric, 36, 76, nil},
	{"ghs_", "GitHub token", alphanumeric, 36, 36, hasChecksum},
	{"ghs_", "GitHub token", word, 37, 0, func(rest string) bool { return strings.Contains(rest, "_eyJ") }},
	{"github_pat_", "GitHub token", word, 82, 82, func(rest string) bool { return rest[22] == '_' }},
	{"glpat-", "GitLab token", word, 20, 300, nil},
	{"gldt-", "GitLab token", word, 20, 300, nil},
	{"glrt-", "GitLab token", word, 20, 300, nil},
	{"glptt-", "GitLab token", word, 40, 40, nil},
	{"xoxb-", "Slack token", word, 40, 255, beginsWithDigits},
	{"xoxp-", "Slack token", word, 40, 255, beginsWithDigits},
	{"xoxe-", "Slack token", word, 40, 255, beginsWithDigits},
	{"xapp-", "Slack token", word, 60, 255, beginsWithDigits},
	{"sk_live_", "Stripe key", alphanumeric, 24, 255, nil},
	{"rk_live_", "Stripe key", alphanumeric, 24, 255, nil},
	{"AIza", "Google API key", word, 35, 35, nil},
	{"GOCSPX-", "Google client secret", word, 28, 28, nil},
	{"npm_", "npm token", alphanumeric, 36, 36, hasChecksum},
	{"pypi-AgEIcHlwaS5vcmc", "PyPI token", word, 50, 1000, nil},
	{"pypi-AgENdGVzdC5weXBpLm9yZw", "PyPI token", word, 50, 1000, nil},
	{"sk-ant-", "Anthropic key", word, 80, 255, nil},
	{"sk-or-v1-", "OpenRouter key", hexadecimal, 64, 64, nil},
	{"sk-", "OpenAI key", word, 40, 255, func(rest string) bool { return strings.Contains(rest, "T3BlbkFJ") }},
	{"hf_", "Hugging Face token", letters, 34, 34, nil},
	{"gsk_", "Groq key", alphanumeric, 52, 52, nil},
	{"dop_v1_", "DigitalOcean token", hexadecimal, 64, 64, nil},
	{"dckr_pat_", "Docker Hub token", word, 27, 36, nil},
	{"shpat_", "Shopify token", hexadecimal, 32, 32, nil},
	{"dapi", "Databricks token", hexadecimal, 32, 32, nil},
	{"AGE-SECRET-KEY-1", "private key", upper, 58, 58, nil},
	{"hobnob_", "token of hobnob serve", hexadecimal, 64, 64, nil},
}

// minWord is the length of the shortest shape.
const minWord = 26

// findPrefixed adds the words that have a known prefix.
func findPrefixed(text string, add func(match) bool) {
	for start, end := range runs(text, word) {
		if start > 0 && text[start-1] == '\\' && strings.IndexByte("nrt", text[start]) >= 0 {
			start++ // the letter belongs to an escape
		}
		for start < end && text[start] == '-' {
			start++
		}
		if end-start < minWord {
			continue
		}
		if what := kindOf(text[start:end]); what != "" && !add(match{start, end, what}) {
			return
		}
	}
}

// kindOf returns what a word is, or "".
func kindOf(text string) string {
	for _, s := range shapes {
		rest, ok := strings.CutPrefix(text, s.prefix)
		if ok && len(rest) >= s.min && (s.max == 0 || len(rest) <= s.max) && s.chars.has(rest) &&
			(s.valid == nil || s.valid(rest)) && !isPlaceholder(rest) {
			return s.what
		}
	}
	return ""
}

// hasChecksum reports whether a text ends with its CRC-32 as six digits of base 62.
func hasChecksum(text string) bool {
	const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	end := len(text) - 6
	sum := crc32.ChecksumIEEE([]byte(text[:end]))
	for i := len(text) - 1; i >= end; i-- {
		if text[i] != base62[sum%62] {
			return false
		}
		sum /= 62
	}
	return true
}

// beginsWithDigits reports whether a token of Slack has the number of a workspace.
func beginsWithDigits(rest string) bool {
	return rest[0] >= '0' && rest[0] <= '9'
}
