package cmd

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
	"github.com/hobnob-cli/hobnob/internal/template"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// The exit codes. Scripts rely on them: a number never changes its meaning.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitAuth        = 4
	exitNotSent     = 5
	exitUnknown     = 6
	exitLimited     = 7
	exitRefused     = 8
	exitNotSaved    = 9
	exitInternal    = 70
	exitHungUp      = 129
	exitInterrupted = 130
	exitTerminated  = 143
)

// failure is an error as it is told: on stderr in words, or as JSON.
type failure struct {
	Code         string `json:"code"`
	Exit         int    `json:"exit"`
	Message      string `json:"message"`
	Hint         string `json:"hint,omitempty"`
	Status       int    `json:"status,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	Turn         string `json:"turn,omitempty"`
	State        string `json:"state,omitempty"`
}

// usageError is a command line that means nothing.
type usageError struct{ message, hint string }

func (e *usageError) Error() string { return e.message }

func usagef(hint, format string, args ...any) error {
	return &usageError{message: fmt.Sprintf(format, args...), hint: hint}
}

// hintError gives an error a next step.
type hintError struct {
	err  error
	hint string
}

func (e *hintError) Error() string { return e.err.Error() }
func (e *hintError) Unwrap() error { return e.err }

// notSavedError is an answer that could not be kept, shown if possible.
type notSavedError struct {
	err   error
	shown bool
}

func (e *notSavedError) Error() string {
	if !e.shown {
		return "the reply could be neither shown nor saved: " + e.err.Error()
	}
	return "the reply is shown but could not be saved: " + e.err.Error()
}
func (e *notSavedError) Unwrap() error { return e.err }

// interruptedError is what a signal ended.
type interruptedError struct {
	signal *signalError
	err    error
}

func (e *interruptedError) Error() string { return e.err.Error() }
func (e *interruptedError) Unwrap() error { return e.err }

// internalError is a panic.
type internalError struct {
	kind  string
	stack []byte
}

func (e *internalError) Error() string { return "hobnob has a bug and stopped: " + e.kind }

// report tells an error and returns its exit code.
func report(f *Factory, err error) int {
	told := f.explain(err)
	if errors.Is(err, syscall.EPIPE) {
		return told.Exit // whoever read the output has gone, and knows it
	}
	if f.Global.JSON {
		_ = writeJSON(f.IO.Err, map[string]failure{"error": told}, false)
		return told.Exit
	}
	fmt.Fprintf(f.IO.Err, "hobnob: error: %s\n", f.IO.CleanLine(told.Message))
	if told.Hint != "" {
		fmt.Fprintf(f.IO.Err, "hobnob: hint: %s\n", f.IO.CleanLine(told.Hint))
	}
	var bug *internalError
	if errors.As(err, &bug) && f.Global.Verbose {
		fmt.Fprintf(f.IO.Err, "%s\n", terminal.Clean(string(bug.stack)))
	}
	return told.Exit
}

// explain maps an error to its code, exit code and hint by its type. The hint is
// ready to be told after Factory.inProfile.
func explain(err error) failure {
	out := describe(err)
	out.Message = strings.TrimSpace(err.Error())
	var hinted *hintError
	if errors.As(err, &hinted) {
		out.Hint = hinted.hint
	}
	var failed *chat.FailedError
	if errors.As(err, &failed) {
		out.Conversation, out.Turn, out.State = failed.Conversation, failed.Turn, string(failed.State)
		if failed.RecordErr != nil {
			out.Message += "; its state could not be recorded: " + failed.RecordErr.Error()
		}
	}
	var remote *api.Error
	if errors.As(err, &remote) {
		out.Status = remote.Status
	}
	var waiting *stillPendingError
	if errors.As(err, &waiting) {
		out.Conversation, out.Turn, out.State = waiting.turn.Conversation, waiting.turn.ID, string(history.Pending)
	}
	var stopped *interruptedError
	if errors.As(err, &stopped) {
		out.Code, out.Exit, out.Hint = "interrupted", exitInterrupted, ""
		out.Message = "stopped by Ctrl-C"
		switch stopped.signal.signal {
		case syscall.SIGTERM:
			out.Code, out.Exit, out.Message = "terminated", exitTerminated, "stopped by SIGTERM"
		case syscall.SIGHUP:
			out.Code, out.Exit, out.Message = "terminated", exitHungUp, "stopped because the terminal was closed"
		}
		switch {
		case waiting != nil:
			out.Message += "; the question goes on"
			out.Hint = waiting.hint()
		case errors.As(err, new(*notStoredError)):
			out.Message += "; nothing was stored"
		case failed == nil:
		case failed.State == history.Unknown:
			out.Message += "; the service may have accepted the question, and its answer is not known"
		default:
			out.Message += "; the service did not accept the question"
		}
	}
	return out
}

// describe finds the code, the exit code and the usual hint of an error.
func describe(err error) failure {
	var (
		usage      *usageError
		bug        *internalError
		unsaved    *notSavedError
		uncopied   *terminal.NoClipboardError
		noBlock    *noBlockError
		relayed    *relayedError
		noReply    *noAnswerError
		waiting    *stillPendingError
		remote     *api.Error
		apiConfig  *api.ConfigError
		badFile    *config.FileError
		badValue   *config.ValueError
		badURL     *baseurl.Error
		noProfile  *config.UnknownProfileError
		ambiguous  *config.AmbiguousProfileError
		noURL      *config.NoBaseURLError
		noAgent    *config.UnknownAgentError
		noTemplate *template.NotFoundError
		noVariable *template.UnknownVariableError
		badPrompt  *template.Error
		keyring    *credential.KeyringError
		command    *credential.CommandError
		tokenFile  *credential.FileError
		notFound   *history.NotFoundError
		noTurn     *history.TurnNotFoundError
		severalRef *history.AmbiguousError
		newer      *history.ReadOnlyError
		unreadable *history.ImportError
		journal    *chat.JournalError
	)
	switch {
	case errors.As(err, &bug):
		return failure{Code: "internal", Exit: exitInternal, Hint: "what was asked is in the history; run it with --verbose and report the trace"}
	case errors.As(err, &unsaved):
		return failure{Code: "not_saved", Exit: exitNotSaved, Hint: "copy the reply from above; " + storageHint(err)}
	case errors.As(err, &relayed):
		return relayed.failure
	case errors.As(err, &noReply):
		return noReply.describe()
	case errors.As(err, &waiting):
		return failure{Code: "unknown", Exit: exitUnknown, Hint: waiting.hint()}
	case errors.Is(err, errNothingPending):
		return failure{Code: "not_found", Exit: exitNotFound, Hint: "ask one with: hobnob chat --detach" + ofProfile}
	case errors.As(err, &uncopied):
		return failure{Code: "not_copied", Exit: exitError, Hint: copyHint()}
	case errors.As(err, &noBlock):
		return failure{Code: "no_block", Exit: exitError}
	case errors.As(err, &usage):
		return failure{Code: "usage", Exit: exitUsage, Hint: usage.hint}
	case errors.As(err, &remote):
		var failed *chat.FailedError
		return describeRemote(remote, errors.As(err, &failed) && failed.Turn != "")
	case errors.As(err, &apiConfig):
		return failure{Code: "config", Exit: exitUsage, Hint: configHint(apiConfig.Setting)}
	case errors.As(err, &badFile):
		return failure{Code: "config", Exit: exitUsage, Hint: configFileHint(badFile)}
	case errors.As(err, &badValue):
		return failure{Code: "config", Exit: exitUsage, Hint: valueHint(badValue)}
	case errors.As(err, &badURL):
		return failure{Code: "config", Exit: exitUsage, Hint: configHint("base_url")}
	case errors.As(err, &noURL):
		return failure{Code: "config", Exit: exitUsage, Hint: "run: hobnob login -p " + shell.Word(noURL.Profile)}
	case errors.As(err, &ambiguous):
		return failure{Code: "config", Exit: exitUsage, Hint: "choose one with -p, or for good with: hobnob config set profile NAME"}
	case errors.As(err, &noProfile):
		return failure{Code: "not_found", Exit: exitNotFound, Hint: "profiles here: " + strings.Join(noProfile.Known, ", ") + "; a new one is made by: hobnob login -p NAME"}
	case errors.As(err, &noAgent):
		return failure{Code: "not_found", Exit: exitNotFound, Hint: agentHint(noAgent)}
	case errors.As(err, &noTemplate):
		return failure{Code: "not_found", Exit: exitNotFound, Hint: templateHint(noTemplate)}
	case errors.As(err, &noVariable):
		return failure{Code: "usage", Exit: exitUsage, Hint: variableHint(noVariable)}
	case errors.As(err, &badPrompt):
		return failure{Code: "config", Exit: exitUsage, Hint: "correct it with: hobnob templates edit " + badPrompt.Name}
	case errors.As(err, &notFound):
		return failure{Code: "not_found", Exit: exitNotFound, Hint: "see them with: hobnob conversations list --local" + ofProfile}
	case errors.As(err, &noTurn):
		return failure{Code: "not_found", Exit: exitNotFound, Hint: "a turn is named by its id or at least its first four characters: hobnob conversations tree" + ofProfile}
	case errors.As(err, &severalRef):
		return failure{Code: "not_found", Exit: exitNotFound, Hint: severalHint(severalRef)}
	case errors.Is(err, credential.ErrNoToken):
		return failure{Code: "auth", Exit: exitAuth, Hint: "store one with hobnob login" + ofProfile + ", or set HOBNOB_TOKEN"}
	case errors.Is(err, credential.ErrInvalid):
		return failure{Code: "auth", Exit: exitAuth, Hint: "paste the token again with: hobnob login" + ofProfile}
	case errors.As(err, &keyring):
		return failure{Code: "auth", Exit: exitAuth, Hint: keyringHint(keyring)}
	case errors.As(err, &command):
		return failure{Code: "auth", Exit: exitAuth, Hint: "run it by hand; it is the setting token_command: hobnob config get token_command" + ofProfile}
	case errors.As(err, &tokenFile):
		return failure{Code: "auth", Exit: exitAuth, Hint: tokenFileHint(tokenFile)}
	case errors.Is(err, terminal.ErrNoTerminal):
		return failure{Code: "usage", Exit: exitUsage, Hint: "there is no terminal to ask on; give the answer as a flag"}
	case errors.As(err, &unreadable):
		return failure{Code: "import", Exit: exitError, Hint: "nothing of this file was imported"}
	case errors.As(err, &newer):
		return failure{Code: "history", Exit: exitError, Hint: "update hobnob" + orUnsaved(err)}
	case errors.As(err, &journal), errors.Is(err, sqlite.ErrDamaged), errors.Is(err, sqlite.ErrBusy), errors.Is(err, sqlite.ErrReadOnly), errors.Is(err, sqlite.ErrNoAccess):
		return failure{Code: "history", Exit: exitError, Hint: storageHint(err)}
	}
	return failure{Code: "error", Exit: exitError}
}

// describeRemote explains a failed request by what is known of its outcome. Kept
// tells that the history has its question.
func describeRemote(e *api.Error, kept bool) failure {
	asked := strings.HasPrefix(e.Op, "POST ")
	again, accepted := "ask again", "the service may have accepted the question"
	switch {
	case !asked:
		again = "try again"
	case !kept:
		accepted += ", and nothing of it was kept"
	}
	maybe := ""
	if asked && e.MaybeAccepted {
		maybe = "; " + accepted
	}
	switch e.Kind {
	case api.KindNotSent:
		return failure{Code: "not_sent", Exit: exitNotSent, Hint: "nothing was sent; " + networkFix(api.CauseOf(e)) + "; to see where it fails: hobnob doctor" + ofProfile}
	case api.KindAuth:
		return failure{Code: "auth", Exit: exitAuth, Hint: tokenHint(e.Status, credential.SourceKeyring)}
	case api.KindLimited:
		hint := "wait a little and " + again
		if e.RetryAfter > 0 {
			hint = fmt.Sprintf("the service asks to wait %s; %s then", config.Format(roundUp(e.RetryAfter)), again)
		}
		return failure{Code: "limited", Exit: exitLimited, Hint: hint + maybe}
	case api.KindBroken:
		return failure{Code: "broken", Exit: exitRefused, Hint: "check that the base URL is that of an Agent Chat Service: hobnob status" + ofProfile + maybe}
	case api.KindRefused:
		hint := "nothing was accepted; correct the request and " + again
		switch {
		case e.Status == 404:
			hint = "check the base URL and the agent: hobnob status" + ofProfile
			if asked {
				hint += "; an alias with the wrong UUID is corrected by: hobnob agents add ALIAS UUID" + ofProfile
			}
		case e.Status >= 300 && e.Status < 400:
			hint = "the service answers elsewhere; set that address: hobnob config set base_url URL" + ofProfile + maybe
		case e.Status == 413:
			hint = "the question with its context is too large; send less with --history N, or shorter files"
		}
		return failure{Code: "refused", Exit: exitRefused, Hint: hint}
	case api.KindCanceled:
		return failure{Code: "interrupted", Exit: exitInterrupted}
	}
	hint := again // nothing can have changed
	switch {
	case kept:
		hint = accepted + "; it was not sent again, and its turn is kept as unknown; to send it again: hobnob resend" + ofProfile
	case asked:
		hint = accepted + "; it was not sent again"
	}
	return failure{Code: "unknown", Exit: exitUnknown, Hint: hint}
}
