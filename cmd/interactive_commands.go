package cmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/suggest"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// interactiveCommand is a command of an interactive chat.
type interactiveCommand struct {
	name     string // without the slash
	argument string // as help shows it, empty for none
	help     string // one line
	more     string // what else `/help NAME` says
	run      func(i *interactive, ctx context.Context, argument string) error
	complete func(i *interactive, argument string) []lineedit.Candidate
}

// interactiveCommands returns the commands in the order of /help.
func interactiveCommands() []interactiveCommand {
	return []interactiveCommand{
		{"help", "[COMMAND]", "list the commands, or explain one", "", (*interactive).help, (*interactive).completeCommand},
		{"new", "[TITLE]", "begin a new conversation", "The one before stays as it is; /open goes back to it.", (*interactive).startNew, nil},
		{"open", "[ID|TITLE]", "go on with another conversation", "Without a name it lists the latest ones.", (*interactive).open, (*interactive).completeConversation},
		{"title", "TITLE", "give the conversation another title", "", (*interactive).rename, nil},
		{"agent", "[NAME|UUID]", "ask another agent from now on", "Without a name it lists the agents of the profile.", (*interactive).switchAgent, (*interactive).completeAgent},
		{"file", "[PATH|-]", "add a file to the next question", "Without a path it lists what is added; - takes all of it back. Quotes are not needed.", (*interactive).addFile, (*interactive).completeFile},
		{"edit", "[TEXT]", "write the next question in $VISUAL or $EDITOR", "Ctrl-X Ctrl-E does so with what is in the line. An empty file asks nothing.", (*interactive).compose, nil},
		{"again", "", "ask the last question again, beside the first answer", "", (*interactive).again, nil},
		{"undo", "", "go back before the last question, and change it", "Nothing is removed: what is asked next makes a branch.", (*interactive).undo, nil},
		{"tree", "", "draw the branches of the conversation", "", (*interactive).tree, nil},
		{"at", "TURN", "continue from an earlier turn", "A turn is named by its id, as /tree shows it.", (*interactive).at, (*interactive).completeTurn},
		{"context", "", "say what the next question carries with it", "", (*interactive).context, nil},
		{"search", "WORDS", "search all conversations", "", (*interactive).search, nil},
		{"copy", "[code [LANGUAGE]]", "copy the last reply, or its first block of code", "Over ssh the terminal is asked to copy (OSC 52).", (*interactive).copyReply, (*interactive).completeCopy},
		{"save", "PATH", "write the last reply to a file", "", (*interactive).saveReply, (*interactive).completeFile},
		{"export", "PATH", "write the conversation to a file", "The name decides: .md, .json or .html.", (*interactive).export, (*interactive).completeFile},
		{"usage", "[on|off]", "say what the conversation cost in tokens", "With on or off: say it after each answer.", (*interactive).usage, completeSwitch},
		{"raw", "[on|off]", "show replies as they came, or rendered", "", (*interactive).raw, completeSwitch},
		{"exit", "", "leave; so does Ctrl-D", "", (*interactive).exit, nil},
	}
}

