package cmd

import (
	"strings"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// validate refuses flags that contradict each other.
func (o chatOptions) validate() error {
	const see = "see: hobnob chat --help"
	switch {
	case o.Continue && o.Conversation != "":
		return failure.Usagef(see, "--continue and --conversation exclude each other")
	case o.Title != "" && (o.Continue || o.Conversation != ""):
		return failure.Usagef(see, "--title names a new conversation; it cannot be used while continuing one")
	case o.Title != "" && o.NoSave:
		return failure.Usagef(see, "--title and --no-save exclude each other: nothing is kept that could have a title")
	case o.Title != "" && strings.TrimSpace(o.Title) == "":
		return failure.Usagef("leave --title out to make it of the question", "a title cannot be empty")
	case o.branches() > 1:
		return failure.Usagef(see, "--at, --again and --edit-turn exclude each other")
	case o.Title != "" && o.branches() > 0:
		return failure.Usagef(see, "--title names a new conversation; it cannot be used with --at, --again or --edit-turn")
	case o.Again && (len(o.Words) > 0 || len(o.Files) > 0 || o.Edit):
		return failure.Usagef("leave the prompt out, or use --edit-turn to change it", "--again asks the last question as it was")
	case o.EditTurn != "" && (len(o.Words) > 0 || len(o.Files) > 0 || o.Edit):
		return failure.Usagef("leave the prompt out", "--edit-turn takes the prompt from the editor")
	case len(o.Vars) > 0 && o.Template == "":
		return failure.Usagef("name the template with -t: hobnob templates list", "--var gives a value to a template, and there is none")
	case o.Template != "" && (o.Again || o.EditTurn != ""):
		return failure.Usagef(see, "--template makes a new question; it cannot be used with --again or --edit-turn")
	case o.History < 0:
		return failure.Usagef(see, "--history cannot be %d; want 0 or more", o.History)
	case o.Extract != "" && o.f.Global.JSON:
		return failure.Usagef("leave --json out, or take the block from the field reply", "--extract and --json exclude each other")
	case (o.Extract != "" || o.Copy) && o.DryRun:
		return failure.Usagef(see, "--extract and --copy want a reply, which --dry-run does not ask for")
	case (o.Extract != "" || o.Copy) && (o.Interactive || o.talks()):
		return failure.Usagef("ask on the command line, or type /copy in the chat", "--extract and --copy are for one question, not for an interactive chat")
	case o.Interactive && (o.f.Global.JSON || o.DryRun):
		return failure.Usagef(see, "--interactive cannot be used with --json or --dry-run")
	case o.Interactive && !o.f.IO.InTTY:
		return failure.Usagef("leave --interactive out to ask once", "an interactive chat needs a terminal on standard input")
	case o.Detach:
		return o.validateDetach()
	}
	return nil
}

// branches counts the flags that make a branch.
func (o chatOptions) branches() int {
	n := 0
	for _, given := range []bool{o.At != "", o.Again, o.EditTurn != ""} {
		if given {
			n++
		}
	}
	return n
}
