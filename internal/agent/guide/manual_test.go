package guide

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hobnob-cli/hobnob/docs"
)

func TestSectionsOfAManual(t *testing.T) {
	sections, err := readManual(fstest.MapFS{
		"b/agents.md":          {Data: []byte("# Agents\r\n\r\n## One\r\n\r\ntext\r\n")},
		"b/getting-started.md": {Data: []byte("# Start\n\n## First\n\n<!-- words: begin launch -->\n\ntext\n\n```sh\n# a comment\n## another\n```\n\n### Notes\n\nkept\n\n### powershell\n\nvariant\n")},
		"b/notes.txt":          {Data: []byte("not read")},
	})
	if err != nil || len(sections) != 2 {
		t.Fatalf("%+v, %v", sections, err)
	}
	first := sections[0]
	if first.topic != "Start" || first.heading != "First" || strings.TrimSpace(first.words) != "begin launch" ||
		first.text != "text\n\n```sh\n# a comment\n## another\n```\n\n### Notes\n\nkept" ||
		!slices.Equal(first.variants, []variant{{"PowerShell", "variant"}}) {
		t.Errorf("%+v", first)
	}
	if sections[1].text != "text" {
		t.Errorf("%+v", sections[1])
	}
}

func TestAManualThatCannotBePlacedIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"text before the first section": "# T\n\nlost\n\n## S\n\ntext\n",
		"no title":                      "## S\n\ntext\n",
		"an open fence":                 "# T\n\n## S\n\n```sh\nhobnob\n",
		"one heading twice":             "# T\n\n## S\n\na\n\n## S\n\nb\n",
		"nothing":                       "",
	} {
		if _, err := readManual(fstest.MapFS{"a.md": {Data: []byte(text)}}); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestEverySectionCanBeFoundByItsHeading(t *testing.T) {
	g := newTestGuide(t)
	for _, s := range manualSections(t) {
		if got := heading(g.Answer([]string{s.heading})); got != s.heading {
			t.Errorf("%q finds %q", s.heading, got)
		}
	}
}

// commands and flags are those that hobnob has.
var (
	commands = strings.Fields(`chat ask wait resend context templates conversations conv agents login logout status config serve usage doctor version completion man help`)
	verbs    = map[string][]string{
		"conversations": {"list", "show", "tree", "switch", "search", "rename", "delete", "restore", "prune", "export", "import"}, "conv": {"ls"}, "agents": {"list", "add", "remove", "use"},
		"templates":  {"list", "show", "edit", "delete"},
		"config":     {"list", "get", "set", "unset", "edit", "path"},
		"completion": {"bash", "zsh", "fish", "powershell"},
		"help":       {"environment", "exit-codes", "formatting"},
	}
	flags = strings.Fields(`-p --profile --base-url --config --json -q --quiet -v --verbose --no-color --timeout --help
-a --agent -c --continue -C --conversation -f --file -e --edit -i --interactive --title --history --no-save -r --raw --usage --dry-run
--retries --limit --local --with-token --insecure-storage --show-source --addr
-t --template --var -x --extract --copy --detach --alias --at --again --edit-turn --all --turn --since --role --deleted --older-than --trash -y --yes -o --output --format --force --pin --skip --unmark --by --csv`)
	code       = regexp.MustCompile("(?s)```[a-z]+\n(.*?)```|`([^`\n]+)`")
	invocation = regexp.MustCompile(`(?m)(?:^|[|(;] ?|= ?|&& )hobnob ([^|><\n;)]*)`)
)

func TestTheManualNamesOnlyCommandsAndFlagsThatExist(t *testing.T) {
	seen := 0
	for _, s := range manualSections(t) {
		texts := []string{s.text}
		for _, v := range s.variants {
			texts = append(texts, v.text)
		}
		for _, text := range texts {
			for _, c := range code.FindAllStringSubmatch(text, -1) {
				for _, m := range invocation.FindAllStringSubmatch(c[1]+c[2], -1) {
					seen++
					checkInvocation(t, s.heading, m[1])
				}
				flag, _, _ := strings.Cut(strings.Fields(c[2] + " .")[0], "=")
				if len(flag) > 1 && flag[0] == '-' && flag != "--" && !slices.Contains(flags, flag) {
					t.Errorf("%s: flag %s", s.heading, flag)
				}
			}
		}
	}
	if seen < 150 {
		t.Errorf("only %d commands were seen", seen)
	}
}

func checkInvocation(t *testing.T, heading, line string) {
	line = regexp.MustCompile(`"(\\"|''|[^"])*"|'[^']*'`).ReplaceAllString(line, "QUOTED")
	line, _, _ = strings.Cut(line, " -- ")
	var words []string
	for i, w := range strings.Fields(line) {
		if strings.HasPrefix(w, "-") && w != "-" {
			if name, _, _ := strings.Cut(w, "="); !slices.Contains(flags, name) {
				t.Errorf("%s: flag %s in %q", heading, w, line)
			}
			continue
		}
		if before := strings.Fields(line)[max(0, i-1)]; i > 0 && slices.Contains([]string{"-p", "--base-url", "--config", "--timeout"}, before) {
			continue
		}
		words = append(words, w)
	}
	switch {
	case len(words) == 0:
	case !slices.Contains(commands, words[0]):
		t.Errorf("%s: command %q in %q", heading, words[0], line)
	case verbs[words[0]] != nil && len(words) > 1 && !slices.Contains(verbs[words[0]], words[1]):
		t.Errorf("%s: command %q in %q", heading, words, line)
	}
}

func manualSections(t *testing.T) []section {
	t.Helper()
	sections, err := readManual(docs.Guide)
	if err != nil {
		t.Fatal(err)
	}
	return sections
}
