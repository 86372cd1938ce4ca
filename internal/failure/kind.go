package failure

import "slices"

// Kind classifies a failure. Its name is stored with a failed turn and printed with
// --json, and scripts test its exit code. Neither ever changes.
type Kind uint8

// The kinds of failure.
const (
	Other       Kind = iota // any other error, such as that of a file
	Usage                   // invalid command line
	Config                  // invalid configuration
	Secret                  // the question seems to contain a secret and was not sent
	NotFound                // no such conversation, turn, agent, template or profile
	Auth                    // no token, or the service rejected it
	NotSent                 // name lookup, connection, TLS or proxy failed
	Unknown                 // the service may have accepted the question
	Limited                 // rate limited, or the service is unavailable
	Refused                 // the service refused the request
	Broken                  // the service's reply is invalid
	NotSaved                // the reply could not be saved
	NotCopied               // the reply could not be copied to the clipboard
	NoBlock                 // the reply contains no code block in the requested language
	Schema                  // the reply does not fit --schema
	Unreadable              // a file to import cannot be read
	NoRecording             // the recording has no answer to the request
	History                 // the history cannot be read or written
	Rows                    // some rows of a batch have no answer
	Internal                // a bug in hobnob
	HungUp                  // SIGHUP
	Interrupted             // SIGINT
	Terminated              // SIGTERM
	Unrecorded              // recorded without a kind by an older hobnob
)

var kinds = [...]struct {
	name string
	exit int
}{
	Other:       {"error", 1},
	Usage:       {"usage", 2},
	Config:      {"config", 2},
	Secret:      {"secret", 2},
	NotFound:    {"not_found", 3},
	Auth:        {"auth", 4},
	NotSent:     {"not_sent", 5},
	Unknown:     {"unknown", 6},
	Limited:     {"limited", 7},
	Refused:     {"refused", 8},
	Broken:      {"broken", 8},
	NotSaved:    {"not_saved", 9},
	NotCopied:   {"not_copied", 1},
	NoBlock:     {"no_block", 1},
	Schema:      {"schema", 8},
	Unreadable:  {"import", 1},
	NoRecording: {"no_recording", 3},
	History:     {"history", 1},
	Rows:        {"rows", 10},
	Internal:    {"internal", 70},
	HungUp:      {"terminated", 129},
	Interrupted: {"interrupted", 130},
	Terminated:  {"terminated", 143},
	Unrecorded:  {"unrecorded", 1},
}

// String returns the name of the kind.
func (k Kind) String() string { return kinds[k].name }

// Exit returns the exit code of the kind.
func (k Kind) Exit() int { return kinds[k].exit }

// ParseKind returns the kind with the given name, or Unrecorded if the name is
// unknown.
func ParseKind(name string) Kind {
	for k := range kinds {
		if kinds[k].name == name {
			return Kind(k)
		}
	}
	return Unrecorded
}

// ExitCode is an exit code and its meaning.
type ExitCode struct {
	Code int
	Help string
}

// exitCodes describes the exit codes in help, documents and messages.
var exitCodes = [...]ExitCode{
	{0, "success"},
	{1, "other failure, such as of a file, the output, the history or the clipboard"},
	{2, "invalid command line or configuration"},
	{3, "conversation, turn, agent, template, profile or recorded answer not found"},
	{4, "no token, or the service rejected it"},
	{5, "not sent: name lookup, connection, TLS or proxy failed; safe to retry"},
	{6, "outcome unknown: the service may have accepted the question"},
	{7, "rate limited, or the service is unavailable"},
	{8, "refused by the service, or its reply was invalid or does not fit --schema"},
	{9, "the reply was shown but could not be saved"},
	{10, "some rows of a batch failed, are malformed or have an unknown outcome"},
	{70, "a bug in hobnob"},
	{129, "stopped because the terminal was closed"},
	{130, "stopped by Ctrl-C"},
	{143, "stopped by SIGTERM"},
}

// ExitCodes returns every exit code of hobnob in ascending order.
func ExitCodes() []ExitCode { return slices.Clone(exitCodes[:]) }

// Help returns the meaning of the exit code of the kind.
func (k Kind) Help() string {
	i := slices.IndexFunc(exitCodes[:], func(c ExitCode) bool { return c.Code == k.Exit() })
	return exitCodes[i].Help
}
