package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// eachHelpPage calls fn for every visible command and topic.
func eachHelpPage(t *testing.T, fn func(*cobra.Command)) {
	t.Helper()
	root := newRootCommand(cli.New(&terminal.Streams{}, func(string) string { return "" }))
	pages := 0
	_ = eachCommand(root, func(c *cobra.Command) error {
		c.InitDefaultHelpFlag()
		pages++
		fn(c)
		return nil
	})
	if pages < 40 {
		t.Errorf("help has %d pages, want 40 or more", pages)
	}
}

func TestHelpWraps(t *testing.T) {
	words := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	for _, width := range []int{40, 60, 80, 120} {
		eachHelpPage(t, func(c *cobra.Command) {
			page := helpText(c, width)
			whole := words(page)
			described := [][2]string{}
			described = append(append(described, flagRows(c.LocalFlags())...), flagRows(c.InheritedFlags())...)
			if c.IsAdditionalHelpTopicCommand() {
				described = nil
			}
			for _, row := range described {
				if !strings.Contains(whole, words(row[0]+" "+row[1])) {
					t.Errorf("%s at %d columns does not contain %q", c.CommandPath(), width, row)
				}
			}
			for line := range strings.Lines(page) {
				line = strings.TrimRight(line, "\n")
				pasted := strings.Contains(c.Example, line) || strings.HasPrefix(line, "  hobnob ") || len(strings.Fields(line)) == 1
				if !pasted && terminal.Width(line) > width {
					t.Errorf("%s at %d columns has a line of %d: %s", c.CommandPath(), width, terminal.Width(line), line)
				}
			}
		})
	}
}

// Defaults in help, manual pages and the reference must be correct.
func TestPagesShowDefaults(t *testing.T) {
	defaults := regexp.MustCompile(`\(default ([^)]*)\)`)
	eachHelpPage(t, func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			_, _, description := describeFlag(flag)
			found := defaults.FindAllStringSubmatch(description, -1)
			set := flag.DefValue != "" && flag.DefValue != "0" && flag.DefValue != "false" && flag.DefValue != "[]"
			if len(found) > 1 || set && (len(found) == 0 || found[0][1] != flag.DefValue) {
				t.Errorf("%s --%s has the default %q: %s", c.CommandPath(), flag.Name, flag.DefValue, description)
			}
		})
		for name, page := range map[string]string{"man": manPage(c), "reference": referencePage(c), "help": helpText(c, pageWidth)} {
			for _, ugly := range []string{"=false", `=""`, "=[]", "=0", `[="`, " int ", " string ", " stringArray", "%!"} {
				if strings.Contains(page, ugly) {
					t.Errorf("%s page of %s contains %q", name, c.CommandPath(), ugly)
				}
			}
		}
	})
}

// The tables of exit codes in the documents must match the help.
func TestDocumentsListExitCodes(t *testing.T) {
	row := regexp.MustCompile(`(?m)^\| (\d+) \| (.*) \|$`)
	for _, name := range []string{"README.md", "docs/guide/scripting.md"} {
		text, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, found := range row.FindAllStringSubmatch(string(text), -1) {
			got = append(got, found[1]+" "+strings.ReplaceAll(found[2], "`", ""))
		}
		for _, code := range failure.ExitCodes() {
			want = append(want, strconv.Itoa(code.Code)+" "+code.Help)
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s has the exit codes\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// docs/scripting.md lists the code and the exit code of every failure.
func TestScriptingListsCodes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "scripting.md"))
	if err != nil {
		t.Fatal(err)
	}
	for kind := failure.Other; kind < failure.Unrecorded; kind++ {
		row := fmt.Sprintf("(?m)^\\| (\\d+, )?%d(, \\d+)? \\|.*`%s`.*\\|.*\\|$", kind.Exit(), kind)
		if !regexp.MustCompile(row).Match(text) {
			t.Errorf("docs/scripting.md does not list the code %s with the exit code %d", kind, kind.Exit())
		}
	}
}

// The author of a script finds what a script needs from `hobnob --help` with at most one
// more command, which the help names.
func TestScriptAuthorFindsTools(t *testing.T) {
	run := func(args ...string) string {
		var out strings.Builder
		f := cli.New(&terminal.Streams{In: strings.NewReader(""), Out: &out, Err: &out}, func(string) string { return "" })
		if code := run(t.Context(), f, args); code != 0 {
			t.Fatalf("hobnob %q: exit code %d", args, code)
		}
		return out.String()
	}
	first := run("--help")
	for wanted, path := range map[string][]string{
		"batch asks the rows of a file": {"scripting", "help"},
		"--resume":                      {"batch"},
		"6     outcome unknown":         {"chat"},
		"--jq expression":               nil,
		"--jq .usage.total_tokens":      {"scripting", "help"},
		"  10  some rows of a batch":    {"exit-codes", "help"},
		"answers.jsonl --resume":        {"scripting", "help"},
		"--replay FILE":                 {"scripting", "help"},
		"--schema FILE":                 {"scripting", "help"},
	} {
		page := first
		if len(path) > 0 {
			if !regexp.MustCompile(`(?m)^  ` + path[0] + ` `).MatchString(first) {
				t.Errorf("hobnob --help does not list %s", path[0])
			}
			args := []string{path[0], "--help"}
			if len(path) > 1 {
				args = []string{path[1], path[0]}
			}
			page = run(args...)
		}
		if !strings.Contains(page, wanted) {
			t.Errorf("hobnob %q does not show %q:\n%s", path, wanted, page)
		}
	}
}
