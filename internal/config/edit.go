package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
)

// Starter is the initial text of a new file in the editor.
const Starter = `# Settings of hobnob; see: hobnob config list --show-source
#
# profile: work
# profiles:
#   work:
#     base_url: https://chat.example.com
#     agent: reviewer
#     agents: {reviewer: 00000000-0000-4000-8000-000000000000}
`

// Edit changes the file and replaces it in one step, with mode 0600. Comments, order
// and all other values stay; indentation becomes two spaces, and blank lines are
// removed. A lock serialises concurrent edits.
//
// If the result would not load, the file is not written.
func Edit(path string, change func(*Document) error) error {
	return locked(path, func(before []byte) error {
		doc := &Document{}
		decoder := yaml.NewDecoder(bytes.NewReader(before))
		if err := decoder.Decode(&doc.node); err != nil && !errors.Is(err, io.EOF) {
			return &FileError{Path: path, Err: invalidYAML(err)}
		}
		if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
			return &FileError{Path: path, Err: errors.New("it contains more than one YAML document")}
		}
		if doc.node.Kind == 0 {
			doc.comments = before // a file without settings has no node for its comments
		}
		if err := change(doc); err != nil {
			return err
		}
		after, err := doc.encode()
		if err != nil {
			return &FileError{Path: path, Err: err}
		}
		if bytes.Equal(before, after) {
			return nil
		}
		return atomicfile.Write(path, after)
	})
}

// locked calls fn with the content of the file while holding its lock.
func locked(path string, fn func(content []byte) error) error {
	unlock, err := atomicfile.Lock(path)
	if err != nil {
		return err
	}
	defer unlock()
	content, err := ReadFile(path)
	if err != nil {
		return err
	}
	return fn(content)
}

// Replace replaces the content of the file with data. It fails, and leaves the file
// unchanged, if data is not a valid configuration or the file no longer contains
// before.
func Replace(path string, before, data []byte) error {
	c, err := parse(Options{Path: path}, data)
	if err != nil {
		return err
	}
	for _, profile := range c.Profiles() {
		for _, setting := range Settings() {
			if _, err := c.FromFile(profile, setting); err != nil {
				return err
			}
		}
	}
	return locked(path, func(now []byte) error {
		if !bytes.Equal(now, before) {
			return &FileError{Path: path, Err: errors.New("changed by another process in the meantime")}
		}
		return atomicfile.Write(path, data)
	})
}

// Document is a configuration file being edited.
type Document struct {
	node     yaml.Node
	comments []byte // the content of a file without settings
}

// Set sets the value at the path of keys and creates missing mappings. Value has the
// type of a setting.
func (d *Document) Set(value any, keys ...string) error {
	parent, err := d.mapping(true, keys[:len(keys)-1])
	if err != nil {
		return err
	}
	next := scalar(value)
	if i := index(parent, keys[len(keys)-1]); i >= 0 {
		old := parent.Content[i+1]
		next.HeadComment, next.LineComment, next.FootComment = old.HeadComment, old.LineComment, old.FootComment
		*old = *next
		return nil
	}
	parent.Style = 0
	parent.Content = append(parent.Content, scalar(keys[len(keys)-1]), next)
	return nil
}

// Unset removes the value at the path of keys and the mappings that become empty. It
// reports whether the value existed.
func (d *Document) Unset(keys ...string) (bool, error) {
	parent, err := d.mapping(false, keys[:len(keys)-1])
	if err != nil || parent == nil {
		return false, err
	}
	i := index(parent, keys[len(keys)-1])
	if i < 0 {
		return false, nil
	}
	d.keepHeadComment(parent, i)
	parent.Content = slices.Delete(parent.Content, i, i+2)
	if len(parent.Content) == 0 && len(keys) > 1 {
		_, err = d.Unset(keys[:len(keys)-1]...)
	}
	return true, err
}

// Rename changes the last key of the path to name, leaving value and comments. It
// reports whether the key existed.
func (d *Document) Rename(name string, keys ...string) (bool, error) {
	parent, err := d.mapping(false, keys[:len(keys)-1])
	if err != nil || parent == nil {
		return false, err
	}
	i := index(parent, keys[len(keys)-1])
	if i < 0 {
		return false, nil
	}
	key := scalar(name)
	parent.Content[i].Value, parent.Content[i].Tag, parent.Content[i].Style = key.Value, key.Tag, key.Style
	return true, nil
}

