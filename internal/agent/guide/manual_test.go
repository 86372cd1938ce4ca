package guide

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/hobnob-cli/hobnob/docs"
)

func TestReadManual(t *testing.T) {
	sections, err := readManual(fstest.MapFS{
		"b/agents.md":          {Data: []byte("# Agents\r\n\r\n## One\r\n\r\ntext\r\n")},
		"b/getting-started.md": {Data: []byte("# Start\n\n## First\n\ntext\n\n```sh\n# a comment\n## another\n```\n\n### Notes\n\nnotes\n\n### powershell\n\nvariant\n")},
		"b/notes.txt":          {Data: []byte("not read")},
	})
	if err != nil || len(sections) != 2 {
		t.Fatalf("%+v, %v", sections, err)
	}
	first := sections[0]
	if first.name() != "getting-started#First" || first.topic != "Start" || first.heading != "First" ||
		first.text != "text\n\n```sh\n# a comment\n## another\n```\n\n### Notes\n\nnotes" ||
		!slices.Equal(first.variants, []variant{{"PowerShell", "variant"}}) {
		t.Errorf("%+v", first)
	}
	if sections[1].text != "text" {
		t.Errorf("%+v", sections[1])
	}
}

func TestInvalidManuals(t *testing.T) {
	for name, text := range map[string]string{
		"text before the first section": "# T\n\nlost\n\n## S\n\ntext\n",
		"no title":                      "## S\n\ntext\n",
		"unterminated code block":       "#  T\n\n## S\n\n```sh\nhobnob\n",
		"duplicate heading":             "#  T\n\n## S\n\na\n\n## S\n\nb\n",
		"empty file":                    "",
	} {
		if _, err := readManual(fstest.MapFS{"a.md": {Data: []byte(text)}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestHeadingsFindTheirSections(t *testing.T) {
	g := newTestGuide(t)
	for _, s := range manualSections(t) {
		if got := answeredWith(g.Answer([]string{s.heading})); got != s.heading {
			t.Errorf("%q: got section %q", s.heading, got)
		}
	}
}

var (
	code       = regexp.MustCompile("(?s)```[a-z]+\n(.*?)```|`([^`\n]+)`")
	invocation = regexp.MustCompile(`(?m)(?:^|[|(;] ?|= ?|&& )hobnob ([^|><\n;)]*)`)
	flag       = regexp.MustCompile(`(?m)^ +(?:(-\w), )?(--[a-z-]+)`)
)

// reference holds the commands and the flags in docs/cli.
type reference struct {
	commands map[string]bool
	flags    []string
}

// aliases maps the aliases in the manual to commands.
var aliases = map[string]string{"ask": "chat", "conv": "conversations", "ls": "list"}

func readReference(t *testing.T) reference {
	t.Helper()
	r := reference{commands: map[string]bool{"help": true}, flags: []string{"--help", "--version"}}
	files, err := filepath.Glob("../../../docs/cli/hobnob*.md")
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		r.commands[strings.ReplaceAll(strings.TrimPrefix(name, "hobnob_"), "_", " ")] = true
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range flag.FindAllStringSubmatch(string(text), -1) {
			r.flags = append(r.flags, m[1:]...)
		}
	}
	return r
}

func TestManualCommandsExist(t *testing.T) {
	seen, known := 0, readReference(t)
	for _, s := range manualSections(t) {
		texts := []string{s.text}
		for _, v := range s.variants {
			texts = append(texts, v.text)
		}
		for _, text := range texts {
			for _, c := range code.FindAllStringSubmatch(text, -1) {
				for _, m := range invocation.FindAllStringSubmatch(c[1]+c[2], -1) {
					seen++
					known.check(t, s.heading, m[1])
				}
				flag, _, _ := strings.Cut(strings.Fields(c[2] + " .")[0], "=")
				if len(flag) > 1 && flag[0] == '-' && flag != "--" && !slices.Contains(known.flags, flag) {
					t.Errorf("%s: flag %s", s.heading, flag)
				}
			}
		}
	}
	if seen < 150 {
		t.Errorf("only %d commands found", seen)
	}
}

// check reports unknown commands and flags in a command line of the manual.
func (r reference) check(t *testing.T, heading, line string) {
	line = regexp.MustCompile(`"(\\"|''|[^"])*"|'[^']*'`).ReplaceAllString(line, "QUOTED")
	line, _, _ = strings.Cut(line, " -- ")
	var words []string
	fields := strings.Fields(line)
	for i, w := range fields {
		switch {
		case strings.HasPrefix(w, "-") && w != "-":
			if name, _, _ := strings.Cut(w, "="); !slices.Contains(r.flags, name) {
				t.Errorf("%s: flag %s in %q", heading, w, line)
			}
		case i > 0 && slices.Contains([]string{"-p", "--base-url", "--config", "--timeout"}, fields[i-1]):
		default:
			words = append(words, cmp.Or(aliases[w], w))
		}
	}
	switch {
	case len(words) == 0:
	case !r.commands[words[0]]:
		t.Errorf("%s: command %q in %q", heading, words[0], line)
	case len(words) > 1 && strings.Contains(words[1], "."): // a file of batch
	case len(words) > 1 && r.isGroup(words[0]) && !r.commands[words[0]+" "+words[1]]:
		t.Errorf("%s: command %q in %q", heading, words, line)
	}
}

// isGroup reports whether a command has subcommands.
func (r reference) isGroup(name string) bool {
	for command := range r.commands {
		if strings.HasPrefix(command, name+" ") {
			return true
		}
	}
	return false
}

func manualSections(t *testing.T) []section {
	t.Helper()
	sections, err := readManual(docs.Guide)
	if err != nil {
		t.Fatal(err)
	}
	return sections
}
