package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobnob-cli/hobnob/internal/attach"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/codeblock"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/prompt"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/suggest"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// otherCommands maps names of commands in other programs to those of hobnob. Names
// of subcommands are found in the tree and need no entry.
var otherCommands = map[string]string{
	"auth": "login", "auth login": "login", "auth logout": "logout", "auth status": "status", "signin": "login", "signout": "logout",
	"connect": "login", "configure": "login", "setup": "login", "init": "login", "token": "login", "info": "status", "whoami": "status",
	"new": "chat", "run": "chat", "send": "chat", "say": "chat", "prompt": "chat", "repl": "chat", "interactive": "chat", "continue": "chat -c", "resume": "chat -c",
	"again": "chat --again", "retry": "resend", "history": "conversations list", "log": "conversations list", "logs": "conversations list",
	"chats": "conversations list", "sessions": "conversations list", "threads": "conversations list", "backup": "conversations export",
	"models": "agents list", "model": "agents list", "settings": "config list", "prompts": "templates list", "server": "serve", "start": "serve",
	"tokens": "usage", "stats": "usage", "cost": "usage", "check": "doctor", "diagnose": "doctor", "manual": "man", "commands": "help",
	"bulk": "batch", "parallel": "batch", "compare": "replay", "jq": "help formatting", "json": "help formatting", "schema": "help scripting",
	"record": "help scripting", "test": "help scripting", "scripts": "help scripting",

	"conversations new": "chat", "conversations continue": "chat -c", "agents new": "agents add", "agents create": "agents add", "agents set": "agents use",
	"agents switch": "agents use", "agents show": "agents list", "config show": "config list", "config view": "config list", "templates new": "templates edit",
	"templates add": "templates edit", "templates create": "templates edit", "templates use": "chat -t", "templates run": "chat -t",
	"accounts": "profiles list", "profiles add": "login -p NAME", "profiles create": "login -p NAME", "profiles new": "login -p NAME", "profiles switch": "profiles use",
	"profiles set": "profiles use", "profiles select": "profiles use", "profiles default": "profiles use", "profiles current": "status",
}

// otherFlags maps names of flags in other programs to those of hobnob. The first one
// that a command has is suggested.
var otherFlags = map[string][]string{
	"token": {"with-token"}, "api-key": {"with-token"}, "apikey": {"with-token"}, "key": {"with-token"}, "password": {"with-token"},
	"port": {"addr"}, "listen": {"addr"}, "bind": {"addr"}, "address": {"addr", "base-url"}, "model": {"agent"}, "m": {"agent"}, "assistant": {"agent"}, "output": {"output", "json"}, "o": {"output", "json"}, "format": {"json"},
	"n": {"limit"}, "l": {"limit"}, "count": {"limit"}, "max": {"limit"}, "url": {"base-url"}, "host": {"base-url"}, "server": {"base-url"}, "endpoint": {"base-url"},
	"resume": {"continue"}, "id": {"conversation"}, "prompt-file": {"file"}, "attach": {"file"}, "attachment": {"file"}, "name": {"title"}, "context": {"history"},
	"code": {"extract"}, "plain": {"raw"}, "no-markdown": {"raw"}, "background": {"detach"}, "async": {"detach"}, "incognito": {"no-save"}, "no-history": {"no-save"},
	"debug": {"verbose"}, "silent": {"quiet"}, "no-colour": {"no-color"}, "monochrome": {"no-color"}, "V": {"version"}, "y": {"yes"}, "force": {"yes"},
}

// groupArgs checks the arguments of a command that only has subcommands: any
// argument is an unknown command.
func groupArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see: " + cmd.CommandPath() + " --help"
	if !cmd.HasParent() && strings.ContainsAny(args[0], " ?") {
		hint = fmt.Sprintf("to ask a question: hobnob chat %q", args[0])
	} else if meant := meantCommand(cmd, args); meant != "" {
		hint = "did you mean: " + meant
	}
	if cmd.HasParent() {
		return failure.Usagef(hint, "unknown command %q for %q", args[0], cmd.CommandPath())
	}
	return failure.Usagef(hint, "unknown command %q", args[0])
}

