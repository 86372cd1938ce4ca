package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"github.com/hobnob-cli/hobnob/docs"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// recordsDir is the variable with the directory for the records of the processes that
// scripts run.
const recordsDir = "HOBNOB_TEST_RECORDS"

// record is what a process of hobnob printed and returned.
type record struct {
	Script string
	Args   []string
	Stdout string // only with --json
	Stderr string // only with --json or --jq
	Exit   int
}

// recorded is Main, and saves a record of the process.
func recorded() int {
	dir := os.Getenv(recordsDir)
	if dir == "" || len(os.Args) > 1 && (os.Args[1] == deliverName || strings.HasPrefix(os.Args[1], cobra.ShellCompRequestCmd)) {
		return Main()
	}
	var stdout, stderr bytes.Buffer
	code := runProcess(func(streams *terminal.Streams) {
		if asksForJSON(os.Args[1:]) && !streams.OutTTY && !streams.OutClosed {
			streams.Out = io.MultiWriter(streams.Out, &stdout)
			streams.Err = io.MultiWriter(streams.Err, &stderr)
		}
	})
	written, err := json.Marshal(record{os.Getenv("HOBNOB_TEST_SCRIPT"), os.Args[1:], stdout.String(), stderr.String(), code})
	if err != nil {
		panic(err)
	}
	file, err := os.CreateTemp(dir, "*.json")
	if err != nil {
		return code // the script removed its directory
	}
	_, _ = file.Write(written)
	_ = file.Close()
	return code
}

func readRecords(t *testing.T, dir string) (found []record) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var r record
		if json.Unmarshal(text, &r) == nil { // a process may have been killed
			found = append(found, r)
		}
	}
	return found
}

// contract compiles the schemas. They accept unknown fields, but in strict form they do
// not, so that a field without a description is found.
type contract struct {
	documents []docs.Document
	strict    map[string]*jsonschema.Schema // by name of the document
	root      *cobra.Command
}

var newContract = sync.OnceValues(func() (contract, error) {
	c := contract{strict: map[string]*jsonschema.Schema{}, root: newRootCommand(cli.New(&terminal.Streams{}, func(string) string { return "" }))}
	c.root.InitDefaultHelpCmd()
	var err error
	if c.documents, err = docs.Documents(); err != nil {
		return c, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	files, err := docs.Schemas.ReadDir("schemas/v1")
	if err != nil {
		return c, err
	}
	for _, file := range files {
		text, err := docs.Schemas.ReadFile("schemas/v1/" + file.Name())
		if err != nil {
			return c, err
		}
		schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return c, err
		}
		if err := compiler.AddResource(schemaID(file.Name()), closed(schema)); err != nil {
			return c, err
		}
	}
	for _, d := range c.documents {
		if c.strict[d.Name], err = compiler.Compile(schemaID(d.Name + ".json")); err != nil {
			return c, err
		}
	}
	return c, nil
})

func schemaID(file string) string {
	return "https://raw.githubusercontent.com/hobnob-cli/hobnob/main/docs/schemas/v1/" + file
}

// closed returns a schema that rejects unknown fields.
func closed(schema any) any {
	switch s := schema.(type) {
	case map[string]any:
		for _, value := range s {
			closed(value)
		}
		if _, fields := s["properties"].(map[string]any); fields && s["additionalProperties"] == nil {
			s["additionalProperties"] = false
		}
	case []any:
		for _, value := range s {
			closed(value)
		}
	}
	return schema
}

// path returns the words of the command that args run, such as "conversations list".
func (c contract) path(args []string) (string, *cobra.Command) {
	command, _, err := c.root.Find(args)
	if err != nil {
		return "", nil
	}
	return strings.TrimPrefix(strings.TrimPrefix(command.CommandPath(), "hobnob"), " "), command
}

// of returns the documents that a command prints.
func (c contract) of(path string) (found []docs.Document) {
	for _, d := range c.documents {
		for _, command := range d.Commands {
			words, _, _ := strings.Cut(command, " -")
			if words == path {
				found = append(found, d)
				break
			}
		}
	}
	return found
}

