package cmd

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
		Long: `Show the manual page of hobnob or one of its commands. In a pipe, the page is
printed in man format.`,
		Example:           "  hobnob man chat\n  hobnob man conversations list > hobnob-conversations-list.1",
		GroupID:           groupMore,
		Annotations:       map[string]string{printsText: ""},
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Root = cmd.Root()
			found, rest, err := opts.Root.Find(args)
			if err != nil || len(rest) > 0 {
				return failure.Usagef(helpHint(found, rest), "unknown command %q", strings.Join(args, " "))
			}
			opts.Of = found
			return runMan(cmd.Context(), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Dir, "dir", "", "write all pages to this `directory`")
	_ = cmd.Flags().MarkHidden("dir")
	return cmd
}

func runMan(ctx context.Context, opts manOptions) error {
	f := opts.f
	if opts.Dir != "" {
		return eachCommand(opts.Root, func(c *cobra.Command) error {
			return writePublic(filepath.Join(opts.Dir, pageName(c)), manPage(c))
		})
	}
	page := manPage(opts.Of)
	viewer, err := exec.LookPath("man")
	if !f.IO.OutTTY {
		return f.Print.Text(page)
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
	if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, viewer, name)
	command.Stdin, command.Stdout, command.Stderr = f.IO.In, f.IO.Out, f.IO.Err
	if err := command.Run(); err != nil {
		return fmt.Errorf("cannot show the manual page with %s: %w", viewer, err)
	}
	return nil
}

func pageName(c *cobra.Command) string {
	return strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
}

// manPage returns the manual page of a command or topic in the man format.
func manPage(c *cobra.Command) string {
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	var b strings.Builder
	// A fixed date keeps the committed pages unchanged.
	fmt.Fprintf(&b, ".nh\n.TH %q \"1\" \"Nov 2026\" \"hobnob\" \"hobnob manual\"\n", strings.ToUpper(name))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n", roff(name), roff(c.Short))
	topic := c.IsAdditionalHelpTopicCommand()
	if topic {
		fmt.Fprintf(&b, "\\fB%s\\fP\n", roff("hobnob help "+c.Name()))
	} else {
		for _, line := range usageLines(c) {
			fmt.Fprintf(&b, "\\fB%s\\fP\n", roff(strings.TrimSpace(line)))
		}
	}
	b.WriteString(".SH DESCRIPTION\n" + roffText(description(c)))
	if !topic {
		roffFlags(&b, "OPTIONS", c.LocalFlags())
		roffFlags(&b, "GLOBAL OPTIONS", c.InheritedFlags())
	}
	if exits := exitRows(c); !topic && len(exits) > 0 {
		b.WriteString(".SH EXIT STATUS\n")
		for _, row := range exits {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fP\n%s\n", strings.TrimSpace(row[0]), roff(row[1]))
		}
	}
	if c.HasExample() {
		b.WriteString(".SH EXAMPLES\n" + roffText(c.Example))
	}
	var see []string
	for _, other := range related(c) {
		see = append(see, `\fB`+roff(strings.ReplaceAll(other.CommandPath(), " ", "-"))+`(1)\fP`)
	}
	if len(see) > 0 {
		b.WriteString(".SH SEE ALSO\n" + strings.Join(see, ", ") + "\n")
	}
	return b.String()
}

// roffFlags writes a section of flags, if there are any.
func roffFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + title + "\n")
	flags.VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			name, value, description := describeFlag(flag)
			fmt.Fprintf(b, ".TP\n\\fB%s\\fP\\fI%s\\fP\n%s\n", roff(name), roff(value), roff(description))
		}
	})
}

// roffText returns text in the man format. Indented lines are not joined.
func roffText(text string) string {
	var b strings.Builder
	literal := false
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		indented := strings.HasPrefix(line, " ")
		switch {
		case line == "":
		case indented && !literal:
			b.WriteString(".EX\n")
			literal = true
		case !indented && literal:
			b.WriteString(".EE\n")
			literal = false
		}
		switch {
		case line != "":
			b.WriteString(roff(line) + "\n")
		case literal:
			b.WriteString("\n")
		default:
			b.WriteString(".PP\n")
		}
	}
	if literal {
		b.WriteString(".EE\n")
	}
	return b.String()
}

// roff returns text with the special characters of roff escaped.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
