package failure

import "strings"

// Report is an error as printed with --json. Its form is stable.
type Report struct {
	Code         string `json:"code"`
	Exit         int    `json:"exit"`
	Message      string `json:"message"`
	Hint         string `json:"hint,omitempty"`
	Status       int    `json:"status,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	Turn         string `json:"turn,omitempty"`
	State        string `json:"state,omitempty"`
}

// NewReport returns the report of an error. The hint is that for profile; see
// Hint.For.
func NewReport(err error, profile string) Report {
	f := Of(err)
	if !f.Again.IsZero() {
		f.Hint = Hintf("%s; %s", f.Hint, f.Again)
	}
	return Report{
		Code: f.Kind.String(), Exit: f.Kind.Exit(), Message: strings.TrimSpace(err.Error()), Hint: f.Hint.For(profile),
		Status: f.Status, Conversation: f.Conversation, Turn: f.Turn, State: f.State,
	}
}

// Err returns the error reported by another process of hobnob.
func (r Report) Err() error {
	return &Error{text: r.Message, failure: Failure{
		Kind: ParseKind(r.Code), Hint: Plain(r.Hint), Status: r.Status, Conversation: r.Conversation, Turn: r.Turn, State: r.State,
	}}
}