// meantCommand returns the command line that the user probably meant by the unknown
// command args below group, or "".
func meantCommand(group *cobra.Command, args []string) string {
	path := strings.TrimPrefix(group.CommandPath()+" ", "hobnob ")
	for _, words := range [][]string{args[:min(2, len(args))], args[:1]} {
		if other := otherCommands[path+strings.Join(words, " ")]; other != "" {
			return "hobnob " + other
		}
	}
	names := map[string]*cobra.Command{}
	for _, c := range visible(group) {
		for _, name := range append(c.Aliases, c.Name()) {
			names[name] = c
		}
	}
	known := slices.Sorted(maps.Keys(names))
	begins := ""
	if i := slices.IndexFunc(known, func(name string) bool { return strings.HasPrefix(name, args[0]) }); i >= 0 && len(args[0]) > 1 {
		begins = known[i]
	}
	if below := descendant(group, func(c *cobra.Command) bool { return c.Name() == args[0] || c.HasAlias(args[0]) }); begins == "" && below != nil {
		return below.CommandPath()
	}
	if name := cmp.Or(begins, suggest.Nearest(args[0], known)); name != "" {
		return names[name].CommandPath()
	}
	if below := descendant(group, func(c *cobra.Command) bool { return suggest.Nearest(args[0], []string{c.Name()}) != "" }); below != nil {
		return below.CommandPath()
	}
	return ""
}

// visible returns the commands of a group that are listed in its help.
func visible(group *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(group.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() })
}

// descendant returns the first visible command below group for which ok returns
// true, or nil. chat and conversations with its commands come first, because they are
// used most.
func descendant(group *cobra.Command, ok func(*cobra.Command) bool) *cobra.Command {
	rest := func(c *cobra.Command) int {
		if c.Name() == "chat" || c.Name() == "conversations" {
			return 0
		}
		return 1
	}
	below := slices.SortedStableFunc(slices.Values(visible(group)), func(a, b *cobra.Command) int { return rest(a) - rest(b) })
	for _, c := range below {
		if ok(c) {
			return c
		}
		if found := descendant(c, ok); found != nil {
			return found
		}
	}
	return nil
}

// flagError returns the error of an invalid flag of a command, with a hint.
func flagError(cmd *cobra.Command, err error) error {
	see := "see: " + cmd.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return failure.Usagef(see, "%s", flagMessage(err))
	}
	extract := cmd.Flags().Lookup("extract")
	if extract != nil && extract.Changed && codeblock.IsLanguage(unknown.GetSpecifiedShortnames()) {
		return failure.Usagef("put the language after --extract= or -x=, as in -x=go", "%s", flagMessage(err))
	}
	var hints []string
	meant := meantFlag(cmd, unknown)
	if meant != "" {
		hints = append(hints, "did you mean: "+meant)
	}
	if _, takesText := cmd.Annotations[freeText]; takesText {
		hints = append(hints, "if it is part of the text, put -- before the text: "+cmd.CommandPath()+" -- …")
	}
	if len(hints) == 0 {
		hints = append(hints, see)
	}
	return failure.Usagef(strings.Join(hints, "; "), "%s", flagMessage(err))
}

// meantFlag returns the flag that the user probably meant by an unknown one, with
// its command if that is another one, or "".
func meantFlag(cmd *cobra.Command, unknown *pflag.NotExistError) string {
	cmd.InitDefaultHelpFlag()
	typed := typedFlag{name: unknown.GetSpecifiedName()}
	typed.group, _, _ = strings.Cut(unknown.GetSpecifiedShortnames(), "=")
	if meant := typed.in(cmd); meant != "" {
		return meant
	}
	if below := descendant(cmd, func(c *cobra.Command) bool { return typed.exactly(c) != "" }); below != nil {
		return below.CommandPath() + " " + typed.in(below) + " …"
	}
	if below := descendant(cmd, func(c *cobra.Command) bool { return typed.in(c) != "" }); below != nil {
		return below.CommandPath() + " " + typed.in(below) + " …"
	}
	if below := descendant(cmd, func(c *cobra.Command) bool { return c.Name() == typed.name }); below != nil {
		return below.CommandPath()
	}
	var known []string
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			known = append(known, flag.Name)
		}
	})
	word := typed.name
	if typed.group != "" {
		word = typed.group
	}
	if near := suggest.Nearest(word, known); near != "" && len(word) > 1 {
		return "--" + near
	}
	return ""
}

// typedFlag is an unknown flag: its name and, for a shorthand, the rest of its word
// from this shorthand on.
type typedFlag struct{ name, group string }

// in returns the flag of a command that the user certainly meant, with its dashes:
// the same flag, one typed with a single dash, or the equivalent of another program's
// flag. It returns "" if there is none.
func (t typedFlag) in(cmd *cobra.Command) string {
	meant, flags := t.exactly(cmd), cmd.Flags()
	if meant != "" {
		return meant
	}
	flags.VisitAll(func(flag *pflag.Flag) {
		if before, ok := strings.CutSuffix(flag.Name, t.group); ok && len(t.group) > 1 && areSet(flags, before) {
			meant = "--" + flag.Name
		}
	})
	for _, other := range otherFlags[cmp.Or(t.group, t.name)] {
		if flag := flags.Lookup(other); flag != nil && meant == "" {
			meant = "--" + other
		}
	}
	return meant
}

