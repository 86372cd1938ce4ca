package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/chat"
	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

func configHint(setting string) string {
	switch setting {
	case "base_url":
		return "set it with --base-url, HOBNOB_BASE_URL, or: hobnob config set base_url URL" + ofProfile
	case "agent":
		return "an agent is a UUID or an alias: hobnob agents list" + ofProfile
	case "messages":
		return "shorten the prompt, or leave a file out"
	case "":
		return ""
	}
	return "see: hobnob config list --show-source" + ofProfile
}

func configFileHint(e *config.FileError) string {
	if errors.Is(e, fs.ErrPermission) {
		return first(access.Fix(e.Path, access.Read), "look at its permissions and at those of the directories above it")
	}
	return "correct it with: hobnob config edit"
}

func agentHint(e *config.UnknownAgentError) string {
	if near := nearest(e.Name, e.Known); near != "" {
		return fmt.Sprintf("did you mean %q? see: hobnob agents list", near) + ofProfile
	}
	if len(e.Known) == 0 {
		return "name it first: hobnob agents add " + shell.Word(e.Name) + " UUID" + ofProfile
	}
	return "agents here: " + strings.Join(e.Known, ", ") + "; add one with: hobnob agents add NAME UUID" + ofProfile
}

func styleHint() string {
	style, _ := config.Lookup("style")
	return "styles: " + strings.Join(style.Values, ", ") + ", or a JSON file"
}

func severalHint(e *history.AmbiguousError) string {
	var ids []string
	for _, c := range e.Matches {
		ids = append(ids, c.ID[:min(len(c.ID), 13)])
	}
	return "say more of the id: " + strings.Join(ids, ", ")
}

func keyringHint(e *credential.KeyringError) string {
	const around = "set HOBNOB_TOKEN, or keep it in a private file with: hobnob login --insecure-storage" + ofProfile
	if e.Op == "delete" {
		return "the keyring may still have the token; try again where the keyring works"
	}
	switch e.Reason {
	case credential.ReasonLocked, credential.ReasonDismissed, credential.ReasonTimeout:
		return "unlock the keyring and try again; without one, " + around
	default:
		return around
	}
}

func tokenFileHint(e *credential.FileError) string {
	switch {
	case errors.Is(e, credential.ErrFileExposed):
		return fmt.Sprintf("make it private again: chmod 600 %s", e.Path)
	case errors.Is(e, credential.ErrFileCorrupt):
		return fmt.Sprintf("move %s away and run: hobnob login --insecure-storage", e.Path) + ofProfile
	case errors.Is(e, fs.ErrPermission):
		return access.Fix(e.Path, access.Read)
	}
	return ""
}

func storageHint(err error) string {
	switch {
	case errors.Is(err, sqlite.ErrDamaged):
		return "repair it with hobnob doctor --history" + orUnsaved(err)
	case errors.Is(err, sqlite.ErrReadOnly), errors.Is(err, sqlite.ErrNoAccess):
		return "to see why, and what to do: hobnob doctor" + orUnsaved(err)
	case errors.Is(err, sqlite.ErrBusy):
		return "another hobnob holds it; try again" + orUnsaved(err)
	}
	return "check the disk and the permissions of the data directory (hobnob status names it)" + orUnsaved(err)
}

// orUnsaved offers to ask without the history where that is what keeping the
// question failed for: with --no-save, and in other commands, it would not help.
func orUnsaved(err error) string {
	if errors.As(err, new(*chat.JournalError)) || errors.As(err, new(*notSavedError)) {
		return ", or ask with --no-save"
	}
	return ""
}

func copyHint() string {
	switch runtime.GOOS {
	case "darwin", "windows":
		return "copy it from above"
	}
	return "copy it from above; install wl-clipboard, xclip or xsel, or use a terminal that takes OSC 52"
}

// roundUp shows a wait without fractions of a second.
func roundUp(d time.Duration) time.Duration {
	return (d + time.Second - 1).Truncate(time.Second)
}

// nearest returns the candidate that a mistyped word most likely means, or "".
func nearest(word string, candidates []string) string {
	best, distance := "", 3
	for _, c := range candidates {
		if d := editDistance(strings.ToLower(word), c); d < distance && d < len(c) {
			best, distance = c, d
		}
	}
	return best
}

// editDistance is the Levenshtein distance.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
