package failure

// Kind says what happened. Its name is stored with a failed turn and printed
// with --json, its exit code is what scripts test: neither ever changes.
type Kind uint8

// The kinds of failure.
const (
	Other       Kind = iota // a file, the disk, anything without a kind of its own
	Usage                   // the command line
	Config                  // the configuration
	NotFound                // no such conversation, turn, agent, template or profile
	Auth                    // no token, or one that the service does not accept
	NotSent                 // name, connection, TLS or proxy: the service got nothing
	Unknown                 // the service may have accepted the question
	Limited                 // the service asks to wait, or is unavailable
	Refused                 // the service refused the request
	Broken                  // the service's answer cannot be read
	NotSaved                // the reply came and could not be recorded
	NotCopied               // the reply could not be copied to the clipboard
	NoBlock                 // the reply has no block of code of the wanted language
	Unreadable              // a file to import cannot be read
	History                 // the history cannot be read or written
	Internal                // a bug in hobnob
	HungUp                  // SIGHUP
	Interrupted             // SIGINT
	Terminated              // SIGTERM
	Unrecorded              // a failure that an older hobnob recorded without a kind
)

var kinds = [...]struct {
	name string
	exit int
}{
	Other:       {"error", 1},
	Usage:       {"usage", 2},
	Config:      {"config", 2},
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
	Unreadable:  {"import", 1},
	History:     {"history", 1},
	Internal:    {"internal", 70},
	HungUp:      {"terminated", 129},
	Interrupted: {"interrupted", 130},
	Terminated:  {"terminated", 143},
	Unrecorded:  {"unrecorded", 1},
}

// String returns the name of the kind.
func (k Kind) String() string { return kinds[k].name }

// Exit returns the exit code.
func (k Kind) Exit() int { return kinds[k].exit }

// ParseKind returns the kind of a name, and Unrecorded for a name that is none.
func ParseKind(name string) Kind {
	for k := range kinds {
		if kinds[k].name == name {
			return Kind(k)
		}
	}
	return Unrecorded
}

// ExitCode is an exit code and what it means.
type ExitCode struct {
	Code int
	Help string
}

// ExitCodes returns every exit code of hobnob in ascending order.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{0, "all is well"},
		{Other.Exit(), "another failure: a file, the history, the clipboard, no block for --extract"},
		{Usage.Exit(), "the command line or the configuration means nothing"},
		{NotFound.Exit(), "no such conversation, turn, agent, template or profile"},
		{Auth.Exit(), "no token, or the service does not accept it"},
		{NotSent.Exit(), "not sent: name, connection, TLS or proxy failed; safe to try again"},
		{Unknown.Exit(), "outcome unknown: the service may have accepted the question"},
		{Limited.Exit(), "the service asks to wait, or is unavailable"},
		{Refused.Exit(), "refused by the service, or its reply was broken"},
		{NotSaved.Exit(), "the reply was shown but could not be saved"},
		{Internal.Exit(), "a bug in hobnob"},
		{HungUp.Exit(), "stopped because the terminal was closed"},
		{Interrupted.Exit(), "stopped by Ctrl-C"},
		{Terminated.Exit(), "stopped by SIGTERM"},
	}
}
