package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// newReferenceCommand returns the hidden command that writes docs/cli.
func newReferenceCommand() *cobra.Command {
	return &cobra.Command{
		Use:         "reference DIR",
		Short:       "Write the reference of all commands as Markdown",
		Hidden:      true,
		Annotations: map[string]string{printsText: ""},
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachCommand(cmd.Root(), func(c *cobra.Command) error {
				return writePublic(filepath.Join(args[0], referenceName(c)), referencePage(c))
			})
		},
	}
}

func referenceName(c *cobra.Command) string {
	return strings.ReplaceAll(c.CommandPath(), " ", "_") + ".md"
}

// referencePage returns the page of a command or topic in Markdown.
func referencePage(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	var b strings.Builder
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n### %s\n\n```\n%s\n```\n", title, strings.TrimRight(text, "\n"))
		}
	}
	fmt.Fprintf(&b, "## %s\n\n%s\n\n%s\n", c.CommandPath(), c.Short, referenceText(description(c)))
	if !c.IsAdditionalHelpTopicCommand() {
		section("Usage", strings.Join(usageLines(c), "\n"))
		section("Examples", c.Example)
		section("Flags", rows(flagRows(c.LocalFlags()), pageWidth))
		section("Global flags", rows(flagRows(c.InheritedFlags()), pageWidth))
		section("Exit codes", rows(exitRows(c), pageWidth))
	}
	b.WriteString("\n### See also\n\n")
	for _, other := range related(c) {
		fmt.Fprintf(&b, "* [%s](%s) - %s\n", other.CommandPath(), referenceName(other), other.Short)
	}
	return b.String()
}

// referenceText returns text with indented blocks as code blocks.
func referenceText(text string) string {
	var blocks []string
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(block, " ") {
			block = "```\n" + block + "\n```"
		}
		blocks = append(blocks, block)
	}
	return strings.Join(blocks, "\n\n")
}

// related returns the parent of a command and its visible subcommands and topics.
func related(c *cobra.Command) (found []*cobra.Command) {
	if c.HasParent() {
		found = append(found, c.Parent())
	}
	for _, child := range c.Commands() {
		if child.IsAvailableCommand() && child.Name() != "help" || child.IsAdditionalHelpTopicCommand() {
			found = append(found, child)
		}
	}
	return found
}

// writePublic writes a file that all users can read, for packages.
func writePublic(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// eachCommand calls fn for every visible command and topic.
func eachCommand(c *cobra.Command, fn func(*cobra.Command) error) error {
	c.InitDefaultHelpCmd()
	if c.HasParent() && !c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() || c.Name() == "help" {
		return nil
	}
	if err := fn(c); err != nil {
		return err
	}
	for _, child := range c.Commands() {
		if err := eachCommand(child, fn); err != nil {
			return err
		}
	}
	return nil
}
