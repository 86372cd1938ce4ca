package history

import (
	"errors"
	"strings"
	"testing"
)

func TestFindTitleIgnoresCase(t *testing.T) {
	s := openStore(t)
	for _, title := range []string{"Release Notes", "release notes 2", "ÉTÉ à la mer", "ÑU", "ñu", "Σίσυφος", "!?", "東京 Tower", "dead", "50% Off"} {
		begin(t, s, Question{Text: "x", Title: title})
	}
	gone := begin(t, s, Question{Text: "x", Title: "Gone"})
	if err := s.Delete(t.Context(), gone.Conversation); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{
		"release notes": "Release Notes", "RELEASE NOTES": "Release Notes", "été À LA MER": "ÉTÉ à la mer",
		"ñu": "ñu", "ÑU": "ÑU", "σίσυφος": "Σίσυφος", "東京 tower": "東京 Tower", "DEAD": "dead", "50% off": "50% Off", "!?": "!?",
	} {
		if c, err := s.Find(t.Context(), ref); err != nil || c.Title != want {
			t.Errorf("Find(%q): %q, %v, want %q", ref, c.Title, err, want)
		}
	}
	for _, ref := range []string{"release  notes", "release", "ete a la mer", "ETE À LA MER", "gone", "?!", "release notes *", `release" OR "notes`} {
		if c, err := s.Find(t.Context(), ref); !errors.As(err, new(*NotFoundError)) {
			t.Errorf("Find(%q): %q, %v, want a NotFoundError", ref, c.Title, err)
		}
	}
	if c, err := s.FindDeleted(t.Context(), "gone"); err != nil || c.Title != "Gone" {
		t.Errorf("in the trash: %q, %v", c.Title, err)
	}
	for _, ref := range []string{"Ñu", "ñU"} {
		var several *AmbiguousError
		if _, err := s.Find(t.Context(), ref); !errors.As(err, &several) || len(several.Matches) != 2 {
			t.Errorf("Find(%q): %v, want two matches", ref, err)
		}
	}
	for range 10 {
		begin(t, s, Question{Text: "x", Title: "hello"})
	}
	_, err := s.Find(t.Context(), "HELLO")
	several, ok := errors.AsType[*AmbiguousError](err)
	if !ok || several.Error() != `"HELLO" matches more than 5 conversations` || strings.Count(several.Failure().Hint.String(), ", 1 turn)") != 5 {
		t.Errorf("ten conversations: %v", err)
	}
}
