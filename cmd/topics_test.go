package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// All fields of a struct or map that is printed as JSON must be in one row of the table
// in the topic formatting, and all fields in the table must exist.
func TestFormattingHasEveryField(t *testing.T) {
	existing := map[string]bool{"restored": true} // its key is not a constant
	check := func(where string, fields []string) {
		for _, field := range fields {
			existing[field] = true
		}
		if len(fields) > 0 && !slices.ContainsFunc(documents, func(d document) bool {
			return !slices.ContainsFunc(fields, func(f string) bool { return !slices.Contains(d.fields(), f) })
		}) {
			t.Errorf("%s: no row of documents has all of %q", where, fields)
		}
	}
	for _, pattern := range []string{"*.go", "../internal/ask/*.go", "../internal/view/*.go", "../internal/doctor/*.go", "../internal/cli/*.go", "../internal/failure/report.go",
		"../internal/transfer/import.go", "../internal/transfer/export.go", "../internal/history/import.go", "../internal/history/find.go", "../internal/api/api.go", "../internal/batch/result.go",
		"../internal/batch/merged.go", "../internal/batch/estimate.go"} {
		names, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(node ast.Node) bool {
				switch n := node.(type) {
				case *ast.TypeSpec:
					if printed := !slices.Contains([]string{"delivery", "Message", "Request", "Choice", "Completion"}, n.Name.Name); !printed {
						return false
					}
					check(files.Position(n.Pos()).String(), taggedFields(n.Type))
				case *ast.CompositeLit:
					if m, ok := n.Type.(*ast.MapType); ok && isNamed(m.Value, "any") {
						check(files.Position(n.Pos()).String(), literalKeys(n))
					}
				case *ast.CallExpr:
					if method, ok := n.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "JSON" {
						if literal, ok := n.Args[0].(*ast.CompositeLit); ok {
							check(files.Position(n.Pos()).String(), literalKeys(literal))
						}
					}
				}
				return true
			})
		}
	}
	for _, d := range documents {
		for _, field := range d.fields() {
			if !existing[field] {
				t.Errorf("%s: no document has the field %q", d.commands, field)
			}
		}
	}
	if len(existing) < 60 {
		t.Errorf("found too few fields: %q", slices.Sorted(maps.Keys(existing)))
	}
}

// taggedFields returns the JSON names of the fields of a struct and of nested structs.
func taggedFields(expr ast.Expr) (names []string) {
	ast.Inspect(expr, func(node ast.Node) bool {
		if field, ok := node.(*ast.Field); ok && field.Tag != nil {
			tag, _ := strconv.Unquote(field.Tag.Value)
			if name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ","); name != "" && name != "-" {
				names = append(names, name)
			}
		}
		return true
	})
	return names
}

// literalKeys returns the constant keys of a map literal.
func literalKeys(literal *ast.CompositeLit) (keys []string) {
	for _, element := range literal.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.BasicLit); ok && key.Kind == token.STRING {
				name, _ := strconv.Unquote(key.Value)
				keys = append(keys, name)
			}
		}
	}
	return keys
}

func isNamed(expr ast.Expr, name string) bool {
	ident, ok := expr.(*ast.Ident)
	return ok && ident.Name == name
}