// exactly returns the same flag of a command, with its dashes, or "".
func (t typedFlag) exactly(cmd *cobra.Command) string {
	switch {
	case t.group == "" && cmd.Flags().Lookup(t.name) != nil:
		return "--" + t.name
	case t.group != "" && cmd.Flags().ShorthandLookup(t.name) != nil:
		return "-" + t.name
	}
	return ""
}

// areSet reports whether each letter is the shorthand of a flag that was given.
func areSet(flags *pflag.FlagSet, letters string) bool {
	for _, letter := range letters {
		if flag := flags.ShorthandLookup(string(letter)); flag == nil || !flag.Changed {
			return false
		}
	}
	return true
}

// flagMessage returns the message of a flag error without names of Go functions.
func flagMessage(err error) string {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		want := "a valid value"
		switch bad.GetFlag().Value.Type() {
		case "int":
			want = "a whole number"
		case "bool":
			want = "true or false"
		}
		return fmt.Sprintf("invalid value %q for --%s: must be %s", bad.GetValue(), bad.GetFlag().Name, want)
	}
	return strings.ReplaceAll(err.Error(), "\n", " ")
}

// languageAfterExtract returns the first word of a question if it is the name of a
// language and follows -x in the arguments, where the user may have meant -x=LANGUAGE,
// otherwise "".
func languageAfterExtract(args, words []string) string {
	if len(words) == 0 || !codeblock.IsLanguage(words[0]) {
		return ""
	}
	at := slices.Index(args, words[0])
	if at < 1 {
		return ""
	}
	before := args[at-1]
	if before == "--extract" || strings.HasPrefix(before, "-") && !strings.HasPrefix(before, "--") && strings.HasSuffix(before, "x") {
		return words[0]
	}
	return ""
}

// maxFileFlags is the maximum number of files in a command line that is suggested.
const maxFileFlags = 10

// attachWords moves words that are files to the files of s, if the user agrees: after
// -f *.go, the shell leaves all but the first file as words. Words after -- are never
// files. Without a terminal to ask on, the error has the command that attaches them.
func attachWords(cmd *cobra.Command, f *cli.Factory, s *prompt.Sources) error {
	words := s.Words
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		words = words[:dash]
	}
	files := attach.Existing(words)
	if len(files) == 0 || !cmd.Flags().Changed("file") {
		return nil
	}
	yes, err := terminal.Offer(cmd.Context(), f.IO, fmt.Sprintf("Attach %s as well?", attach.List(files)))
	if errors.Is(err, terminal.ErrNoTerminal) {
		// The command line may be too long, and values of variables may be secret.
		hint := "put -f before each of them, or quote the pattern, as in -f '*.go'"
		isChanged := func(arg string) bool { return terminal.CleanLine(arg) != arg } // when it is printed
		if len(files) <= maxFileFlags && len(s.Variables) == 0 && !slices.ContainsFunc(f.Args, isChanged) {
			hint = "to attach them: " + withFileFlags(cmd, f.Args, files)
		}
		return failure.Usagef(hint+"; to send the names as text, put -- before the text",
			"words of the question are names of files: %s", attach.List(files))
	}
	if err != nil || !yes {
		return err
	}
	s.Words = slices.DeleteFunc(slices.Clone(s.Words), func(word string) bool { return slices.Contains(files, word) })
	s.Files = slices.Concat(s.Files, files)
	return nil
}

// withFileFlags returns a command line with -f before each word that is a file.
func withFileFlags(cmd *cobra.Command, args, files []string) string {
	line := []string{"hobnob"}
	value, words := false, false // of a flag; after --
	name := cmd.CalledAs()       // until it was found: a file may have the same name
	for _, arg := range args {
		switch {
		case value || words:
		case arg == name:
			name = ""
		case slices.Contains(files, arg):
			line = append(line, "-f")
		}
		words = words || arg == "--" && !value
		value = !value && takesValue(cmd, arg)
		line = append(line, shell.Word(arg))
	}
	return strings.Join(line, " ")
}

// takesValue reports whether the value of a flag is the next argument.
func takesValue(cmd *cobra.Command, arg string) bool {
	var flag *pflag.Flag
	if name, ok := strings.CutPrefix(arg, "--"); ok {
		flag = cmd.Flags().Lookup(name)
	} else if letters, ok := strings.CutPrefix(arg, "-"); ok && letters != "" {
		if i := strings.IndexFunc(letters, func(r rune) bool {
			flag = cmd.Flags().ShorthandLookup(string(r))
			return flag == nil || flag.NoOptDefVal == ""
		}); i != len(letters)-1 {
			return false
		}
	}
	return flag != nil && flag.NoOptDefVal == ""
}
