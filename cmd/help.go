package cmd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// newHelpCommand returns the command help. Unlike cobra's, it fails for an unknown
// command.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "help [COMMAND…]",
		Short:       "Show help for a command or topic",
		GroupID:     groupMore,
		Annotations: map[string]string{printsText: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return failure.Usagef(helpHint(found, rest), "unknown command or topic %q", strings.Join(args, " "))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
		ValidArgsFunction: completeCommands,
	}
}

// helpHint returns the hint of an unknown command: args did not match below found.
func helpHint(found *cobra.Command, args []string) string {
	if meant := meantCommand(found, args); meant != "" {
		return "did you mean: " + meant
	}
	return "see: hobnob --help"
}

// completeCommands completes the words of a command or topic.
func completeCommands(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	found, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, c := range found.Commands() {
		if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			out = append(out, cobra.CompletionWithDesc(c.Name(), c.Short))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// helpOutput is the stdout of cobra, which ignores write errors.
type helpOutput struct {
	out io.Writer
	err error // the first one
}

func (h *helpOutput) Write(p []byte) (int, error) {
	_, err := h.out.Write(p)
	h.err = cmp.Or(h.err, err)
	return len(p), nil
}

// pageWidth is the width of help without a terminal, in columns.
const pageWidth = 80

// helpWidth returns the width of help, in columns.
func helpWidth(streams *terminal.Streams) int {
	if streams.OutTTY {
		return streams.Columns()
	}
	return pageWidth
}

// helpText returns the help of a command or topic, wrapped at width columns.
// Examples are not wrapped, so that they can be pasted.
func helpText(c *cobra.Command, width int) string {
	var b strings.Builder
	b.WriteString(wrapText(description(c), width) + "\n")
	if c.IsAdditionalHelpTopicCommand() {
		return b.String()
	}
	section := func(title, text string) {
		if text != "" {
			b.WriteString("\n" + title + ":\n" + strings.TrimRight(text, "\n") + "\n")
		}
	}
	section("Usage", strings.Join(usageLines(c), "\n"))
	if len(c.Aliases) > 0 {
		section("Aliases", "  "+c.NameAndAliases())
	}
	section("Examples", c.Example)
	for _, group := range c.Groups() {
		section(group.Title, rows(commandRows(c, func(child *cobra.Command) bool { return child.GroupID == group.ID }), width))
	}
	section("Commands", rows(commandRows(c, func(child *cobra.Command) bool { return child.GroupID == "" && child.IsAvailableCommand() }), width))
	section("Flags", rows(flagRows(c.LocalFlags()), width))
	section("Global flags", rows(flagRows(c.InheritedFlags()), width))
	section("Exit codes", rows(exitRows(c), width))
	section("Help topics", rows(commandRows(c, (*cobra.Command).IsAdditionalHelpTopicCommand), width))
	if c.HasAvailableSubCommands() {
		b.WriteString("\n" + wrapText(fmt.Sprintf("For more about a command or topic: hobnob help%s NAME", strings.TrimPrefix(c.CommandPath(), "hobnob")), width) + "\n")
	}
	return b.String()
}

// description returns the text of a command or topic.
func description(c *cobra.Command) string {
	text := cmp.Or(c.Long, c.Short)
	if before, after, ok := strings.Cut(text, fieldsHere); ok {
		text = before + fieldList() + after
	}
	return text
}

// exitCodes is the annotation with the exit codes of a command in addition to 0, 1 and 2,
// and those of bugs and signals. Without it, a command that prints JSON has the code 3,
// because it uses a profile.
const exitCodes = "exit-codes"

// The exit codes of commands that send requests.
const (
	requestExits  = "3 4 5 6 7 8"
	questionExits = requestExits + " 9"
)

// firstBug is the first exit code that every command has.
const firstBug = 70

// exitsOf returns the exit codes of a command.
func exitsOf(c *cobra.Command) []failure.ExitCode {
	declared, ok := c.Annotations[exitCodes]
	if _, text := c.Annotations[printsText]; !ok && !text {
		declared = "3"
	}
	own := append(strings.Fields(declared), "0", "1", "2")
	return slices.DeleteFunc(failure.ExitCodes(), func(code failure.ExitCode) bool {
		return code.Code < firstBug && !slices.Contains(own, strconv.Itoa(code.Code))
	})
}

// exitRows returns the exit codes of a command and their meaning. Those of bugs and
// signals share the last row.
func exitRows(c *cobra.Command) (found [][2]string) {
	if !c.Runnable() || isGroup(c) {
		return nil
	}
	for _, code := range exitsOf(c) {
		if code.Code < firstBug {
			found = append(found, [2]string{fmt.Sprintf("  %d", code.Code), code.Help})
		}
	}
	return append(found, [2]string{fmt.Sprintf("  %d+", firstBug), "a bug in hobnob, or a signal; see hobnob help exit-codes"})
}

// isGroup reports whether a command only has subcommands.
func isGroup(c *cobra.Command) bool {
	_, text := c.Annotations[printsText]
	return text && c.HasAvailableSubCommands()
}

// usageLines returns the usage of a command, indented.
func usageLines(c *cobra.Command) []string {
	var lines []string
	if !isGroup(c) {
		lines = append(lines, "  "+c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		lines = append(lines, "  "+c.CommandPath()+" COMMAND [flags]")
	}
	return lines
}

// commandRows returns the names and short descriptions of the visible subcommands of
// c for which ok returns true.
func commandRows(c *cobra.Command, ok func(*cobra.Command) bool) (found [][2]string) {
	for _, child := range c.Commands() {
		if (child.IsAvailableCommand() || child.IsAdditionalHelpTopicCommand() || child.Name() == "help") && ok(child) {
			found = append(found, [2]string{fmt.Sprintf("  %-*s", child.NamePadding(), child.Name()), child.Short})
		}
	}
	return found
}

// flagRows returns the visible flags and their descriptions.
func flagRows(flags *pflag.FlagSet) (found [][2]string) {
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return
		}
		name, value, description := describeFlag(flag)
		if flag.Shorthand == "" {
			name = "    " + name
		}
		found = append(found, [2]string{"  " + name + value, description})
	})
	return found
}

