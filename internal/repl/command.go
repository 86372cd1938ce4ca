package repl

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/suggest"
)

const (
	// completionTime bounds what a Tab may take.
	completionTime = 500 * time.Millisecond
	// maxCandidates bounds how many conversations or turns a Tab offers.
	maxCandidates = 50
)

// command is a slash command.
type command struct {
	name     string // without the slash
	argument string // as help shows it: in brackets where it may be left out, "" for none
	help     string // one line
	more     string // what else /help NAME says
	saved    bool   // needs a chat that is saved
	run      func(ctx context.Context, s *session, argument string) error
	complete func(ctx context.Context, s *session, argument string) []lineedit.Candidate // nil completes nothing
}

// commands returns the slash commands in the order of /help: one line here and one
// file each.
func commands() []command {
	return []command{
		{name: "help", argument: "[COMMAND]", help: "list the commands, or explain one", run: runHelp, complete: completeHelp},
		{name: "new", argument: "[TITLE]", help: "begin a new conversation", run: runNew,
			more: "The one before stays as it is; /open goes back to it."},
		{name: "open", argument: "[ID|TITLE]", help: "go on with another conversation", saved: true, run: runOpen, complete: completeConversation,
			more: "Without a name it lists the latest ones."},
		{name: "title", argument: "TITLE", help: "give the conversation another title", saved: true, run: runTitle},
		{name: "agent", argument: "[NAME|UUID]", help: "ask another agent from now on", run: runAgent, complete: completeAgent,
			more: "Without a name it lists the agents of the profile."},
		{name: "file", argument: "[PATH|-]", help: "add a file to the next question", run: runFile, complete: completePath,
			more: "Without a path it lists what is added; - takes all of it back. Quotes are not needed."},
		{name: "edit", argument: "[TEXT]", help: "write the next question in $VISUAL or $EDITOR", run: runEdit,
			more: "Ctrl-X Ctrl-E does so with what is in the line. An empty file asks nothing."},
		{name: "again", help: "ask the last question again, beside the first answer", run: runAgain},
		{name: "undo", help: "go back before the last question, and change it", run: runUndo,
			more: "Nothing is removed: what is asked next makes a branch."},
		{name: "tree", help: "draw the branches of the conversation", run: runTree},
		{name: "at", argument: "TURN", help: "continue from an earlier turn", run: runAt, complete: completeTurn,
			more: "A turn is named by its id, as /tree shows it."},
		{name: "context", help: "say what the next question carries with it", run: runContext},
		{name: "search", argument: "WORDS", help: "search all conversations", saved: true, run: runSearch},
		{name: "copy", argument: "[code [LANGUAGE]]", help: "copy the last reply, or its first block of code", run: runCopy, complete: completeCopy,
			more: "Over ssh the terminal is asked to copy (OSC 52)."},
		{name: "save", argument: "PATH", help: "write the last reply to a file", run: runSave, complete: completePath},
		{name: "export", argument: "PATH", help: "write the conversation to a file", run: runExport, complete: completePath,
			more: "The name decides: .md, .json or .html."},
		{name: "usage", argument: "[on|off]", help: "say what the conversation cost in tokens", run: runUsage, complete: completeSwitch,
			more: "With on or off: say it after each answer."},
		{name: "raw", argument: "[on|off]", help: "show replies as they came, or rendered", run: runRaw, complete: completeSwitch},
		{name: "exit", help: "leave; so does Ctrl-D", run: runExit},
	}
}

// parse takes a command apart: a slash and a word on a text of one line. Two
// slashes are a question that begins with one.
func parse(text string) (name, argument string, ok bool) {
	if !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") {
		return "", "", false
	}
	name = text[1:]
	if at := strings.IndexFunc(name, unicode.IsSpace); at >= 0 {
		name, argument = name[:at], name[at:]
	}
	if name != "edit" && strings.Contains(strings.TrimSpace(text), "\n") {
		return "", "", false
	}
	return strings.TrimSpace(name), strings.TrimSpace(argument), true
}

// find returns the command of a name, in any letter case. For a name that none has
// the error suggests the first that begins with it, else the nearest.
func find(name string) (command, error) {
	lower, begins := strings.ToLower(name), ""
	var names []string
	for _, c := range commands() {
		if c.name == lower {
			return c, nil
		}
		if begins == "" && name != "" && strings.HasPrefix(c.name, lower) {
			begins = c.name
		}
		names = append(names, c.name)
	}
	const question = "to ask a question that begins with a slash, begin it with two"
	hint := "/help lists the commands; " + question
	if near := cmp.Or(begins, suggest.Nearest(name, names)); near != "" {
		hint = "did you mean /" + near + "? " + question
	}
	return command{}, failure.Usagef(hint, "there is no command /%s", name)
}

func (s *session) command(ctx context.Context, name, argument string) error {
	c, err := find(name)
	if err != nil {
		return err
	}
	required := c.argument != "" && c.argument[0] != '['
	switch {
	case required && argument == "":
		return failure.Usagef("usage: "+c.usage(), "/%s needs %s", c.name, c.argument)
	case c.argument == "" && argument != "":
		return failure.Usagef("usage: "+c.usage(), "/%s takes nothing after it", c.name)
	case c.saved && !s.at.Saves():
		return errUnsaved()
	}
	return c.run(ctx, s, argument)
}

// usage is a command with its argument.
func (c command) usage() string {
	return strings.TrimSpace("/" + c.name + " " + c.argument)
}

// complete offers commands, and what a command takes.
func (s *session) complete(before string) (candidates []lineedit.Candidate, replaces int) {
	name, argument, spaced := strings.Cut(before, " ")
	if !strings.HasPrefix(name, "/") || strings.Contains(before, "\n") {
		return nil, 0
	}
	if !spaced {
		return beginning(completeCommands("/"), name), len(name)
	}
	c, err := find(name[1:])
	if err != nil || c.complete == nil || c.saved && !s.at.Saves() {
		return nil, 0
	}
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	return beginning(c.complete(ctx, s, argument), argument), len(argument)
}

// completeCommands offers every command, its name after a prefix.
func completeCommands(prefix string) []lineedit.Candidate {
	var out []lineedit.Candidate
	for _, c := range commands() {
		out = append(out, lineedit.Candidate{Value: prefix + c.name, Description: c.help})
	}
	return out
}

func beginning(candidates []lineedit.Candidate, with string) []lineedit.Candidate {
	return slices.DeleteFunc(candidates, func(c lineedit.Candidate) bool {
		return !strings.HasPrefix(strings.ToLower(c.Value), strings.ToLower(with))
	})
}

// setSwitch sets a switch to what was typed and reports what it means now.
func (s *session) setSwitch(on *bool, typed, meaning string) error {
	value := strings.ToLower(typed)
	if value != "on" && value != "off" {
		return failure.Usagef("say on or off", "%q is neither on nor off", typed)
	}
	*on = value == "on"
	s.f.Print.Note("%s: %s", meaning, value)
	return nil
}

func completeSwitch(context.Context, *session, string) []lineedit.Candidate {
	return []lineedit.Candidate{{Value: "on"}, {Value: "off"}}
}
