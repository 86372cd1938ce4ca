package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/suggest"
)

// keys are the settings that a project file may have.
var keys = []struct {
	name string
	set  func(s *Settings, value *yaml.Node) error
}{
	{"agent", func(s *Settings, value *yaml.Node) (err error) {
		s.Agent, err = agent(value)
		return err
	}},
	{"instructions", func(s *Settings, value *yaml.Node) (err error) {
		s.Instructions, err = text(value)
		s.Instructions = strings.TrimRightFunc(s.Instructions, unicode.IsSpace)
		return err
	}},
	{"instructions_file", func(s *Settings, value *yaml.Node) (err error) {
		s.InstructionsFile, err = path(value)
		return err
	}},
	{"templates", func(s *Settings, value *yaml.Node) (err error) {
		s.Templates, err = paths(value)
		return err
	}},
	{"files", func(s *Settings, value *yaml.Node) (err error) {
		s.Files, err = paths(value)
		return err
	}},
}

// keyNames returns the names of keys.
func keyNames() []string {
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = key.name
	}
	return names
}

// parse parses the text of a project file. It accepts a small part of YAML: one mapping
// of known keys to text and lists of text. Errors are *FileError without a path.
func parse(text []byte) (Settings, error) {
	if at := invalidUTF8(text); at >= 0 {
		return Settings{}, &FileError{Err: fmt.Errorf("invalid UTF-8 at byte %d", at)}
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	switch err := decoder.Decode(&document); {
	case errors.Is(err, io.EOF):
		return Settings{}, nil
	case err != nil:
		return Settings{}, &FileError{Err: invalidYAML(err)}
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Settings{}, &FileError{Err: errors.New("it contains more than one YAML document")}
	}
	return parseMapping(document.Content[0])
}

func parseMapping(top *yaml.Node) (s Settings, err error) {
	if err := plain(top, yaml.MappingNode, "!!map"); err != nil {
		return s, lineError(top, "invalid project file: %w", err)
	}
	seen := map[string]bool{}
	for pair := range slices.Chunk(top.Content, 2) {
		key, value := pair[0], pair[1]
		at := slices.Index(keyNames(), key.Value)
		if err := plain(key, yaml.ScalarNode, "!!str"); err != nil || at < 0 {
			return s, unknownKey(key)
		}
		if seen[key.Value] {
			return s, lineError(key, "duplicate setting %q", key.Value)
		}
		seen[key.Value] = true
		if err := keys[at].set(&s, value); err != nil {
			return s, lineError(value, "invalid value of %s: %w", key.Value, err)
		}
	}
	if s.Instructions != "" && s.InstructionsFile != "" {
		return s, &FileError{Err: errors.New("instructions and instructions_file cannot be used together")}
	}
	return s, nil
}

// unknownKey returns the error for a key that a project file cannot have.
func unknownKey(key *yaml.Node) error {
	name := key.Value
	if key.Kind != yaml.ScalarNode {
		name = "{…}"
	}
	err := lineError(key, "a project file cannot set %q", shortened(name))
	err.Hint = failure.Hintf("it can set %s", strings.Join(keyNames(), ", "))
	if near := suggest.Nearest(name, keyNames()); near != "" {
		err.Hint = failure.Hintf("did you mean %q?", near)
	}
	return err
}

// plain returns an error unless a node is of a kind and tag, and not one of YAML's
// references.
func plain(node *yaml.Node, kind yaml.Kind, tag string) error {
	switch {
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		return errors.New("anchors and aliases are not allowed")
	case node.Style&yaml.TaggedStyle != 0:
		return errors.New("tags are not allowed")
	case node.Kind != kind || node.Tag != tag:
		return fmt.Errorf("must be %s", map[string]string{"!!str": "text", "!!seq": "a list", "!!map": "a mapping"}[tag])
	}
	return nil
}

// text returns the value of a node that is text without control characters.
func text(node *yaml.Node) (string, error) {
	if err := plain(node, yaml.ScalarNode, "!!str"); err != nil {
		return "", err
	}
	return node.Value, checkText(node.Value)
}

// checkText returns an error if a text has control characters other than newline and tab,
// is not UTF-8, or is longer than instructions may be.
func checkText(text string) error {
	for _, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return fmt.Errorf("a control character (U+%04X) is not allowed", r)
		}
	}
	return config.CheckInstructions(text)
}

// agent returns an alias. A UUID is invalid, because it could be an agent that the user
// does not know.
func agent(node *yaml.Node) (string, error) {
	name, err := text(node)
	if err != nil {
		return "", err
	}
	if name = strings.ToLower(name); config.IsUUID(name) || config.CheckName(name) != nil {
		return "", fmt.Errorf("%q must be an alias of hobnob agents list", shortened(node.Value))
	}
	return name, nil
}

// paths returns a list of paths inside the project.
func paths(node *yaml.Node) ([]string, error) {
	if err := plain(node, yaml.SequenceNode, "!!seq"); err != nil {
		return nil, err
	}
	var list []string
	for _, item := range node.Content {
		one, err := path(item)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// path returns a path inside the project.
func path(node *yaml.Node) (string, error) {
	path, err := text(node)
	if err == nil {
		err = checkPath(path)
	}
	return path, err
}

// checkPath returns an error unless a path is relative and has no part that leads
// upwards. Links are resolved when the path is used.
func checkPath(path string) error {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	switch {
	case path == "" || strings.ContainsAny(path, "\n\t"):
		return fmt.Errorf("invalid path %q", shortened(path))
	case strings.Contains(path, "://"):
		return fmt.Errorf("%q must be a path, not a URL", shortened(path))
	case path == "-":
		return errors.New(`"-" must be a path, not standard input`)
	case strings.HasPrefix(path, "~") || !filepath.IsLocal(path) || slices.Contains(parts, ".."):
		return fmt.Errorf("%q must be a path inside the directory of the project file", shortened(path))
	}
	return nil
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// invalidYAML returns a parser's error without the name of its package.
func invalidYAML(err error) error {
	return fmt.Errorf("invalid YAML: %s", strings.TrimPrefix(strings.Join(strings.Fields(err.Error()), " "), "yaml: "))
}

// shortened returns the beginning of a text that an error quotes.
func shortened(text string) string {
	const limit = 60
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}

func lineError(node *yaml.Node, format string, args ...any) *FileError {
	return &FileError{Line: node.Line, Err: fmt.Errorf(format, args...)}
}