// keepHeadComment moves the comment above a key that is being removed, possibly the
// comment at the top of the file, to the next key or to the document.
func (d *Document) keepHeadComment(parent *yaml.Node, i int) {
	comment := parent.Content[i].HeadComment
	if i > 0 || comment == "" {
		return
	}
	to := &d.node.HeadComment
	if len(parent.Content) > 2 {
		to = &parent.Content[2].HeadComment
	}
	*to = strings.TrimSuffix(comment+"\n\n"+*to, "\n\n")
}

// mapping returns the mapping at the path. A missing one is created or, without
// create, returned as nil.
func (d *Document) mapping(create bool, keys []string) (*yaml.Node, error) {
	if d.node.Kind == 0 {
		d.node = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}, HeadComment: d.node.HeadComment}
	}
	node := d.node.Content[0]
	for i := 0; ; i++ {
		if node.Kind == yaml.AliasNode {
			return nil, fmt.Errorf("%s is a YAML alias; edit the file by hand", strings.Join(keys[:i], "."))
		}
		if node.Kind == yaml.ScalarNode && node.Tag == "!!null" && create {
			comments := *node
			*node = yaml.Node{Kind: yaml.MappingNode, HeadComment: comments.HeadComment, LineComment: comments.LineComment}
		}
		if node.Kind != yaml.MappingNode {
			if !create {
				return nil, nil
			}
			return nil, fmt.Errorf("%s is not a mapping", cmp.Or(strings.Join(keys[:i], "."), "the file"))
		}
		if i == len(keys) {
			return node, nil
		}
		next := index(node, keys[i]) + 1
		if next == 0 {
			if !create {
				return nil, nil
			}
			node.Style = 0
			node.Content = append(node.Content, scalar(keys[i]), &yaml.Node{Kind: yaml.MappingNode})
			next = len(node.Content) - 1
		}
		node = node.Content[next]
	}
}

func (d *Document) encode() ([]byte, error) {
	if d.node.Kind == 0 || len(d.node.Content) == 1 && len(d.node.Content[0].Content) == 0 && d.node.Content[0].Kind == yaml.MappingNode {
		if d.node.HeadComment != "" {
			return []byte(d.node.HeadComment + "\n"), nil
		}
		return d.comments, nil
	}
	var out bytes.Buffer
	if len(d.comments) > 0 {
		out.Write(append(bytes.TrimRight(d.comments, "\n"), '\n'))
	}
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(&d.node), encoder.Close()); err != nil {
		return nil, err
	}
	if out.Len() > maxFile {
		return nil, fmt.Errorf("it would be larger than the limit of %d MiB", maxFile>>20)
	}
	var check map[string]any
	if err := yaml.Unmarshal(out.Bytes(), &check); err != nil {
		return nil, fmt.Errorf("the change would break the file: %w", err)
	}
	return out.Bytes(), nil
}

// index returns the index of a key in the content of a mapping, or -1. Its value
// follows at the next index.
func index(mapping *yaml.Node, key string) int {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if strings.EqualFold(mapping.Content[i].Value, key) {
			return i
		}
	}
	return -1
}

func scalar(value any) *yaml.Node {
	node := &yaml.Node{}
	if words, ok := value.([]string); ok {
		node.Kind, node.Style = yaml.SequenceNode, yaml.FlowStyle
		for _, word := range words {
			node.Content = append(node.Content, scalar(word))
		}
		return node
	}
	if text, ok := value.(string); ok {
		node.SetString(text)
		// SetString leaves "true" or "5" unquoted, which YAML reads as another type.
		var back any
		if node.Style != yaml.LiteralStyle && (yaml.Unmarshal([]byte(text), &back) != nil || back != any(text)) {
			node.Style |= yaml.DoubleQuotedStyle
		}
		return node
	}
	node.Kind, node.Value = yaml.ScalarNode, Format(value)
	return node
}
