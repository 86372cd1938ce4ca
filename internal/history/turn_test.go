package history

import "testing"

func TestTranscript(t *testing.T) {
	s := openStore(t)
	answered := func(q Question, serviceID string) Turn {
		turn := begin(t, s, q)
		if _, err := s.Answer(t.Context(), turn, "r", Service{ConversationID: serviceID}); err != nil {
			t.Fatal(err)
		}
		return turn
	}
	root := answered(Question{Text: "root"}, "s-root")
	answered(Question{Conversation: root.Conversation, Parent: root.ID, Text: "old"}, "s-old")
	answered(Question{Conversation: root.Conversation, Parent: root.ID, Text: "new"}, "s-new")
	other := answered(Question{Text: "other"}, "s-other")
	open := begin(t, s, Question{Text: "open"})
	for _, tc := range []struct{ conversation, ref, want string }{
		{root.Conversation, "", "root new"},
		{root.Conversation, "s-old", "root old"},
		{root.Conversation, "s-other", "root new"}, // a title can look like a service id
		{other.Conversation, "", "other"},
		{open.Conversation, "", "open"},
	} {
		c, err := s.Find(t.Context(), tc.conversation)
		if err != nil {
			t.Fatal(err)
		}
		turns, err := s.Transcript(t.Context(), c, tc.ref)
		if got := questions(turns); err != nil || got != tc.want {
			t.Errorf("%q of %s: %q, %v, want %q", tc.ref, c.Title, got, err, tc.want)
		}
	}
}
