package cmd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

type manOptions struct {
	f *cli.Factory

	Root *cobra.Command
	Of   *cobra.Command
	Dir  string
}

func newManCommand(f *cli.Factory) *cobra.Command {
	opts := manOptions{f: f}
	cmd := &cobra.Command{
		Use:   "man [COMMAND…]",
		Short: "Show the manual page of a command",
		Long: `Show the manual page of hobnob or of one of its commands. In a pipe the page
comes as it would be installed, in the man format.`,
		Example:           "  hobnob man chat\n  hobnob man conversations list > hobnob-conversations-list.1",
		GroupID:           groupMore,
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Root = cmd.Root()
			found, rest, err := opts.Root.Find(args)
			if err != nil || len(rest) > 0 {
				return failure.Usagef("see: hobnob --help", "there is no command %q", strings.Join(args, " "))
			}
			opts.Of = found
			return runMan(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Dir, "dir", "", "write all pages into this `directory`")
	_ = cmd.Flags().MarkHidden("dir")
	return cmd
}

func runMan(ctx context.Context, opts manOptions) error {
	f := opts.f
	if opts.Dir != "" {
		return eachCommand(opts.Root, func(c *cobra.Command) error {
			page, err := manPage(c)
			if err != nil {
				return err
			}
			return writePublic(filepath.Join(opts.Dir, pageName(c)), page)
		})
	}
	page, err := manPage(opts.Of)
	if err != nil {
		return err
	}
	viewer, err := exec.LookPath("man")
	if !f.IO.OutTTY {
		return f.Print.Text(string(page))
	}
	if err != nil {
		return opts.Of.Help()
	}
	dir, err := os.MkdirTemp("", "hobnob-man-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	name := filepath.Join(dir, pageName(opts.Of))
	if err := os.WriteFile(name, page, 0o600); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, viewer, name)
	command.Stdin, command.Stdout, command.Stderr = f.IO.In, f.IO.Out, f.IO.Err
	if err := command.Run(); err != nil {
		return fmt.Errorf("cannot show the page with %s: %w", viewer, err)
	}
	return nil
}

func pageName(c *cobra.Command) string {
	return strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
}

func manPage(c *cobra.Command) ([]byte, error) {
	// A fixed date keeps the committed pages the same from day to day.
	date := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	c.DisableAutoGenTag = true
	var page bytes.Buffer
	err := doc.GenMan(c, &doc.GenManHeader{Title: strings.ToUpper(strings.ReplaceAll(c.CommandPath(), " ", "-")), Section: "1", Source: "hobnob", Manual: "hobnob manual", Date: &date}, &page)
	return page.Bytes(), err
}
