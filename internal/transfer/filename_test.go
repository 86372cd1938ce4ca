package transfer

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/hobnob-cli/hobnob/internal/history"
)

func TestFileName(t *testing.T) {
	for title, want := range map[string]string{
		"Why does this goroutine leak?": "Why-does-this-goroutine-leak.md",
		"日本語 の タイトル":                    "日本語-の-タイトル.md",
		"e\u0301te\u0301":               "été.md",
		"v1.2.3_final":                  "v1.2.3_final.md",
		"../../etc/passwd":              "etc-passwd.md",
		`C:\Windows\system32`:           "C-Windows-system32.md",
		"CON":                           "conversation-CON.md",
		"nul.txt":                       "conversation-nul.txt.md",
		"com1":                          "conversation-com1.md",
		"console":                       "console.md",
		"":                              "conversation.md",
		"...":                           "conversation.md",
		".bashrc":                       "bashrc.md",
		"-rf *":                         "rf.md",
		"$(touch x)`y`;&|":              "touch-x-y.md",
		"a\x00b\nc\u202ed\u200be":       "a-b-c-d-e.md",
		"\xff\xfe":                      "conversation.md",
		"🎉 party":                       "🎉-party.md",
	} {
		names := fileNames{extension: ".md"}
		if got := names.next(history.Conversation{Title: title}); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}

func TestFileNamesAreUnique(t *testing.T) {
	names := fileNames{extension: ".json"}
	var got []string
	for _, c := range []history.Conversation{
		{ID: "aaaaaaaa-1", Title: "Same"}, {ID: "bbbbbbbb-1", Title: "same"}, {ID: "bbbbbbbb-2", Title: "SAME"},
		{ID: "cccccccc-1", Title: "same-bbbbbbbb"}, {ID: "dddddddd-1", Title: "e\u0301"}, {ID: "eeeeeeee-1", Title: "É"},
	} {
		got = append(got, names.next(c))
	}
	if want := "Same.json same-bbbbbbbb.json SAME-bbbbbbbb-2.json same-bbbbbbbb-cccccccc.json é.json É-eeeeeeee.json"; strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func FuzzFileName(f *testing.F) {
	for _, title := range []string{"../x", "CON.", "nul\x00", strings.Repeat("🙂", 100), "a\nb", "~", " x "} {
		f.Add(title)
	}
	f.Fuzz(func(t *testing.T, title string) {
		names := fileNames{extension: ".md"}
		name := names.next(history.Conversation{ID: stableID(title), Title: title})
		if filepath.Base(name) != name || !filepath.IsLocal(name) || len(name) > 128 || !utf8.ValidString(name) || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "-") {
			t.Errorf("%q: got %q", title, name)
		}
		if strings.ContainsAny(name, "/\\:*?\"<>|$`'();&!#~ ") || strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
			t.Errorf("%q: got %q", title, name)
		}
	})
}
