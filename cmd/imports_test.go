package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/hobnob-cli/hobnob"

// picture is the program that draws the picture of the README.
const picture = "docs/picture"

// leaves are packages that import no other packages of hobnob than leaves.
var leaves = []string{
	"internal/access", "internal/atomicfile", "internal/baseurl", "internal/cells", "internal/codeblock", "internal/diff", "internal/duration", "internal/failure", "internal/input", "internal/jq",
	"internal/plural", "internal/schema", "internal/shell", "internal/sqlite", "internal/suggest",
}

// mayImport lists for each package which others of hobnob it may import in addition
// to the leaves. Every package must be listed.
var mayImport = map[string][]string{
	".":     {"cmd"},
	"cmd":   {"docs", "internal/*"},
	"docs":  {},
	picture: {},

	"internal/ask":   {"internal/api", "internal/attach", "internal/chat", "internal/cli", "internal/config", "internal/history", "internal/terminal", "internal/view"},
	"internal/batch": {"internal/api", "internal/chat", "internal/cli", "internal/config", "internal/history", "internal/secrets", "internal/template", "internal/terminal"},
	"internal/doctor": {
		"internal/api", "internal/cli", "internal/config", "internal/credential", "internal/history", "internal/markdown", "internal/project", "internal/salvage",
		"internal/service", "internal/terminal",
	},
	"internal/login":  {"internal/api", "internal/cli", "internal/config", "internal/credential", "internal/doctor", "internal/oauth", "internal/terminal"},
	"internal/prompt": {"internal/api", "internal/attach", "internal/cli", "internal/config", "internal/history", "internal/secrets", "internal/template", "internal/terminal"},
	"internal/repl": {
		"internal/api", "internal/ask", "internal/attach", "internal/chat", "internal/cli", "internal/config", "internal/draft", "internal/history", "internal/lineedit", "internal/picker", "internal/prompt",
		"internal/secrets", "internal/terminal", "internal/transfer", "internal/view",
	},
	"internal/secrets": {"internal/cli", "internal/config", "internal/terminal"},
	"internal/view": {
		"internal/api", "internal/chat", "internal/cli", "internal/config", "internal/history", "internal/markdown", "internal/project", "internal/template", "internal/terminal",
	},

	"internal/chat": {"internal/api", "internal/history"},
	"internal/cli": {
		"internal/agent", "internal/api", "internal/cassette", "internal/config", "internal/credential", "internal/history", "internal/oauth", "internal/picker", "internal/project", "internal/service", "internal/template", "internal/terminal",
	},
	"internal/service": {"internal/agent", "internal/api"},

	"internal/agent":       {"docs", "internal/agent/guide"},
	"internal/agent/guide": {},
	"internal/api":         {},
	"internal/attach":      {},
	"internal/cassette":    {"internal/api"},
	"internal/config":      {},
	"internal/credential":  {"internal/oauth"},
	"internal/draft":       {},
	"internal/history":     {},
	"internal/lineedit":    {"internal/terminal"},
	"internal/markdown":    {"internal/terminal"},
	"internal/oauth":       {"internal/api"},
	"internal/picker":      {"internal/history", "internal/terminal"},
	"internal/project":     {"internal/config"},
	"internal/salvage":     {"internal/history"},
	"internal/template":    {},
	"internal/terminal":    {},
	"internal/transfer":    {"internal/history"},
}

// owners lists dependencies, including the packages below them, that only one package
// may import. Its tests may import them in other packages.
var owners = map[string][]string{
	"github.com/alecthomas/chroma":     {"internal/markdown", "internal/transfer"},
	"github.com/aymanbagabas/go-osc52": {"internal/terminal"},
	"github.com/aymanbagabas/go-udiff": {"internal/diff"},
	"github.com/bits-and-blooms":       {"internal/batch"},
	"github.com/bmatcuk":               {"internal/attach"},
	"github.com/charmbracelet":         {"internal/cells", "internal/lineedit", "internal/markdown", "internal/terminal"},
	"github.com/charmbracelet/glamour": {"internal/markdown"},
	"github.com/go-json-experiment":    {"internal/api", "internal/batch"},
	"github.com/gofrs/flock":           {"internal/batch", "internal/credential", "internal/draft", "internal/history"},
	"github.com/itchyny":               {"internal/jq"},
	"github.com/microcosm-cc":          {"internal/transfer"},
	"github.com/schollz":               {"internal/terminal"},
	"github.com/muesli/termenv":        {"internal/markdown"},
	"github.com/reeflective":           {"internal/lineedit"},
	"github.com/santhosh-tekuri":       {"internal/schema"},
	"github.com/spf13/cobra":           {"cmd"},
	"github.com/spf13/pflag":           {"cmd"},
	"github.com/spf13/viper":           {"internal/config"},
	"github.com/kljensen/snowball":     {"internal/agent/guide"},
	"github.com/yuin/goldmark":         {"internal/codeblock", "internal/markdown", "internal/transfer"},
	"github.com/zalando/go-keyring":    {"internal/credential"},
	"go.yaml.in/yaml":                  {"internal/config", "internal/project", "internal/template", "internal/transfer"},
	"golang.org/x/oauth2":              {"internal/oauth"},
	"modernc.org/sqlite":               {"internal/sqlite"},
	"unsafe":                           {"internal/lineedit"},
	module + "/internal/salvage":       {"internal/doctor"},
}

