package markdown

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

var wordPattern = regexp.MustCompile(`[\p{L}\p{N}][\p{L}\p{N}\p{M}]*`)

// missingWords returns the words of source that rendered does not show. Words are
// runs of letters and digits in any markup. An entity may be shown resolved, as in
// text, or as written, as in code. A word broken across lines counts as shown.
func missingWords(source, rendered string) []string {
	shown := joined(rendered)
	missingOf := func(text string) (missing []string) {
		for _, word := range wordPattern.FindAllString(text, -1) {
			if !strings.Contains(shown, word) {
				missing = append(missing, word)
			}
		}
		return missing
	}
	var missing []string
	for _, field := range strings.Fields(source) {
		words := missingOf(resolveEntities(field))
		if len(words) > 0 && len(missingOf(field)) > 0 {
			missing = append(missing, words...)
		}
	}
	return missing
}

// rareWords returns the words that rendered shows less often than source contains
// them, sorted. A word within another word counts for both. Missing words are
// included, except those next to an entity.
func rareWords(source, rendered string) []string {
	shown := joined(rendered)
	fields := slices.DeleteFunc(strings.Fields(source), entityPattern.MatchString)
	var rare []string
	for _, field := range fields {
		for _, word := range wordPattern.FindAllString(field, -1) {
			if count(shown, word) < count(strings.Join(fields, " "), word) {
				rare = append(rare, word)
			}
		}
	}
	slices.Sort(rare)
	return slices.Compact(rare)
}

// joined returns a rendering without its line breaks, spaces, and the bars of quotes
// and tables.
func joined(rendered string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("│|>", r) {
			return -1
		}
		return r
	}, ansi.Strip(rendered))
}

// count counts the occurrences of a word like strings.Count, including overlapping
// ones such as aa in aaa.
func count(text, word string) (n int) {
	for i := range text {
		if strings.HasPrefix(text[i:], word) {
			n++
		}
	}
	return n
}

// resolveEntities resolves entities except those for control characters, which are
// shown as written.
func resolveEntities(source string) string {
	return entityPattern.ReplaceAllStringFunc(source, func(entity string) string {
		resolved := html.UnescapeString(entity)
		if !strings.HasSuffix(entity, ";") || strings.ContainsFunc(resolved, terminal.Unsafe) {
			return entity
		}
		return resolved
	})
}

// checkWords checks that rendered shows the words of source. The word unshown may be
// missing, the words rarer may be shown less often than in source.
func checkWords(t *testing.T, source, rendered, unshown string, rarer ...string) {
	t.Helper()
	missing := slices.DeleteFunc(missingWords(source, rendered), func(word string) bool { return word == unshown })
	if len(missing) > 0 {
		t.Errorf("missing words %q of\n%s\nin\n%s", missing, source, rendered)
	}
	rare := slices.DeleteFunc(rareWords(source, rendered), func(word string) bool {
		return word == unshown || slices.Contains(rarer, word)
	})
	if len(rare) > 0 {
		t.Errorf("words %q shown less often than in\n%s\nin\n%s", rare, source, rendered)
	}
}
