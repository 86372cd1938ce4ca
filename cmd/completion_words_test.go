package cmd

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// The values to complete; the conversation belongs to the profile words.
const (
	wordsConversation = "1a2b3c4d-0000-4000-8000-000000000001"
	wordsOther        = "1f2b3c4d-0000-4000-8000-000000000002"
	wordsTurn         = "5a6b7c8d-0000-4000-8000-000000000003"
	wordsOtherTurn    = "5f6b7c8d-0000-4000-8000-000000000004"
	wordsFailed       = "6a6b7c8d-0000-4000-8000-000000000005"
)

// newWordsHome returns a home directory with a profile, agents, two conversations with
// turns, and a file.
func newWordsHome(t *testing.T, binary, shell string) *shellHome {
	t.Helper()
	h := newShellHome(t, binary, shell)
	h.write(filepath.Join(h.dir, "config.yaml"), `profile: words
profiles:
  words: {base_url: 'http://127.0.0.1:1', agents: {reviewer: 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f, zoologist: 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e40}}
  wordless: {base_url: 'http://127.0.0.1:1'}
`, 0o600)
	h.write(filepath.Join(h.dir, "questions.txt"), "?", 0o600)
	db := openDatabase(t, filepath.Join(h.dir, history.FileName))
	defer func() { _ = db.Close() }()
	h.insert(db, wordsOther, "the other one", "words", 1)
	h.insert(db, wordsConversation, "rivers of $(pwned)", "words", 2)
	for seq, turn := range [][]string{
		{wordsOtherTurn, wordsOther, "other $(pwned)", "answered"}, {wordsTurn, wordsConversation, "why `pwned`\n?", "answered"},
		{wordsFailed, wordsConversation, "what failed", "failed"},
	} {
		if _, err := db.Exec(`INSERT INTO turns(seq, id, conversation, question, reply, state, agent_id, asked, expires) VALUES (?, ?, ?, ?, 'r', ?, '', 1, 1)`,
			seq+1, turn[0], turn[1], turn[2], turn[3]); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// completedWords maps typed lines to the lines after Tab.
var completedWords = []struct{ what, typed, completed string }{
	{"a command", "hobnob conversat", "hobnob conversations"},
	{"a command of a command", "hobnob agents rem", "hobnob agents remove"},
	{"a flag", "hobnob chat --edit-t", "hobnob chat --edit-turn"},
	{"a profile", "hobnob -p wordl", "hobnob -p wordless"},
	{"an agent", "hobnob chat -a rev", "hobnob chat -a reviewer"},
	{"a template", "hobnob chat -t expl", "hobnob chat -t explain"},
	{"a conversation", "hobnob chat -C 1a2", "hobnob chat -C 1a2b3c4d"},
	{"more of a conversation", "hobnob chat -C 1a2b3c4d-0", "hobnob chat -C " + wordsConversation},
	{"a turn of the latest conversation", "hobnob chat --at 5", "hobnob chat --at 5a6b7c8d"},
	{"a turn of a conversation", "hobnob chat -C 1f2b --at 5", "hobnob chat -C 1f2b --at 5f6b7c8d"},
	{"a turn to pin", "hobnob context 1f2b --pin 5", "hobnob context 1f2b --pin 5f6b7c8d"},
	{"a turn to switch to", "hobnob conversations switch 1f2b 5", "hobnob conversations switch 1f2b 5f6b7c8d"},
	{"a turn to change", "hobnob chat --edit-turn 6", "hobnob chat --edit-turn 6a6b7c8d"},
	{"a setting", "hobnob config get base", "hobnob config get base_url"},
	{"a value after =", "hobnob --profile=wordl", "hobnob --profile=wordless"},
	{"a variable of a template", "hobnob chat -t review --var=fo", "hobnob chat -t review --var=focus="},
	{"a turn after = and another word", "hobnob chat --conversation=1f2b --at=5", "hobnob chat --conversation=1f2b --at=5f6b7c8d"},
	{"a flag after an address", "hobnob --base-url http://127.0.0.1:1 chat --edit-t", "hobnob --base-url http://127.0.0.1:1 chat --edit-turn"},
	{"a page of the manual", "hobnob man conversat", "hobnob man conversations"},
	{"a page of a command of a command", "hobnob man agents rem", "hobnob man agents remove"},
	{"a setting's value", "hobnob config set style dra", "hobnob config set style dracula"},
	{"yes or no", "hobnob config set history.save f", "hobnob config set history.save false"},
	{"a setting that is an agent", "hobnob config set agent zo", "hobnob config set agent zoologist"},
	{"a setting that is a file", "hobnob config set ca_file quest", "hobnob config set ca_file questions.txt"},
	{"a file", "hobnob chat -f quest", "hobnob chat -f questions.txt"},
}

func TestShellsCompleteAllKindsOfWords(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a Unix terminal")
	}
	binary := buildHobnob(t)
	for name, start := range map[string]func(*shellHome) *shellTerminal{"bash": startBash, "bash without its package": startBareBash, "zsh": startZsh, "fish": startFish} {
		t.Run(name, func(t *testing.T) {
			shell, _, _ := strings.Cut(name, " ")
			h := newWordsHome(t, binary, shell)
			s := start(h)
			for _, c := range completedWords {
				s.press("\x15" + c.typed + "\t")
				s.equalLine(c.completed)
			}
			h.nothingRan()
		})
	}
}

// The commands of fish's script do not mistake a candidate for an option.
func TestFishCompletesFlags(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs fish")
	}
	h := newWordsHome(t, buildHobnob(t), "fish")
	prepareFish(h)
	out := h.command(h.shell, "-c", "complete -C $argv[1] 2>&1", "hobnob chat -t review --var=fo")
	if !strings.HasPrefix(out, "--var=focus=\t") || strings.Count(out, "\n") != 1 {
		t.Errorf("fish offers %q", out)
	}
}

