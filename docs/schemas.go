package docs

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Schemas contains the JSON Schemas of the documents that hobnob prints,
// schemas/v1/*.json. Consumers must accept new fields, so the schemas do too.
//
//go:embed schemas/v1/*.json
var Schemas embed.FS

// Document describes a document from its schema.
type Document struct {
	Name        string // of the file, without .json
	Title       string
	Description string
	// Commands print the document, "*" means every command. Flags, if any, are needed
	// for it.
	Commands []string
	Array    bool
	// Fields are the names of all fields. Those of a nested object follow it.
	Fields []string
}

// schemaNode is the part of a JSON Schema that has fields.
type schemaNode struct {
	ID          string                `json:"$id"`
	Title       string                `json:"title"`
	Description string                `json:"description"`
	Commands    []string              `json:"x-commands"`
	Type        any                   `json:"type"`
	Ref         string                `json:"$ref"`
	Properties  map[string]schemaNode `json:"properties"`
	Required    []string              `json:"required"`
	Items       *schemaNode           `json:"items"`
	AnyOf       []schemaNode          `json:"anyOf"`
	Defs        map[string]schemaNode `json:"$defs"`
}

// Documents returns all documents: first those of few commands, by command.
func Documents() ([]Document, error) {
	files, err := fs.Glob(Schemas, "schemas/v1/*.json")
	if err != nil {
		return nil, err
	}
	schemas := map[string]schemaNode{}
	for _, file := range files {
		text, err := Schemas.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var node schemaNode
		if err := json.Unmarshal(text, &node); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		schemas[path.Base(file)] = node
	}
	var found []Document
	for file, node := range schemas {
		if len(node.Commands) > 0 {
			found = append(found, Document{
				Name: strings.TrimSuffix(file, ".json"), Title: node.Title, Description: node.Description, Commands: node.Commands,
				Array: node.Type == "array", Fields: fieldsOf(schemas, file, node),
			})
		}
	}
	slices.SortFunc(found, func(a, b Document) int {
		return strings.Compare(a.sortKey(), b.sortKey())
	})
	return found, nil
}

// sortKey puts the documents of many commands last.
func (d Document) sortKey() string {
	switch {
	case d.Commands[0] == "*":
		return "3"
	case len(d.Commands) > 3:
		return "2"
	}
	return "1" + strings.Join(d.Commands, " ")
}

// fieldsOf returns the fields of a schema in a file, in the order of required, which is
// that of the documents, and then those that are not required.
func fieldsOf(schemas map[string]schemaNode, file string, node schemaNode) (names []string) {
	if node.Ref != "" {
		other, pointer, _ := strings.Cut(node.Ref, "#/$defs/")
		if other != "" {
			file = other
		}
		target := schemas[file]
		if pointer != "" {
			target = target.Defs[pointer]
		}
		return fieldsOf(schemas, file, target)
	}
	var optional []string
	for name := range node.Properties {
		if !slices.Contains(node.Required, name) {
			optional = append(optional, name)
		}
	}
	slices.Sort(optional)
	for _, name := range slices.Concat(node.Required, optional) {
		names = append(append(names, name), fieldsOf(schemas, file, node.Properties[name])...)
	}
	for _, one := range node.AnyOf {
		names = append(names, fieldsOf(schemas, file, one)...)
	}
	if node.Items != nil {
		names = append(names, fieldsOf(schemas, file, *node.Items)...)
	}
	return names
}
