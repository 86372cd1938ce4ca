package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

type versionOptions struct{ f *Factory }

func newVersionCommand(f *Factory) *cobra.Command {
	opts := versionOptions{f: f}
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the version of hobnob, of Go, and the platform.",
		Example: "  hobnob version\n  hobnob version --json",
		GroupID: groupMore,
		Args:    exactArgs(),
		RunE:    func(*cobra.Command, []string) error { return runVersion(opts) },
	}
}

func runVersion(opts versionOptions) error {
	f := opts.f
	if f.Global.JSON {
		return f.printJSON(map[string]string{"version": version(), "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH})
	}
	return f.printf("hobnob %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version is the one that the Go toolchain stamped: of the module that was
// installed, or of the repository's tag.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// userAgent has the form of RFC 9110 §10.1.5.
func userAgent() string {
	return fmt.Sprintf("hobnob/%s (%s; %s)", version(), runtime.GOOS, runtime.GOARCH)
}
