package cmd

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
)

// newReferenceCommand writes docs/cli; it is for those who build hobnob.
func newReferenceCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "reference DIR",
		Short:  "Write the reference of all commands as Markdown",
		Hidden: true,
		Args:   exactArgs("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return eachCommand(cmd.Root(), func(c *cobra.Command) error {
				c.DisableAutoGenTag = true
				var page bytes.Buffer
				if err := doc.GenMarkdown(c, &page); err != nil {
					return err
				}
				name := strings.ReplaceAll(c.CommandPath(), " ", "_") + ".md"
				return atomicfile.Write(filepath.Join(args[0], name), page.Bytes())
			})
		},
	}
}
