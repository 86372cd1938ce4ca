package transfer

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// maxStem is the maximum length of a file name without extension, in bytes; file systems allow 255.
const maxStem = 80

// reservedName matches the names of devices on Windows, with any extension
// (https://learn.microsoft.com/windows/win32/fileio/naming-a-file).
var reservedName = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$|clock\$)(\..*)?$`)

// fileNames generates file names for a directory. They are also unique on file systems
// that ignore case.
type fileNames struct {
	extension string // with the dot
	used      map[string]bool
}

// next returns a name for a conversation: its title, reduced to letters, digits, emoji,
// dots, underscores and hyphens, followed by its id if the name is taken. The name is
// never a path, a hidden file, an option or a device.
func (n *fileNames) next(c history.Conversation) string {
	if n.used == nil {
		n.used = map[string]bool{}
	}
	stem := stemOf(c.Title)
	for _, candidate := range []string{stem, stem + "-" + history.Short(c.ID), stem + "-" + c.ID} {
		name := candidate + n.extension
		if key := strings.ToLower(norm.NFKD.String(name)); !n.used[key] {
			n.used[key] = true
			return name
		}
	}
	return c.ID + n.extension
}

func stemOf(title string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.ToValidUTF8(title, "-")) {
		if !namable(r) {
			r = '-'
		}
		if r == '-' && strings.HasSuffix(b.String(), "-") {
			continue
		}
		if b.Len()+utf8.RuneLen(r) > maxStem {
			break
		}
		b.WriteRune(r)
	}
	stem := strings.Trim(b.String(), "-._")
	if stem == "" {
		return "conversation"
	}
	if reservedName.MatchString(stem) {
		return "conversation-" + stem
	}
	return stem
}

func namable(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) && !unicode.Is(unicode.Variation_Selector, r) || unicode.IsDigit(r) || unicode.Is(unicode.So, r)
}
