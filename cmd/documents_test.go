package cmd

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// testCommand matches a command of a document that runs one test, fuzz target or
// benchmark of a package.
var testCommand = regexp.MustCompile(`go test \./(\S+) (?:-run '\^\$' )?-(run|fuzz|bench) (\w+)`)

func TestDocumentsNameExistingTests(t *testing.T) {
	declared := map[string]string{} // names by package
	for _, file := range sourceFiles(t) {
		for _, decl := range file.syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && file.test {
				declared[file.pkg] += f.Name.Name + "\n"
			}
		}
	}
	var commands [][]string
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			commands = append(commands, testCommand.FindAllStringSubmatch(string(text), -1)...)
		}
	}
	if len(commands) == 0 {
		t.Fatal("no document has a test command")
	}
	for _, c := range commands {
		kind := map[string]string{"run": "Test", "fuzz": "Fuzz", "bench": "Benchmark"}[c[2]]
		if !strings.Contains(declared[c[1]], kind+strings.TrimPrefix(c[3], kind)) {
			t.Errorf("%s: there is no such test", c[0])
		}
	}
}
