package shell_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/shell"
)

func TestWidgetsAreValidScripts(t *testing.T) {
	for _, name := range []string{"bash", "zsh", "fish"} {
		script, ok := shell.Widget(name)
		if !ok || !strings.HasSuffix(script, "\n") {
			t.Errorf("%s has no script", name)
		}
		path, err := exec.LookPath(name)
		if err != nil {
			continue // cmd tests the scripts in the real shells
		}
		check := exec.CommandContext(t.Context(), path, "-n")
		check.Stdin = strings.NewReader(script)
		if name == "fish" {
			check.Args = append(check.Args, "/dev/stdin")
		}
		if out, err := check.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s -n: %v\n%s", name, err, out)
		}
	}
	if _, ok := shell.Widget("powershell"); ok {
		t.Error("powershell has a script")
	}
}
