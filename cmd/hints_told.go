package cmd

import (
	"errors"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/api"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/shell"
)

// ofProfile stands after each command of a hint or a note whose meaning depends on
// the profile. Factory.inProfile puts the flag in its place where the text is told.
const ofProfile = "\x00"

// inProfile completes the commands of a hint: where -p or HOBNOB_PROFILE chose the
// profile, they get the flag, so that obeying the hint changes no other profile.
func (f *Factory) inProfile(text string) string {
	flag := ""
	if name := first(f.Global.Profile, f.Env("HOBNOB_PROFILE")); name != "" {
		flag = " -p " + shell.Word(name)
	}
	return strings.ReplaceAll(text, ofProfile, flag)
}

// explain is explain with a hint that is ready to be told: it knows the profile, and
// where the token came from that the service refused.
func (f *Factory) explain(err error) failure {
	told := explain(err)
	var hinted *hintError
	var unstored *notStoredError // of login, which tries a token that was typed
	if told.Code == "auth" && !errors.As(err, &hinted) && !errors.As(err, &unstored) {
		var remote *api.Error
		var unanswered *noAnswerError
		switch source := f.tokenSource(); {
		case source == "":
		case errors.As(err, &unanswered):
			told.Hint = tokenFix(source) + ", then: " + unanswered.resend()
		case errors.As(err, &remote):
			told.Hint = tokenHint(remote.Status, source)
		}
	}
	told.Hint = f.inProfile(told.Hint)
	return told
}

// tokenSource is the source of the selected profile's token if it comes before what
// login stores, else "".
func (f *Factory) tokenSource() credential.Source {
	profile, err := f.Profile()
	if err != nil {
		return ""
	}
	return givenSource(f.Env("HOBNOB_TOKEN"), profile.TokenCommand)
}

func givenSource(environment string, command []string) credential.Source {
	switch {
	case environment != "":
		return credential.SourceEnvironment
	case len(command) > 0:
		return credential.SourceCommand
	}
	return ""
}

// tokenHint is what to do about a token that the service refused with a status.
func tokenHint(status int, source credential.Source) string {
	switch stored := source != credential.SourceEnvironment && source != credential.SourceCommand; {
	case status == 403 && stored:
		return "the token is known but not allowed to do this; ask the owner of the service, or use another token: hobnob login" + ofProfile
	case status == 403:
		return "the token is known but not allowed to do this; ask the owner of the service, or " + tokenFix(source)
	}
	return "the token is not valid or has ended; " + tokenFix(source)
}

// tokenFix is how to get another token to where the bad one came from: what login
// stores is not looked at while an earlier source has a token.
func tokenFix(source credential.Source) string {
	switch source {
	case credential.SourceEnvironment:
		return "correct or unset HOBNOB_TOKEN"
	case credential.SourceCommand:
		return "correct what the setting token_command prints: hobnob config get token_command" + ofProfile
	}
	return "get a new one from the service and run: hobnob login" + ofProfile
}

// valueHint names where a value that means nothing is to be corrected.
func valueHint(e *config.ValueError) string {
	switch e.Source.Kind {
	case "environment":
		return "correct or unset " + e.Source.Name
	case "flag":
		return "correct " + e.Source.Name + ", or leave it out"
	}
	return "see: hobnob config list --show-source" + ofProfile
}