// match returns the document that a value is, otherwise the errors of all of them.
func (c contract) match(among []docs.Document, value any) (name string, err error) {
	var errs []error
	for _, d := range among {
		err := c.strict[d.Name].Validate(value)
		if err == nil {
			return d.Name, nil
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

// checkContract checks the exit code of every process and validates the output of those
// that ran with --json. If all scripts ran, every document must have been printed.
func checkContract(t *testing.T, dir string) {
	c, err := newContract()
	if err != nil {
		t.Fatal(err)
	}
	examples, printed := map[string]any{}, map[string]bool{}
	for _, r := range readRecords(t, dir) {
		path, command := c.path(r.Args)
		if command != nil && !slices.ContainsFunc(exitsOf(command), func(code failure.ExitCode) bool { return code.Code == r.Exit }) {
			t.Errorf("%s: hobnob %q exits with %d, which its help omits", r.Script, r.Args, r.Exit)
		}
		for stream, text := range map[string]string{"stdout": r.Stdout, "stderr": r.Stderr} {
			among := c.of(path)
			if stream == "stderr" {
				among = c.of("*")
			} else if slices.ContainsFunc(r.Args, func(arg string) bool { return arg == "--jq" || strings.HasPrefix(arg, "--jq=") }) || !printsJSON(command, r.Args) {
				continue
			}
			for decoder := json.NewDecoder(strings.NewReader(text)); ; {
				decoder.UseNumber()
				var value any
				if err := decoder.Decode(&value); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Errorf("%s: hobnob %q prints to %s: %v: %s", r.Script, r.Args, stream, err, text)
					break
				}
				name, err := c.match(among, value)
				if err != nil || name == "" {
					t.Errorf("%s: hobnob %q prints to %s what is not in docs/schemas: %v", r.Script, r.Args, stream, err)
				}
				examples[name] = value
				printed[path] = printed[path] || stream == "stdout"
			}
		}
	}
	for _, d := range c.documents {
		if value, ok := examples[d.Name]; ok {
			c.rejectsUnknown(t, d.Name, value)
		}
	}
	if selected := flag.Lookup("test.run").Value.String(); strings.Contains(selected, "/") || testing.Short() {
		return // only some scripts ran
	}
	for _, d := range c.documents {
		if examples[d.Name] == nil {
			t.Errorf("no script prints the document %s", d.Name)
		}
	}
	eachOf(c.root, func(command *cobra.Command) {
		if path, _ := c.path(strings.Fields(command.CommandPath())[1:]); printsJSON(command, nil) && !printed[path] {
			t.Errorf("no script runs hobnob %s --json", path)
		}
	})
}

// printsJSON reports whether a command prints JSON for these arguments.
func printsJSON(command *cobra.Command, args []string) bool {
	if command == nil || !command.Runnable() {
		return false
	}
	if _, text := command.Annotations[printsText]; text {
		return false
	}
	return !slices.ContainsFunc(args, func(arg string) bool { return arg == "--help" || arg == "-h" || arg == "--format" })
}

// rejectsUnknown checks that the strict schema rejects a document with a new field in any
// of its objects, except those with any names.
func (c contract) rejectsUnknown(t *testing.T, name string, value any) {
	t.Helper()
	object, _ := value.(map[string]any)
	if list, ok := value.([]any); ok && len(list) > 0 {
		object, _ = list[0].(map[string]any)
	}
	if object == nil {
		return
	}
	object["unknown"] = true
	if c.strict[name].Validate(value) == nil {
		t.Errorf("the schema %s accepts an unknown field", name)
	}
	delete(object, "unknown")
	for _, field := range []string{"version", "error", "id", "conversation", "name"} {
		if old, ok := object[field]; ok {
			object[field] = []any{}
			if c.strict[name].Validate(value) == nil {
				t.Errorf("the schema %s accepts an array as %s", name, field)
			}
			object[field] = old
			return
		}
	}
}

func TestEveryCommandHasSchema(t *testing.T) {
	c, err := newContract()
	if err != nil {
		t.Fatal(err)
	}
	eachOf(c.root, func(command *cobra.Command) {
		path, _ := c.path(strings.Fields(command.CommandPath())[1:])
		if has := len(c.of(path)) > 0; has != printsJSON(command, nil) {
			t.Errorf("%s prints JSON: %v, has a schema: %v", command.CommandPath(), printsJSON(command, nil), has)
		}
	})
	for _, d := range c.documents {
		for _, command := range d.Commands {
			words, _, _ := strings.Cut(command, " -")
			if path, _ := c.path(strings.Fields(words)); words != "*" && path != words {
				t.Errorf("%s: unknown command %q", d.Name, command)
			}
		}
	}
}