// All shells, including PowerShell, request completions in this form.
func TestCompletionDescribesWords(t *testing.T) {
	h := newWordsHome(t, buildHobnob(t), "sh")
	for line, want := range map[string]string{
		"hobnob chat -C":                        "1a2b3c4d\trivers of   pwned|1f2b3c4d\tthe other one",
		"hobnob chat --at":                      "5a6b7c8d\twhy  pwned",
		"hobnob chat --edit-turn":               "6a6b7c8d\twhat failed|5a6b7c8d\twhy  pwned",
		"hobnob chat -C 1f2b --at":              "5f6b7c8d\tother   pwned",
		"hobnob -p wordless chat --at":          "",
		"hobnob chat -C ffff --at":              "",
		"hobnob conversations show --turn":      "6a6b7c8d\twhat failed|5a6b7c8d\twhy  pwned",
		"hobnob conversations show 1f2b --turn": "5f6b7c8d\tother   pwned",
		"hobnob conversations switch 1a2b":      "5a6b7c8d\twhy  pwned",
		"hobnob conversations switch 1a2b 5a6b": "",
		"hobnob config set history.save":        "true|false",
		"hobnob config set style":               "auto|dark|light|notty|dracula|pink|tokyo-night",
		"hobnob config set timeout":             "",
		"hobnob config set profile":             "local|wordless|words",
		"hobnob config set no-such-setting":     "",
		"hobnob chat -a":                        "reviewer\t0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f|zoologist\t0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e40",
		"hobnob status":                         "",
		"hobnob man agents":                     "add\tAdd an alias for an agent|list\tList aliases|remove\tRemove an alias|use\tSet the default agent of the profile",
		"hobnob man chat":                       "",
		"hobnob man status bogus":               "",
	} {
		got := strings.Join(h.candidates(line), "|")
		if got = strings.TrimRight(got, " "); got != want {
			t.Errorf("%s: offered %q, want %q", line, got, want)
		}
	}
}