// usedIn lists names that only one file may use.
var usedIn = map[string]string{
	"os.Exit":   "main.go",
	"os.Stdin":  "cmd/cmd.go",
	"os.Stdout": "cmd/cmd.go",
	"os.Stderr": "cmd/cmd.go",

	"unsafe.Pointer": "internal/lineedit/reports.go",
}

// topLevel lists the files and directories allowed at the top of the tree.
var topLevel = []string{
	".ci", ".github", ".gitignore", ".goreleaser.yaml", "CONTRIBUTING.md", "LICENSE", "README.md", "SECURITY.md",
	"cmd", "completions", "docs", "go.mod", "go.sum", "internal", "main.go",
}

const (
	maxLines   = 400
	maxMethods = 25
)

// manyMethods are types that may have more methods: the history is one database.
var manyMethods = []string{"internal/history.Store"}

func TestSourceFollowsDesign(t *testing.T) {
	files := sourceFiles(t)
	t.Run("import directions", func(t *testing.T) {
		for _, file := range files {
			checkDirection(t, file)
		}
	})
	t.Run("owners of dependencies", func(t *testing.T) {
		for _, file := range files {
			checkOwners(t, file)
		}
	})
	t.Run("names used in one file", func(t *testing.T) {
		checkUses(t, files)
	})
	t.Run("no init functions", func(t *testing.T) {
		for _, file := range files {
			for _, decl := range file.syntax.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" && !file.test {
					t.Errorf("%s:%d: init functions are not allowed", file.name, file.line(f))
				}
			}
		}
	})
	t.Run("methods of a type", func(t *testing.T) {
		checkMethods(t, files)
	})
	t.Run("lines of a file", func(t *testing.T) {
		for _, file := range files {
			lines := file.fset.File(file.syntax.FileStart).LineCount() - 1 // the last one is empty
			if lines > maxLines && !ast.IsGenerated(file.syntax) {
				t.Errorf("%s: %d lines, the maximum is %d: split it by feature", file.name, lines, maxLines)
			}
		}
	})
}

// The OpenID provider is much larger than what hobnob needs of OAuth.
func TestProgramHasNoTestDependencies(t *testing.T) {
	packages := strings.Fields(output(t, "go", "list", "-deps", "."))
	for _, dependency := range []string{"github.com/zitadel", "go.opentelemetry.io", "github.com/creack/pty", "github.com/rogpeppe/go-internal/testscript"} {
		if slices.ContainsFunc(packages, func(p string) bool { return within(p, dependency) }) {
			t.Errorf("the program contains %s, which only tests may use", dependency)
		}
	}
	if !slices.Contains(packages, "golang.org/x/oauth2") {
		t.Errorf("the list of packages is incomplete: %q", packages)
	}
}

func checkDirection(t *testing.T, file sourceFile) {
	t.Helper()
	allowed, listed := mayImport[file.pkg]
	switch {
	case slices.Contains(leaves, file.pkg):
		allowed, listed = leaves, true
	case strings.HasPrefix(file.pkg, "internal/"):
		allowed = slices.Concat(leaves, allowed)
	}
	if !listed {
		t.Errorf("%s: package %s is missing in mayImport", file.name, file.pkg)
	}
	if file.test {
		allowed = slices.Concat(allowed, leaves, []string{"docs", file.pkg})
	}
	for _, imported := range file.imports {
		inner, ok := strings.CutPrefix(imported, module+"/")
		if ok && !slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, inner) }) {
			t.Errorf("%s: package %s may not import %s, only %q", file.name, file.pkg, inner, allowed)
		}
	}
}

