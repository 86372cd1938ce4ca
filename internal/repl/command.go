package repl

import (
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
	// completionTime is the time limit of a completion.
	completionTime = 500 * time.Millisecond
	// maxCandidates is the maximum number of conversations or turns offered.
	maxCandidates = 50
)

// command is a slash command.
type command struct {
	name     string // without the slash
	aliases  []string
	argument string // for help: in brackets if optional, "" for none
	help     string // one line
	more     string // added by /help NAME
	saved    bool   // requires a saved chat
	lines    bool   // the argument may have several lines
	run      func(ctx context.Context, s *session, argument string) error
	complete func(ctx context.Context, s *session, argument string) []lineedit.Candidate // may be nil
}

// commands returns the slash commands in the order of /help.
func commands() []command {
	return []command{
		{name: "help", aliases: []string{"?"}, argument: "[COMMAND]", help: "list commands, or explain one", run: runHelp, complete: completeHelp},
		{name: "new", argument: "[TITLE]", help: "start a new conversation", run: runNew,
			more: "The current conversation stays unchanged; /open returns to it."},
		{name: "open", argument: "[ID|TITLE]", help: "continue another conversation", saved: true, run: runOpen, complete: completeConversation,
			more: "Without an argument, shows a list to choose from; type words to search it."},
		{name: "title", argument: "TITLE", help: "rename the conversation", saved: true, run: runTitle},
		{name: "agent", argument: "[NAME|UUID]", help: "switch to another agent", run: runAgent, complete: completeAgent,
			more: "Without an argument, lists the agents of the profile and marks the current one."},
		{name: "instructions", argument: "[TEXT|FILE|clear|update]", help: "show or change the standing instructions", lines: true, run: runInstructions, complete: completeInstructions,
			more: "They are sent before each question of the conversation. clear removes them, and update switches to the current ones of the agent. A file with such a name is ./clear."},
		{name: "file", argument: "[PATH|clear]", help: "attach a file, directory or URL to the next question", run: runFile, complete: completeFile,
			more: "Without an argument, lists the attached files. clear or - detaches all of them; a file with that name is ./clear. Paths need no quotes."},
		{name: "edit", argument: "[TEXT]", help: "write the next question in $VISUAL or $EDITOR", lines: true, run: runEdit,
			more: "Ctrl-X Ctrl-E opens the current line in the editor. An empty file sends nothing."},
		{name: "again", help: "ask the last question again", run: runAgain,
			more: "The new answer is an alternative to the first one."},
		{name: "undo", help: "go back before the last question", run: runUndo,
			more: "The question is put into the line, to be edited. Nothing is removed: the next question starts a branch."},
		{name: "tree", help: "draw the branches of the conversation", run: runTree},
		{name: "at", argument: "TURN", help: "continue from an earlier turn", run: runAt, complete: completeTurn,
			more: "TURN is an id shown by /tree."},
		{name: "context", help: "show the context of the next question", run: runContext},
		{name: "search", argument: "WORDS", help: "search all conversations", saved: true, run: runSearch},
		{name: "copy", argument: "[code [LANGUAGE]]", help: "copy the last reply or its first code block", run: runCopy, complete: completeCopy,
			more: "Over ssh, uses the clipboard of the terminal (OSC 52)."},
		{name: "save", argument: "PATH", help: "write the last reply to a file", run: runSave, complete: completePath,
			more: "Asks before replacing a file."},
		{name: "export", argument: "PATH", help: "write the conversation to a file", run: runExport, complete: completePath,
			more: "The extension selects the format: .md, .json or .html. Asks before replacing a file."},
		{name: "usage", argument: "[on|off]", help: "show the token usage of the conversation", run: runUsage, complete: completeSwitch,
			more: "With on, shows it after each answer."},
		{name: "raw", argument: "[on|off]", help: "show replies raw or rendered", run: runRaw, complete: completeSwitch},
		{name: "exit", aliases: []string{"quit"}, help: "leave the chat (or press Ctrl-D)", run: runExit,
			more: "exit or quit without a slash also leaves. To send that word as a question, put a space before it."},
	}
}

