package history

import (
	"errors"
	"testing"
	"time"
)

func TestFailedRetryStaysUnknown(t *testing.T) {
	for name, tc := range map[string]struct {
		before State // Pending: the process was killed
		then   []State
		want   State
		reason string
	}{
		"unknown, then failed":          {Unknown, []State{Failed}, Unknown, "before"},
		"unknown, then failed twice":    {Unknown, []State{Failed, Failed}, Unknown, "before"},
		"unknown, then unknown":         {Unknown, []State{Unknown}, Unknown, "again"},
		"unknown, then killed":          {Unknown, []State{Pending}, Unknown, killed().Text},
		"unknown, killed, then failed":  {Unknown, []State{Pending, Failed}, Unknown, killed().Text},
		"killed, then failed":           {Pending, []State{Failed}, Unknown, killed().Text},
		"failed, then failed":           {Failed, []State{Failed}, Failed, "again"},
		"failed, unknown, then failed":  {Failed, []State{Unknown, Failed}, Unknown, "again"},
		"failed, killed, then failed":   {Failed, []State{Pending, Failed}, Unknown, killed().Text},
		"failed, then unknown":          {Failed, []State{Unknown}, Unknown, "again"},
		"unknown, then failed, unknown": {Unknown, []State{Failed, Unknown}, Unknown, "again"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t)
			clock := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
			s.now = func() time.Time { return clock }
			end := func(turn Turn, state State, reason string) {
				if state == Pending { // the outcome is not recorded
					clock = clock.Add(time.Hour)
					return
				}
				got, err := s.Fail(t.Context(), turn, state, Failure{Text: reason}, nil)
				if stored, _ := s.FindTurn(t.Context(), "", turn.ID); err != nil || got != stored.State {
					t.Fatalf("Fail returned %s, stored %s, %v", got, stored.State, err)
				}
			}
			turn := begin(t, s, Question{Text: "q"})
			end(turn, tc.before, "before")
			for _, state := range tc.then {
				again, err := s.Retry(t.Context(), turn, time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				end(again, state, "again")
			}
			got, err := s.FindTurn(t.Context(), "", turn.ID)
			if err != nil || got.State != tc.want || got.Failure.Text != tc.reason {
				t.Errorf("got %s, %q, %v, want %s, %q", got.State, got.Failure.Text, err, tc.want, tc.reason)
			}
		})
	}
}

func TestBodyOfInvalidReplyIsSaved(t *testing.T) {
	s := openStore(t)
	turn := begin(t, s, Question{Text: "q"})
	for _, step := range []struct {
		state State
		body  string
		want  string
	}{{Unknown, "half", "half"}, {Failed, "refused", "half"}, {Unknown, "", ""}} {
		if _, err := s.Fail(t.Context(), turn, step.state, Failure{Text: "r"}, []byte(step.body)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.FindTurn(t.Context(), "", turn.ID); err != nil || string(got.Service.Response) != step.want {
			t.Errorf("after %+v: response is %q, %v", step, got.Service.Response, err)
		}
		var err error
		if turn, err = s.Retry(t.Context(), turn, time.Minute); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRetryRefusesPendingAndAnsweredTurns(t *testing.T) {
	s := openStore(t)
	turn := begin(t, s, Question{Text: "q"})
	for _, want := range []State{Pending, Answered} {
		var taken *TakenError
		if _, err := s.Retry(t.Context(), turn, time.Minute); !errors.As(err, &taken) || err.Error() != taken.Error() || taken.State != want {
			t.Errorf("%s turn: %v", want, err)
		}
		if want == Pending {
			answer(t, s, turn, "a")
		}
	}
	var gone *TurnNotFoundError
	if _, err := s.Retry(t.Context(), Turn{ID: "gone"}, time.Minute); !errors.As(err, &gone) {
		t.Errorf("missing turn: %v", err)
	}
}
