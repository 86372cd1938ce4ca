package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newReferenceCommand writes docs/cli; it is for those who build hobnob.
func newReferenceCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "reference DIR",
		Short:  "Write the reference of all commands as Markdown",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachCommand(cmd.Root(), func(c *cobra.Command) error {
				c.DisableAutoGenTag = true
				var page bytes.Buffer
				if err := doc.GenMarkdown(c, &page); err != nil {
					return err
				}
				name := strings.ReplaceAll(c.CommandPath(), " ", "_") + ".md"
				return writePublic(filepath.Join(args[0], name), page.Bytes())
			})
		},
	}
}

// writePublic writes a file that everybody may read, for packages.
func writePublic(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// eachCommand calls fn for every command and topic that help shows.
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
