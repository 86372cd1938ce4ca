package failure

import "strings"

// Report is an error as it is printed with --json; its form is stable.
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

// NewReport returns the report of an error, with the hint for the profile that
// was chosen, "" for none.
func NewReport(err error, profile string) Report {
	f := Of(err)
	return Report{
		Code: f.Kind.String(), Exit: f.Kind.Exit(), Message: strings.TrimSpace(err.Error()), Hint: f.Hint.For(profile),
		Status: f.Status, Conversation: f.Conversation, Turn: f.Turn, State: f.State,
	}
}

// Err returns an error that means what was reported, by another process of
// hobnob.
func (r Report) Err() error {
	return &Error{text: r.Message, failure: Failure{
		Kind: ParseKind(r.Code), Hint: Plain(r.Hint), Status: r.Status, Conversation: r.Conversation, Turn: r.Turn, State: r.State,
	}}
}