// A prefix of an id finds an old conversation even if there are many newer ones.
func TestCompletionFindsOldConversations(t *testing.T) {
	h := newWordsHome(t, buildHobnob(t), "sh")
	db := openDatabase(t, filepath.Join(h.dir, history.FileName))
	for i := range 2 * maxCandidates {
		h.insert(db, fmt.Sprintf("e%07x-0000-4000-8000-000000000000", i), "newer", "words", 100+i)
	}
	h.insert(db, "d0000000-0000-4000-8000-000000000000", "thrown away", "words", 1000)
	if _, err := db.Exec(`UPDATE conversations SET deleted = 5 WHERE title = 'thrown away'`); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	for line, want := range map[string]string{
		"chat -C 1a":                  "1a2b3c4d\trivers of   pwned",
		"chat -C 1A2B":                "1a2b3c4d\trivers of   pwned",
		"conversations show e0000001": "e0000001\tnewer",
		"chat -C d":                   "",
		"chat -C $(pwned)":            "",
		"chat -C 1a2b3c4d-%":          "",
		"conversations restore d":     "d0000000\tthrown away",
		"conversations restore ":      "d0000000\tthrown away",
	} {
		words := strings.Split(line, " ")
		out := h.command(h.binary, append([]string{"__complete"}, words...)...)
		lines := strings.Split(out, "\n")
		if got := strings.Join(lines[:len(lines)-2], "|"); got != want {
			t.Errorf("%s: offered %q, want %q", line, got, want)
		}
	}
	if got := h.candidates("hobnob chat -C"); len(got) != maxCandidates {
		t.Errorf("%d conversations are offered, want %d", len(got), maxCandidates)
	}
}

// Checks what can be checked without PowerShell: all quotes and brackets are closed,
// and the protocol is that of the other shells.
func TestPowerShellScriptIsWellFormed(t *testing.T) {
	root := newRootCommand(cli.New(&terminal.Streams{}, func(string) string { return "" }))
	script, err := completionScript(root, "powershell")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"Register-ArgumentCompleter -CommandName 'hobnob'", "__complete", "[System.Management.Automation.CompletionResult]::new("} {
		if !strings.Contains(script, part) {
			t.Errorf("the script does not contain %q", part)
		}
	}
	if i := strings.IndexFunc(script, func(r rune) bool { return r > unicode.MaxASCII || r == '\r' }); i >= 0 {
		t.Errorf("not ASCII for Windows PowerShell: %q", script[i:min(i+20, len(script))])
	}
	closing := map[rune]rune{'{': '}', '(': ')', '[': ']'}
	var open []rune
	state, line := ' ', 1
	for _, r := range strings.NewReplacer("`\"", "", "``", "", "`n", "", "`t", "", "''", "", `""`, "").Replace(script) {
		if r == '\n' {
			line++
		}
		switch {
		case state == '#' && r == '\n', state != ' ' && state == r:
			state = ' '
		case state != ' ':
		case r == '#' || r == '"' || r == '\'':
			state = r
		case closing[r] != 0:
			open = append(open, closing[r])
		case r == '}' || r == ')' || r == ']':
			if len(open) == 0 || open[len(open)-1] != r {
				t.Fatalf("line %d: unexpected %q", line, r)
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 || state == '"' || state == '\'' {
		t.Errorf("the script ends inside of %q and %q", state, open)
	}
}

// A flag completes files only if its value is a file.
func TestFlagsCompleteNoFilesUnlessFile(t *testing.T) {
	root := newRootCommand(cli.New(&terminal.Streams{}, func(string) string { return "" }))
	files := []string{"file", "directory"}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			value, _ := pflag.UnquoteUsage(flag)
			_, completes := cmd.GetFlagCompletionFunc(flag.Name)
			if flag.Value.Type() != "bool" && !completes && !slices.Contains(files, value) {
				t.Errorf("%s --%s offers files, but takes a %s", cmd.CommandPath(), flag.Name, value)
			}
		})
		for _, child := range cmd.Commands() {
			walk(child)
		}
	}
	walk(root)
}

// An argument completes files only if it is a file or part of a question.
func TestArgumentsCompleteNoFilesUnlessFile(t *testing.T) {
	root := newRootCommand(cli.New(&terminal.Streams{}, func(string) string { return "" }))
	var files []string
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Runnable() && len(cmd.ValidArgs) == 0 && cmd.ValidArgsFunction == nil {
			files = append(files, cmd.Use)
		}
		for _, child := range cmd.Commands() {
			walk(child)
		}
	}
	walk(root)
	if want := []string{"batch [FILE]", "merge OUT…", "import FILE…", "reference DIR"}; !slices.Equal(files, want) {
		t.Errorf("%q offer files, want %q", files, want)
	}
}
