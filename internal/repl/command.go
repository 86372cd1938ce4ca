package repl

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/hobnob-cli/hobnob/internal/lineedit"
	"github.com/hobnob-cli/hobnob/internal/suggest"
)

// command is a slash command.
type command struct {
	name     string // without the slash
	argument string // as help shows it: in brackets where it may be left out, "" for none
	help     string // one line
	more     string // what else /help NAME says
	run      func(s *session, ctx context.Context, argument string) error
	complete func(s *session, argument string) []lineedit.Candidate // nil completes nothing
}

// commands returns the slash commands in the order of /help: one file and one line
// here each.
func commands() []command {
	return []command{
		helpCommand(), newCommand(), openCommand(), titleCommand(), agentCommand(), fileCommand(), editCommand(), againCommand(), undoCommand(),
		treeCommand(), atCommand(), contextCommand(), searchCommand(), copyCommand(), saveCommand(), exportCommand(), usageCommand(), rawCommand(),
		exitCommand(),
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

// find returns the command of a name, in any letter case.
func find(name string) (command, error) {
	all := commands()
	at := slices.IndexFunc(all, func(c command) bool { return c.name == strings.ToLower(name) })
	if at >= 0 {
		return all[at], nil
	}
	const question = "to ask a question that begins with a slash, begin it with two"
	hint := "/help lists the commands; " + question
	if near := nearest(name, all); near != "" {
		hint = "did you mean /" + near + "? " + question
	}
	return command{}, usage(hint, "there is no command /%s", name)
}

// nearest returns the first command that begins with the name, else the one that
// is nearest to it.
func nearest(name string, all []command) string {
	var names []string
	for _, c := range all {
		if name != "" && strings.HasPrefix(c.name, strings.ToLower(name)) {
			return c.name
		}
		names = append(names, c.name)
	}
	return suggest.Nearest(name, names)
}

func (s *session) command(ctx context.Context, name, argument string) error {
	c, err := find(name)
	if err != nil {
		return err
	}
	required := c.argument != "" && c.argument[0] != '['
	switch {
	case required && argument == "":
		return usage("usage: "+c.usage(), "/%s needs %s", c.name, c.argument)
	case c.argument == "" && argument != "":
		return usage("usage: "+c.usage(), "/%s takes nothing after it", c.name)
	}
	return c.run(s, ctx, argument)
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
	if err != nil || c.complete == nil {
		return nil, 0
	}
	return beginning(c.complete(s, argument), argument), len(argument)
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
	switch strings.ToLower(typed) {
	case "on":
		*on = true
	case "off":
		*on = false
	default:
		return usage("say on or off", "%q is neither on nor off", typed)
	}
	s.print.Note("%s: %s", meaning, strings.ToLower(typed))
	return nil
}

func completeSwitch(*session, string) []lineedit.Candidate {
	return []lineedit.Candidate{{Value: "on"}, {Value: "off"}}
}
