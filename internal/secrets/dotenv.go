package secrets

import (
	"slices"
	"strings"
)

// isDotenv reports whether a file with a name has settings with values: .env, .env.local,
// production.env and so on, but no .env.example.
func isDotenv(name string) bool {
	base := baseOf(name)
	return !isExample(name) && (base == ".env" || strings.HasPrefix(base, ".env.") || strings.HasSuffix(base, ".env"))
}

// isExample reports whether a file with a name has example values.
func isExample(name string) bool {
	return slices.ContainsFunc(strings.Split(baseOf(name), "."), func(part string) bool {
		return slices.Contains([]string{"example", "sample", "template", "tmpl", "dist", "defaults", "schema"}, part)
	})
}

func baseOf(name string) string {
	return strings.ToLower(name[strings.LastIndexAny(name, `/\`)+1:])
}

// findAssignments adds the values in parts of a text that look like a .env file or the
// output of env, such as one that was pasted: at least two lines that set a variable in
// upper case, with only empty lines and comments between them.
func findAssignments(text string, add func(match) bool) {
	start, end, n := 0, 0, 0
	find := func() (more bool) {
		more = true
		if n > 1 {
			findValues(text[start:end], func(m match) bool {
				more = add(match{start + m.start, start + m.end, m.what})
				return more
			})
		}
		n = 0
		return more
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		name, _, ok := strings.Cut(strings.TrimPrefix(trimmed, "export "), "=")
		switch {
		case trimmed == "" || trimmed[0] == '#':
		case !ok || name == "" || !variable.has(name):
			if !find() {
				return
			}
		default:
			if n++; n == 1 {
				start = end
			}
		}
		end += len(line)
	}
	find()
}

// findValues adds the values of variables whose names mean a secret in the text of a .env
// file.
func findValues(text string, add func(match) bool) {
	for at := 0; at < len(text); {
		equals := strings.IndexByte(text[at:], '=')
		if equals < 0 {
			return
		}
		equals += at
		begin := at + strings.LastIndexByte(text[at:equals], '\n') + 1
		rest, _, _ := strings.Cut(text[equals+1:], "\n")
		at = equals + 1 + len(rest)
		name := strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(text[begin:equals], " \t"), "export "))
		if !isSecretName(name) {
			continue
		}
		value := valueOf(rest)
		if !isReal(name, value) {
			continue
		}
		start := equals + 1 + strings.Index(rest, value)
		if !add(match{start, start + len(value), "value of " + name}) {
			return
		}
	}
}

// maxName is the maximum length of the name of a variable.
const maxName = 64

// isSecretName reports whether a variable contains a secret, according to its name.
func isSecretName(name string) bool {
	if len(name) > maxName || !word.has(name) {
		return false
	}
	parts := strings.FieldsFunc(strings.ToUpper(name), func(r rune) bool { return r == '_' || r == '-' })
	if len(parts) == 0 || slices.Contains(parts, "PUBLIC") || slices.Contains(parts, "PUBLISHABLE") {
		return false
	}
	return slices.Contains([]string{"SECRET", "TOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PWD", "KEY", "APIKEY", "CREDENTIALS"}, parts[len(parts)-1])
}

// valueOf returns a value without quotes and without a comment.
func valueOf(rest string) string {
	rest = strings.TrimSpace(rest)
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		value, _, _ := strings.Cut(rest[1:], rest[:1])
		return value
	}
	value, _, _ := strings.Cut(rest, " #")
	return strings.TrimSpace(value)
}

// isReal reports whether the value of a variable may be a secret: no reference to another
// place, no path, and no word that is in every example.
func isReal(name, value string) bool {
	lower := strings.ToLower(value)
	switch {
	case len(value) < 6, strings.Contains(strings.ToLower(name), lower):
		return false
	case strings.ContainsAny(value, "<>{}") || value[0] == '$' || strings.Contains(value, "://") && !strings.Contains(value, "@"):
		return false
	case value[0] == '/' || value[0] == '~' || strings.HasPrefix(value, "./") || strings.HasPrefix(value, "../"):
		return false
	case longestStep(value, 0) == len(value), hasExampleWord(value):
		return false
	}
	return !slices.Contains([]string{"password", "passw0rd", "secret", "postgres", "admin123", "123456", "12345678", "localhost", "development", "undefined", "secretkey", "supersecret", "testing", "test123"}, lower)
}
