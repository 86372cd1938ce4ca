package cmd

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
)

type versionOptions struct{ f *cli.Factory }

func newVersionCommand(f *cli.Factory) *cobra.Command {
	opts := versionOptions{f: f}
	return &cobra.Command{
		Use:         "version",
		Annotations: map[string]string{exitCodes: ""},
		Short:       "Print the version",
		Long:        "Print the versions of hobnob and Go, and the platform.",
		Example:     "  hobnob version\n  hobnob version --json",
		GroupID:     groupMore,
		RunE:        func(*cobra.Command, []string) error { return runVersion(opts) },
	}
}

func runVersion(opts versionOptions) error {
	f := opts.f
	if f.Global.JSON {
		return f.Print.JSON(map[string]string{"version": cli.Version(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
	}
	return f.Print.Printf("hobnob %s (%s, %s/%s)\n", cli.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
