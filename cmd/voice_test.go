package cmd

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// avoided holds the words that hobnob does not use, each with the plain ones.
// The keys are regular expressions over words in lower case.
var avoided = map[string]string{
	`told|tells|telling|says|said|saying`:            "report, print, show, return",
	`mend\w*|anew|ma(k|d)es? whole`:                  "fix, repair, rebuild, recreate",
	`stands|stood|lack\w*|(is|are|was|were) wanting`: "is, exists, is missing",
	`means? nothing`:                                 "is invalid",
	`(has|have|had) ended`:                           "has expired, exited, finished",
	`turn \S* ?(is|was) (failed|unknown)`:            "failed, has an unknown outcome",
	`kept`:                                           "saved, the history, left",
	`beside`:                                         "as a sibling of, next to",
	`in the place of`:                                "instead of",
	`anybody|whoever|nobody|who waits?`:              "the user, other users",
	`sound`:                                          "valid, intact",
	`barriers?|thing that ends`:                      "limit, problem",
	`most number of`:                                 "maximum number of",
	`once more`:                                      "again",
}

// avoidedInHelp holds the words that help, where hobnob speaks to its user,
// does not use either.
var avoidedInHelp = map[string]string{
	`say|tell`: "print, report, show",
}

// articleFirst matches the name of a test that reads as a sentence.
var articleFirst = regexp.MustCompile(`^(Test|Fuzz|Benchmark)(A|An|The)[A-Z]`)

func TestHelpKeepsToTheVoice(t *testing.T) {
	voice := newVoice(avoided, avoidedInHelp)
	f := cli.New(&terminal.Streams{}, func(string) string { return "" })
	eachOf(newRootCommand(f), func(cmd *cobra.Command) {
		var help bytes.Buffer
		args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
		f := cli.New(&terminal.Streams{In: strings.NewReader(""), Out: &help, Err: &help}, func(string) string { return "" })
		if code := run(t.Context(), f, args); code != 0 || help.Len() == 0 {
			t.Fatalf("hobnob %s: exit %d:\n%s", strings.Join(args, " "), code, &help)
		}
		voice.check(t, "hobnob "+strings.Join(args, " "), help.String())
	})
}

func TestDocumentsKeepToTheVoice(t *testing.T) {
	voice := newVoice(avoided)
	for _, pattern := range []string{
		"*.md", ".ci/*", ".github/*/*", "docs/*.md", "docs/guide/*.md", "docs/schemas/*/*.json", "cmd/testdata/script/*.txtar", "internal/transfer/page.*",
	} {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			voice.check(t, file, string(text))
		}
	}
}

func TestSourceKeepsToTheVoice(t *testing.T) {
	voice := newVoice(avoided)
	for _, file := range sourceFiles(t) {
		if file.name == "cmd/voice_test.go" {
			continue
		}
		voice.check(t, file.name, spaced(strings.TrimSuffix(filepath.Base(file.name), ".go")))
		for _, group := range file.syntax.Comments {
			for _, comment := range group.List {
				voice.check(t, file.at(comment), comment.Text)
			}
		}
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				voice.check(t, file.at(n), spaced(n.Name))
			case *ast.BasicLit:
				if n.Kind == token.STRING && file.pkg != "internal/agent/guide" { // it lists words of users
					text, _ := strconv.Unquote(n.Value)
					voice.check(t, file.at(n), text)
				}
			case *ast.FuncDecl:
				if articleFirst.MatchString(n.Name.Name) {
					t.Errorf("%s: %s: name what is tested, without an article", file.at(n), n.Name.Name)
				}
			}
			return true
		})
	}
}

func (f sourceFile) at(n ast.Node) string { return fmt.Sprintf("%s:%d", f.name, f.line(n)) }

// voice finds words that hobnob avoids.
type voice struct {
	any     *regexp.Regexp // one of the words
	instead map[*regexp.Regexp]string
}

func newVoice(lists ...map[string]string) voice {
	v := voice{instead: map[*regexp.Regexp]string{}}
	var words []string
	for _, list := range lists {
		for word, instead := range list {
			words = append(words, word)
			v.instead[regexp.MustCompile(`\b(?:`+word+`)\b`)] = instead
		}
	}
	v.any = regexp.MustCompile(`\b(?:` + strings.Join(words, "|") + `)\b`)
	return v
}

// check reports each line of text that holds an avoided word.
func (v voice) check(t *testing.T, where, text string) {
	t.Helper()
	text = strings.ToLower(text)
	if !v.any.MatchString(text) {
		return
	}
	for number, line := range strings.Split(text, "\n") {
		for word, instead := range v.instead {
			if found := word.FindString(line); found != "" {
				t.Errorf("%s, line %d: %q: write %s instead, in: %s", where, number+1, found, instead, strings.TrimSpace(line))
			}
		}
	}
}

// spaced splits a name at its capitals and underscores: TestAKey is "test a key".
func spaced(name string) string {
	var words strings.Builder
	for _, r := range name {
		switch {
		case r == '_':
			words.WriteByte(' ')
		case unicode.IsUpper(r):
			words.WriteByte(' ')
			words.WriteRune(unicode.ToLower(r))
		default:
			words.WriteRune(r)
		}
	}
	return words.String()
}