// slashCommand takes a command apart: a slash and a word on a text of one line.
// Two slashes are a question that begins with one.
func slashCommand(text string) (name, argument string, ok bool) {
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

func findCommand(name string) (interactiveCommand, bool) {
	for _, c := range interactiveCommands() {
		if c.name == name {
			return c, true
		}
	}
	return interactiveCommand{}, false
}

func (i *interactive) command(ctx context.Context, name, argument string) error {
	c, ok := findCommand(strings.ToLower(name))
	if !ok {
		return unknownCommand(name)
	}
	required := c.argument != "" && c.argument[0] != '['
	switch {
	case required && argument == "":
		return failure.Usagef("usage: /"+c.name+" "+c.argument, "/%s needs %s", c.name, c.argument)
	case c.argument == "" && argument != "":
		return failure.Usagef("usage: /"+c.name, "/%s takes nothing after it", c.name)
	}
	return c.run(i, ctx, argument)
}

// unknownCommand suggests the nearest one.
func unknownCommand(name string) error {
	const ask = "to ask a question that begins with a slash, begin it with two"
	var names, begins []string
	for _, c := range interactiveCommands() {
		names = append(names, c.name)
		if name != "" && strings.HasPrefix(c.name, strings.ToLower(name)) {
			begins = append(begins, c.name)
		}
	}
	hint := "/help lists the commands; " + ask
	if near := cmp.Or(append(begins, suggest.Nearest(name, names))...); near != "" {
		hint = "did you mean /" + near + "? " + ask
	}
	return failure.Usagef(hint, "there is no command /%s", name)
}

func (i *interactive) help(_ context.Context, name string) error {
	f := i.f
	columns := min(f.IO.Columns(), 80)
	if name != "" {
		c, ok := findCommand(strings.TrimPrefix(strings.ToLower(name), "/"))
		if !ok {
			return unknownCommand(strings.TrimPrefix(name, "/"))
		}
		text := c.usage() + "\n  " + c.help + "\n"
		if c.more != "" {
			text += "  " + c.more + "\n"
		}
		return f.Print.Text(terminal.Wrap(text, columns, 2))
	}
	var text strings.Builder
	format, indent := fmt.Sprintf("%%-%ds%%s\n", helpColumn), helpColumn
	if columns < 2*helpColumn {
		format, indent = "%s\n  %s\n", 2
	}
	for _, c := range interactiveCommands() {
		fmt.Fprintf(&text, format, c.usage(), c.help)
	}
	keys := `Enter sends. Alt-Enter begins a new line; so does Enter after """, until """ ends it. ` +
		`Ctrl-C clears the line, or stops a question that waits. Up and Ctrl-R find what was typed before, ` +
		`Tab completes, Ctrl-X Ctrl-E opens the editor.`
	if !i.editor.Rich() {
		keys = `Enter sends; after """ it begins a new line, until """ ends it. Ctrl-C stops a question that waits.`
	}
	return f.Print.Page(terminal.Wrap(text.String(), columns, indent) + "\n" + terminal.Wrap(keys, columns, 0) + "\n")
}

// helpColumn is where help explains a command.
const helpColumn = 26

// usage is a command with its argument.
func (c interactiveCommand) usage() string {
	return strings.TrimSpace("/" + c.name + " " + c.argument)
}

func (i *interactive) exit(context.Context, string) error { return errLeave }

// complete offers commands, and what a command takes.
func (i *interactive) complete(before string) ([]lineedit.Candidate, int) {
	name, argument, spaced := strings.Cut(before, " ")
	if !strings.HasPrefix(name, "/") || strings.Contains(before, "\n") {
		return nil, 0
	}
	if !spaced {
		var all []lineedit.Candidate
		for _, c := range interactiveCommands() {
			all = append(all, lineedit.Candidate{Value: "/" + c.name, Description: c.help})
		}
		return beginning(all, name), len(name)
	}
	c, ok := findCommand(strings.TrimPrefix(name, "/"))
	if !ok || c.complete == nil {
		return nil, 0
	}
	return beginning(c.complete(i, argument), argument), len(argument)
}

func beginning(candidates []lineedit.Candidate, with string) []lineedit.Candidate {
	return slices.DeleteFunc(candidates, func(c lineedit.Candidate) bool {
		return !strings.HasPrefix(strings.ToLower(c.Value), strings.ToLower(with))
	})
}

func (i *interactive) completeCommand(string) []lineedit.Candidate {
	var out []lineedit.Candidate
	for _, c := range interactiveCommands() {
		out = append(out, lineedit.Candidate{Value: c.name, Description: c.help})
	}
	return out
}

func completeSwitch(*interactive, string) []lineedit.Candidate {
	return []lineedit.Candidate{{Value: "on"}, {Value: "off"}}
}
