package cmd

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/credential"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/sqlite"
)

func configHint(setting string) string {
	switch setting {
	case "base_url":
		return "set it with --base-url, HOBNOB_BASE_URL, or: hobnob config set base_url URL"
	case "agent":
		return "an agent is a UUID or an alias: hobnob agents list"
	case "messages":
		return "shorten the prompt, or leave a file out"
	case "":
		return ""
	}
	return "see: hobnob config list --show-source"
}

func agentHint(e *config.UnknownAgentError) string {
	if near := nearest(e.Name, e.Known); near != "" {
		return fmt.Sprintf("did you mean %q? see: hobnob agents list", near)
	}
	if len(e.Known) == 0 {
		return fmt.Sprintf("name it first: hobnob agents add %s UUID", e.Name)
	}
	return "agents here: " + strings.Join(e.Known, ", ") + "; add one with: hobnob agents add NAME UUID"
}

func severalHint(e *history.AmbiguousError) string {
	var ids []string
	for _, c := range e.Matches {
		ids = append(ids, c.ID[:min(len(c.ID), 13)])
	}
	return "say more of the id: " + strings.Join(ids, ", ")
}

func keyringHint(e *credential.KeyringError) string {
	const around = "set HOBNOB_TOKEN, or keep it in a private file with: hobnob login --insecure-storage"
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
		return fmt.Sprintf("move %s away and run: hobnob login --insecure-storage", e.Path)
	}
	return ""
}

func storageHint(err error) string {
	switch {
	case errors.Is(err, sqlite.ErrDamaged):
		return "repair it with hobnob doctor --history, or ask with --no-save"
	case errors.Is(err, sqlite.ErrBusy):
		return "another hobnob holds it; try again, or ask with --no-save"
	}
	return "check the disk and the permissions of the data directory (hobnob status names it), or ask with --no-save"
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