// describeFlag returns the name, the value and the description of a flag. The
// description ends with the default, unless that is empty, zero or false.
func describeFlag(flag *pflag.Flag) (name, value, description string) {
	name = "--" + flag.Name
	if flag.Shorthand != "" {
		name = "-" + flag.Shorthand + ", " + name
	}
	value, description = pflag.UnquoteUsage(flag)
	switch {
	case value == "":
	case flag.NoOptDefVal != "":
		value = "[=" + value + "]"
	case value == "int":
		value = " number"
	default:
		value = " " + value
	}
	if !slices.Contains([]string{"", "0", "false", "[]"}, flag.DefValue) {
		description += " (default " + flag.DefValue + ")"
	}
	return name, value, description
}

// narrow is the minimum width of the second column of rows, in columns.
const narrow = 30

// rows returns a table of two columns. The second one is wrapped at width columns; on
// a narrow screen it is below the first one.
func rows(pairs [][2]string, width int) string {
	column := 0
	for _, pair := range pairs {
		column = max(column, terminal.Width(pair[0])+3)
	}
	var b strings.Builder
	for _, pair := range pairs {
		if width-column < narrow {
			b.WriteString(pair[0] + "\n" + terminal.Wrap(strings.Repeat(" ", 8)+pair[1], width, 8) + "\n")
			continue
		}
		left := pair[0] + strings.Repeat(" ", column-terminal.Width(pair[0]))
		b.WriteString(left + strings.TrimLeft(terminal.Wrap(strings.Repeat(" ", column)+pair[1], width, column), " ") + "\n")
	}
	return b.String()
}

// wrapText wraps text at width columns. Lines without indentation form paragraphs of
// up to pageWidth columns. Indented lines are not joined, and in a table the second
// column keeps its indentation.
func wrapText(text string, width int) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		last := len(lines) - 1
		if last >= 0 && isPlain(line) && isPlain(lines[last]) {
			lines[last] += " " + line
		} else {
			lines = append(lines, line)
		}
	}
	for i, line := range lines {
		if isPlain(line) {
			lines[i] = terminal.Wrap(line, min(width, pageWidth), 0)
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if at := strings.Index(line[indent:], "  "); at >= 0 {
			second := line[indent+at:]
			indent += at + len(second) - len(strings.TrimLeft(second, " "))
		}
		lines[i] = terminal.Wrap(line, width, indent)
	}
	return strings.Join(lines, "\n")
}

// isPlain reports whether a line is part of a paragraph.
func isPlain(line string) bool { return line != "" && line[0] != ' ' }
