package codeblock

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestFindReturnsTheFirstFencedBlock(t *testing.T) {
	for _, c := range []struct {
		name, markdown, language, want string
		found                          bool
		languages                      []string
	}{
		{"none", "no code, `inline` only\n\n    indented\n", "", "", false, nil},
		{"the first", "a\n```go\nx := 1\n```\n```sh\nls\n```\n", "", "x := 1\n", true, []string{"go", "sh"}},
		{"of a language", "```go\nx\n```\n```sh\nls\n```\n", "sh", "ls\n", true, []string{"go", "sh"}},
		{"the first of a language", "```sh\n1\n```\n```sh\n2\n```\n", "sh", "1\n", true, []string{"sh", "sh"}},
		{"a shell for sh", "```go\nx\n```\n```Bash\nls\n```\n```zsh\ncd\n```\n", "sh", "ls\n", true, []string{"go", "Bash", "zsh"}},
		{"sh before another shell", "```bash\nls\n```\n```sh\ncd\n```\n", "sh", "cd\n", true, []string{"bash", "sh"}},
		{"no other shell for bash", "```sh\nls\n```\n", "bash", "", false, []string{"sh"}},
		{"in any case", "```Python\nx\n```\n", "pYTHON", "x\n", true, []string{"Python"}},
		{"no such language", "```go\nx\n```\n", "rust", "", false, []string{"go"}},
		{"more than a word", "```go {linenos=true} file.go\nx\n```\n", "go", "x\n", true, []string{"go"}},
		{"attributes after it", "```python title=\"x\"\nx\n```\n", "python", "x\n", true, []string{"python"}},
		{"attributes against it", "```python{1,2}\nx\n```\n", "python", "x\n", true, []string{"python"}},
		{"a file against it", "```ts:src/a.ts\nx\n```\n", "ts", "x\n", true, []string{"ts"}},
		{"options after a comma", "```rust,ignore\nx\n```\n", "rust", "x\n", true, []string{"rust"}},
		{"in braces", "```{python}\nx\n```\n", "python", "x\n", true, []string{"python"}},
		{"in braces with options", "``` {r, echo=FALSE}\nx\n```\n", "r", "x\n", true, []string{"r"}},
		{"a class", "```{.python}\nx\n```\n", "python", "x\n", true, []string{"python"}},
		{"a class after an id", "``` { #a .Python .numberLines start=\"5\" }\nx\n```\n", "python", "x\n", true, []string{"Python"}},
		{"attributes alone", "```{start=5}\nx\n```\n", "python", "", false, []string{""}},
		{"without a language", "```\nx\n```\n", "", "x\n", true, []string{""}},
		{"without a language, but one is wanted", "```\nx\n```\n", "go", "", false, []string{""}},
		{"tildes", "~~~ go\n```\nx\n~~~\n", "go", "```\nx\n", true, []string{"go"}},
		{"longer fences", "````md\n```\nx\n```\n````\n", "", "```\nx\n```\n", true, []string{"md"}},
		{"indented fences", "   ```go\n    x\n  y\n   ```\n", "", " x\ny\n", true, []string{"go"}},
		{"in a list", "1. do\n\n   ```sh\n   cd x\n     ls\n   ```\n2. more\n", "sh", "cd x\n  ls\n", true, []string{"sh"}},
		{"in a list in a list", "- a\n  - b\n    ```py\n    if x:\n        y\n    ```\n", "py", "if x:\n    y\n", true, []string{"py"}},
		{"in a quotation", "> ```go\n> x\n>\n> y\n> ```\n", "go", "x\n\ny\n", true, []string{"go"}},
		{"tabs stay", "```make\nall:\n\tgo build\n```\n", "", "all:\n\tgo build\n", true, []string{"make"}},
		{"ends of lines stay", "```\r\na\r\nb\r\n```\r\n", "", "a\r\nb\r\n", true, []string{""}},
		{"empty lines and spaces stay", "```\n\n a  \n\n```\n", "", "\n a  \n\n", true, []string{""}},
		{"bytes stay", "```\n\x1b[31m\xff\u202e &amp; \\n <b>\n```\n", "", "\x1b[31m\xff\u202e &amp; \\n <b>\n", true, []string{""}},
		{"not closed", "```go\nx", "", "x\n", true, []string{"go"}},
		{"empty", "```go\n```\n", "", "", true, []string{"go"}},
		{"after a paragraph", "text\n```go\nx\n```\n", "", "x\n", true, []string{"go"}},
		{"language with signs", "```c++\nx\n```\n", "C++", "x\n", true, []string{"c++"}},
		{"a table before it", "|a|b|\n|-|-|\n|`|`|\n```go\nx\n```\n", "go", "x\n", true, []string{"go"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, found, languages := Find(c.markdown, c.language)
			if code != c.want || found != c.found || !slices.Equal(languages, c.languages) {
				t.Errorf("got %q, %v, %q\nwant %q, %v, %q", code, found, languages, c.want, c.found, c.languages)
			}
		})
	}
}

// Parsing the whole document takes minutes for some of these.
func TestFindIsFastForHostileText(t *testing.T) {
	const code = "```go\nx\n```\n"
	var stairs strings.Builder
	for depth := range 1500 {
		stairs.WriteString(strings.Repeat(" ", 2*depth) + "- a\n")
	}
	for name, text := range map[string]string{
		"stairs":      stairs.String(),
		"quotations":  strings.Repeat(">", 1<<20) + "\n",
		"lists":       strings.Repeat("- ", 1<<18) + "\n",
		"table":       strings.Repeat("|a", 1<<14) + "|\n" + strings.Repeat("|-", 1<<14) + "|\n" + strings.Repeat("|\n", 1<<14),
		"links":       strings.Repeat("[a](", 1<<18) + "\n",
		"emphasis":    strings.Repeat("*a **a ", 1<<18) + "\n",
		"back quotes": strings.Repeat("`a``", 1<<18) + "\n",
		"references":  strings.Repeat("[a]: b\n", 1<<16),
		"fences":      strings.Repeat("```\n", 1<<18),
		"a long line": strings.Repeat("a ", 4<<20) + "\n",
		"HTML":        strings.Repeat("<!--\n", 1<<18),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			Find(code+"\n"+text, "go")
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

func FuzzFind(f *testing.F) {
	f.Add("```go\nx\n```\n", "go")
	f.Add("> - ~~~ a\n>   \tb\n", "")
	f.Add("1. ```\r\n\tx\r\n", "x")
	f.Fuzz(func(t *testing.T, markdown, language string) {
		code, found, languages := Find(markdown, language)
		switch {
		case !found && code != "":
			t.Errorf("no block was found, but %q", code)
		case found && len(languages) == 0:
			t.Error("a block was found of none")
		}
		// Each line of the code is the end of a line of the text, except for tabs,
		// part of which may belong to a container.
		for line := range strings.Lines(code) {
			if !strings.Contains(markdown, strings.Trim(line, " \t\n")) {
				t.Errorf("%q is no part of the text", line)
			}
		}
	})
}
