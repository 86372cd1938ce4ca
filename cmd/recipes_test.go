package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/rogpeppe/go-internal/testscript"
)

// documentBlock is a fenced block of a document.
type documentBlock struct {
	section, info, code string
	line                int
	path                string // of the file that the text before the block names, or ""
}

// fileBefore matches the end of a paragraph that names the file of the next block.
var fileBefore = regexp.MustCompile("`([^` -][^` ]*)`:$")

// blocksOf returns the blocks of a document in the directory docs.
func blocksOf(name string) ([]documentBlock, error) {
	data, err := os.ReadFile(filepath.Join("..", "docs", name))
	if err != nil {
		return nil, err
	}
	var blocks []documentBlock
	var section, before string
	var open *documentBlock
	for i, line := range strings.Split(string(data), "\n") {
		info, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &documentBlock{section: section, info: info, line: i + 1}
			if m := fileBefore.FindStringSubmatch(before); m != nil {
				open.path = m[1]
			}
		case fence:
			blocks, open, before = append(blocks, *open), nil, ""
		case open != nil:
			open.code += line + "\n"
		case strings.HasPrefix(line, "## "):
			section = strings.TrimPrefix(line, "## ")
		case line != "":
			before = line
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s:%d: the block is not closed", name, open.line)
	}
	return blocks, nil
}

// runs reports whether follow runs or writes the block. Others are examples of output.
func (b documentBlock) runs() bool {
	return b.path != "" || b.info == "sh" || b.info == "bash"
}

// followDocument does what a section of a document describes, in the current directory: it
// writes the blocks that are files and runs the others as written.
func followDocument(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: follow DOCUMENT SECTION")
	}
	blocks, err := blocksOf(args[0])
	ts.Check(err)
	blocks = slices.DeleteFunc(blocks, func(b documentBlock) bool { return b.section != args[1] || !b.runs() })
	if len(blocks) == 0 {
		ts.Fatalf("%s has no section %q with blocks to run", args[0], args[1])
	}
	var stdout, stderr strings.Builder
	for _, b := range blocks {
		if b.path != "" {
			if b.info == "toml" {
				ts.Check(toml.Unmarshal([]byte(b.code), &map[string]any{}))
			}
			path := ts.MkAbs(strings.Replace(b.path, "~", ts.Getenv("HOME"), 1))
			ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
			ts.Check(os.WriteFile(path, []byte(b.code), 0o600))
			continue
		}
		script := filepath.Join(ts.Getenv("TMPDIR"), "block")
		ts.Check(os.WriteFile(script, []byte(b.code), 0o600))
		err = ts.Exec(b.info, "-e", script)
		stdout.WriteString(ts.ReadFile("stdout"))
		stderr.WriteString(ts.ReadFile("stderr"))
		if err != nil {
			break
		}
	}
	fmt.Fprint(ts.Stdout(), stdout.String())
	fmt.Fprint(ts.Stderr(), stderr.String())
	if (err != nil) != neg {
		ts.Fatalf("%s, %s: %v", args[0], args[1], err)
	}
}

// Every section with blocks to run must be followed by a script, and the recipes must
// have no other blocks.
func TestEveryBlockIsFollowed(t *testing.T) {
	scripts, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	var followed strings.Builder
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		followed.Write(text)
	}
	for _, name := range []string{"recipes.md", "scripting.md", "batch.md"} {
		blocks, err := blocksOf(name)
		if err != nil || len(blocks) == 0 {
			t.Fatalf("%s: %d blocks, %v", name, len(blocks), err)
		}
		for _, b := range blocks {
			if name != "scripting.md" && !b.runs() {
				t.Errorf("%s:%d: nothing runs this block of %q", name, b.line, b.info)
			}
			if b.runs() && !strings.Contains(followed.String(), fmt.Sprintf("follow %s '%s'\n", name, b.section)) {
				t.Errorf("%s:%d: nothing runs this block: a script in testdata/script needs the line: follow %s '%s'", name, b.line, name, b.section)
			}
		}
	}
}