// parse returns the name and the argument of a slash command; ok is false for a
// question. The arguments of most commands are one line. Two slashes begin a question.
func parse(text string) (name, argument string, ok bool) {
	if leaves(text) {
		return "exit", "", true
	}
	if !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") {
		return "", "", false
	}
	name = text[1:]
	if at := strings.IndexFunc(name, unicode.IsSpace); at >= 0 {
		name, argument = name[:at], name[at:]
	}
	if strings.Contains(strings.TrimSpace(text), "\n") {
		if c, err := find(name); err != nil || !c.lines {
			return "", "", false
		}
	}
	return strings.TrimSpace(name), strings.TrimSpace(argument), true
}

// leaves reports whether text is exit or quit.
func leaves(text string) bool {
	word := strings.ToLower(strings.TrimRightFunc(text, unicode.IsSpace))
	return word == "exit" || word == "quit"
}

// asLine returns the line that asks a question: it adds a slash to a question that
// begins with one, and a space before a word that would leave the chat.
func asLine(question string) string {
	switch {
	case strings.HasPrefix(question, "/"):
		return "/" + question
	case leaves(strings.TrimLeft(question, " ")):
		return " " + question
	}
	return question
}

// asQuestion returns the question that a line asks.
func asQuestion(line string) string {
	rest, spaced := strings.CutPrefix(line, " ")
	if strings.HasPrefix(line, "//") || spaced && leaves(strings.TrimLeft(rest, " ")) {
		return line[1:]
	}
	return line
}

// find returns the command with a name or an unambiguous beginning of one, in any
// letter case.
func find(name string) (command, error) {
	const question = "to ask a question that begins with a slash, type two slashes"
	lower := strings.ToLower(name)
	var begin, names []string
	var found command
	for _, c := range commands() {
		all := append([]string{c.name}, c.aliases...)
		if slices.Contains(all, lower) {
			return c, nil
		}
		if lower != "" && slices.ContainsFunc(all, func(n string) bool { return strings.HasPrefix(n, lower) }) {
			found, begin = c, append(begin, "/"+c.name)
		}
		names = append(names, all...)
	}
	switch near := suggest.Nearest(name, names); {
	case len(begin) == 1:
		return found, nil
	case len(begin) > 1:
		last := len(begin) - 1
		return found, failure.Usagef("did you mean "+strings.Join(begin[:last], ", ")+" or "+begin[last]+"?", "/%s is ambiguous", name)
	case near != "":
		return found, failure.Usagef("did you mean /"+near+"? "+question, "unknown command /%s", name)
	}
	return found, failure.Usagef("/help lists the commands; "+question, "unknown command /%s", name)
}

func (s *session) command(ctx context.Context, name, argument string) error {
	c, err := find(name)
	if err != nil {
		return err
	}
	required := c.argument != "" && c.argument[0] != '['
	switch {
	case required && argument == "":
		return failure.Usagef("usage: "+c.usage(), "%s is missing", c.argument)
	case c.argument == "" && argument != "":
		return failure.Usagef("usage: "+c.usage(), "/%s takes no arguments", c.name)
	case c.saved && !s.at.Saves():
		return errUnsaved()
	}
	return c.run(ctx, s, argument)
}

// usage returns the command with its argument.
func (c command) usage() string {
	return strings.TrimSpace("/" + c.name + " " + c.argument)
}

// complete completes commands and their arguments.
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

// completeCommands completes the names of all commands, after a prefix.
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

// setSwitch sets a switch to the value typed and prints the name and the new value.
func (s *session) setSwitch(on *bool, typed, name string) error {
	value := strings.ToLower(typed)
	if value != "on" && value != "off" {
		return failure.Usagef("use on or off", "invalid value %q", typed)
	}
	*on = value == "on"
	s.f.Print.Note("%s: %s", name, value)
	return nil
}

func completeSwitch(context.Context, *session, string) []lineedit.Candidate {
	return []lineedit.Candidate{{Value: "on"}, {Value: "off"}}
}