func checkOwners(t *testing.T, file sourceFile) {
	t.Helper()
	for _, imported := range file.imports {
		for dependency, owner := range owners {
			if within(imported, dependency) && !slices.Contains(owner, file.pkg) && !file.test {
				t.Errorf("%s: only %q may import %s", file.name, owner, imported)
			}
		}
	}
}

func checkMethods(t *testing.T, files []sourceFile) {
	t.Helper()
	methods := map[string]map[string]bool{} // by type; a method may be declared in files for several systems
	for _, file := range files {
		for _, decl := range file.syntax.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv == nil || file.test {
				continue
			}
			name := file.pkg + "." + receiver(f)
			if methods[name] == nil {
				methods[name] = map[string]bool{}
			}
			methods[name][f.Name.Name] = true
		}
	}
	for name, of := range methods {
		if len(of) > maxMethods && !slices.Contains(manyMethods, name) {
			t.Errorf("%s has %d methods, the maximum is %d: split it by feature", name, len(of), maxMethods)
		}
	}
}

// receiver returns the name of the type that a method belongs to.
func receiver(f *ast.FuncDecl) string {
	expression := f.Recv.List[0].Type
	for {
		switch e := expression.(type) {
		case *ast.StarExpr:
			expression = e.X
		case *ast.IndexExpr:
			expression = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

func checkUses(t *testing.T, files []sourceFile) {
	t.Helper()
	found := map[string]bool{}
	for _, file := range files {
		if file.test || file.pkg == picture {
			continue
		}
		for name, line := range file.mentions() {
			only, ruled := usedIn[name]
			if found[name] = true; ruled && file.name != only {
				t.Errorf("%s:%d: only %s may use %s", file.name, line, only, name)
			}
		}
	}
	for name, only := range usedIn {
		if !found[name] {
			t.Errorf("%s: %s is not used; is usedIn out of date?", only, name)
		}
	}
}

func TestTopLevel(t *testing.T) {
	for name := range strings.SplitSeq(strings.TrimSuffix(output(t, "git", "ls-files", "-z"), "\x00"), "\x00") {
		if top, _, _ := strings.Cut(name, "/"); !slices.Contains(topLevel, top) {
			t.Errorf("%s: the top level may hold only %q", name, topLevel)
		}
	}
}

// sourceFile is a Go file for any system.
type sourceFile struct {
	name    string // path from the top of the tree, with slashes
	pkg     string // its directory, in the same form
	test    bool
	imports []string
	syntax  *ast.File
	fset    *token.FileSet
}

func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	var files []sourceFile
	packages := json.NewDecoder(strings.NewReader(output(t, "go", "list", "-json", "./...")))
	for {
		var p struct {
			ImportPath, Dir                                    string
			GoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := packages.Decode(&p); errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		pkg := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		for _, base := range slices.Concat(p.GoFiles, p.IgnoredGoFiles, p.TestGoFiles, p.XTestGoFiles) {
			file := sourceFile{name: path.Join(pkg, base), pkg: path.Clean(pkg), test: strings.HasSuffix(base, "_test.go"), fset: token.NewFileSet()}
			syntax, err := parser.ParseFile(file.fset, filepath.Join(p.Dir, base), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			file.syntax = syntax
			for _, spec := range syntax.Imports {
				imported, err := strconv.Unquote(spec.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				file.imports = append(file.imports, imported)
			}
			files = append(files, file)
		}
	}
}

// mentions returns the qualified names in the file, such as os.Exit, and a line of each.
func (f sourceFile) mentions() map[string]int {
	found := map[string]int{}
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok {
				found[x.Name+"."+selector.Sel.Name] = f.line(n)
			}
		}
		return true
	})
	return found
}

func (f sourceFile) line(n ast.Node) int { return f.fset.Position(n.Pos()).Line }

// matches reports whether pkg is the package of the pattern or, if the pattern ends
// with *, below it.
func matches(pattern, pkg string) bool {
	above, wild := strings.CutSuffix(pattern, "/*")
	return pkg == pattern || wild && within(pkg, above)
}

func within(pkg, above string) bool {
	return pkg == above || strings.HasPrefix(pkg, above+"/")
}

// output runs a command at the top of the tree. The test is skipped if the command is
// missing or fails, like git in an unpacked archive.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	command := exec.CommandContext(t.Context(), name, args...)
	command.Dir, command.Stderr = "..", &stderr
	out, err := command.Output()
	if err != nil && os.Getenv("HOBNOB_TEST_REQUIRE") != "1" {
		t.Skipf("%s: %v: %s", command, err, &stderr)
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", command, err, &stderr)
	}
	return string(out)
}
