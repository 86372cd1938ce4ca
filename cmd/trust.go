package cmd

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/access"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/project"
	"github.com/hobnob-cli/hobnob/internal/shell"
	"github.com/hobnob-cli/hobnob/internal/terminal"
	"github.com/hobnob-cli/hobnob/internal/view"
)

type trustOptions struct {
	f *cli.Factory

	Dir    string // "" for the nearest one with a project file
	List   bool
	Revoke bool
}

func newTrustCommand(f *cli.Factory) *cobra.Command {
	opts := trustOptions{f: f}
	cmd := &cobra.Command{
		Use:         "trust [DIR]",
		Annotations: map[string]string{exitCodes: "3"},
		Short:       "Trust the project file of a directory",
		Long: `Show what the project file of a directory sets, and use it from now on. Without
DIR, it is the nearest directory with the file .hobnob.yaml: the working
directory, or one above it up to your home directory.

Until its directory is trusted, the file has no effect. You need not trust it again
when the file changes: it can never set an address, a token or a command, or read
a file outside of its directory. A directory that is moved or replaced, or gets
another owner, must be trusted again.

HOBNOB_PROJECT=off ignores all project files.`,
		Example: `  hobnob trust
  hobnob trust --list
  hobnob trust --revoke ~/src/app
  HOBNOB_PROJECT=off hobnob chat "how do I …?"`,
		GroupID:           groupConnect,
		ValidArgsFunction: directories,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				opts.Dir = args[0]
			}
			switch {
			case opts.List && opts.Revoke:
				return failure.Usagef("see: hobnob trust --help", "--list and --revoke cannot be used together")
			case opts.List && opts.Dir != "":
				return failure.Usagef("see: hobnob trust --help", "--list takes no directory")
			case opts.List:
				return runTrustList(f)
			case opts.Revoke:
				return runTrustRevoke(opts)
			}
			return runTrust(opts)
		},
	}
	cmd.Flags().BoolVar(&opts.List, "list", false, "list the trusted directories")
	cmd.Flags().BoolVar(&opts.Revoke, "revoke", false, "stop trusting the directory")
	return cmd
}

// directories completes the names of directories.
func directories(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func runTrust(opts trustOptions) error {
	f := opts.f
	dir, err := opts.find()
	if err != nil {
		return err
	}
	if err := project.CheckSafe(dir); err != nil {
		return err
	}
	settings, err := project.Read(dir)
	if err != nil {
		return err
	}
	if _, err := (project.Project{Dir: dir, Settings: settings}).TemplatePaths(); err != nil {
		return err
	}
	trusted, err := f.Trusted()
	if err != nil {
		return err
	}
	if err := trusted.Add(dir); err != nil {
		return err
	}
	if owner := access.OtherOwner(dir); owner != "" {
		f.Print.Warn("%s is owned by %s, who can change the project file", dir, owner)
	}
	if f.Global.JSON {
		return f.Print.JSON(view.DescribeProject(project.Project{Dir: dir, Settings: settings}))
	}
	sets := settings.Describe()
	if len(sets) == 0 {
		f.Print.Note("%s sets nothing", project.Project{Dir: dir}.Path())
	} else if err := f.Print.Pairs(sets); err != nil {
		return err
	}
	undo := "hobnob trust --revoke"
	if opts.Dir != "" {
		undo += " " + shell.Word(opts.Dir)
	}
	return f.Print.Done("trusted %s; to undo it: %s", dir, undo)
}

// find returns the directory to trust.
func (o trustOptions) find() (string, error) {
	start := o.Dir
	if start == "" {
		start = "."
	}
	dir, err := project.Directory(start)
	if err != nil {
		return "", err
	}
	found := project.Find(dir, o.f.Env("HOME"))
	if found == "" || o.Dir != "" && found != dir {
		return "", failure.New(failure.NotFound, failure.Plain("create the file "+project.Name+" there, for example with the line: agent: reviewer"), "no project file found in "+dir)
	}
	return found, nil
}

func runTrustRevoke(opts trustOptions) error {
	trusted, err := opts.f.Trusted()
	if err != nil {
		return err
	}
	dir := opts.Dir
	if dir == "" {
		dir = "."
	}
	if dir, err = project.Directory(dir); err != nil {
		return err
	}
	if opts.Dir == "" {
		if found := project.Find(dir, opts.f.Env("HOME")); found != "" {
			dir = found
		}
	}
	found, err := trusted.Remove(dir)
	if err == nil && !found {
		err = failure.New(failure.NotFound, failure.Plain("to list the trusted directories: hobnob trust --list"), dir+" is not trusted")
	}
	if err != nil {
		return err
	}
	return opts.f.Print.Done("%s is no longer trusted", dir)
}

// trustRow is a directory in the output of trust --list.
type trustRow struct {
	Directory string    `json:"directory"`
	Since     time.Time `json:"since"`
	Problem   *string   `json:"problem"`
}

func runTrustList(f *cli.Factory) error {
	trusted, err := f.Trusted()
	if err != nil {
		return err
	}
	entries, err := trusted.List()
	if err != nil {
		return err
	}
	rows, cells := []trustRow{}, [][]string{}
	for _, entry := range entries {
		row, state := trustRow{Directory: entry.Dir, Since: entry.Since}, "trusted"
		if err := entry.Check(); err != nil {
			state = err.Error()
			row.Problem = &state
		}
		rows = append(rows, row)
		cells = append(cells, []string{entry.Dir, entry.Since.Local().Format("2006-01-02"), state})
	}
	if f.Global.JSON {
		return f.Print.JSON(rows)
	}
	if len(rows) == 0 {
		f.Print.Note("no directory is trusted; to trust one: hobnob trust DIR")
		return nil
	}
	return f.Print.Table([]terminal.Column{{Title: "DIRECTORY", Flexible: true}, {Title: "SINCE"}, {Title: "STATE"}}, cells)
}
