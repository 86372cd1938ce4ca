package cmd

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// kubernetes is the release whose OpenAPI document has the schema of a Job. The go command
// checks the module against the checksum database.
const kubernetes = "k8s.io/kubernetes@v1.34.1"

// The manifest of docs/batch.md must follow the published schema, without unknown fields.
func TestKubernetesJobFollowsSchema(t *testing.T) {
	schema := jobSchema(t)
	blocks, err := blocksOf("batch.md")
	if err != nil {
		t.Fatal(err)
	}
	manifest := ""
	for _, b := range blocks {
		if b.path == "job.yaml" {
			manifest = b.code
		}
	}
	for _, tt := range []struct {
		name, old, new string
		valid          bool
	}{
		{"as written", "", "", true},
		{"unknown field", "completionMode:", "completionsMode:", false},
		{"unknown field of a container", "workingDir:", "workDir:", false},
		{"wrong type", "completions: 8", "completions: eight", false},
		{"missing field", " containers:", " initContainers:", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(manifest, tt.old, tt.new, 1)
			var job any
			if err := yaml.Unmarshal([]byte(text), &job); err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(job)
			if err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); (err == nil) != tt.valid {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// jobSchema returns the schema of a Job, which the Kubernetes project publishes.
func jobSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		skipWithout(t, "go")
	}
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", kubernetes)
	download.Dir = t.TempDir()
	out, err := download.Output()
	if err != nil && os.Getenv("HOBNOB_TEST_REQUIRE") != "1" {
		t.Skipf("cannot download %s: %v: %s", kubernetes, err, out)
	}
	if err != nil {
		t.Fatalf("cannot download %s: %v: %s", kubernetes, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(module.Dir, "api", "openapi-spec", "v3", "apis__batch__v1_openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	refuseUnknownFields(document)
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("kubernetes.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("kubernetes.json#/components/schemas/io.k8s.api.batch.v1.Job")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// refuseUnknownFields makes the objects of a schema strict, as the server is with
// --validate=strict.
func refuseUnknownFields(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		if _, ok := s["properties"].(map[string]any); ok && s["additionalProperties"] == nil {
			s["additionalProperties"] = false
		}
		for _, part := range s {
			refuseUnknownFields(part)
		}
	case []any:
		for _, part := range s {
			refuseUnknownFields(part)
		}
	}
}
