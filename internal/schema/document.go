package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/codeblock"
)

const (
	// maxDepth is the maximum nesting of a document. An error message contains the path
	// to each problem, so deeper ones would take a lot of memory.
	maxDepth = 1000
	// maxValues is the maximum number of values in a document.
	maxValues = 100_000
	// maxNumber is the maximum length of a number, and maxExponent of its exponent.
	// Numbers are compared exactly, which takes memory for large exponents.
	maxNumber   = 1000
	maxExponent = 400
)

// Extract returns the JSON document in a reply, byte for byte: the whole reply without
// surrounding white space, otherwise the first code block in the language json, otherwise
// the only code block if it has no language. Text before or after a document that is not
// in a code block is an error.
func Extract(reply string) (string, error) {
	if len(reply) > maxReply {
		return "", fmt.Errorf("the reply is larger than %d MiB", maxReply>>20)
	}
	whole := trim(reply)
	syntax := checkSyntax(whole)
	if syntax == nil {
		return whole, nil
	}
	code, found, languages := codeblock.Find(reply, "json")
	if !found && len(languages) == 1 && languages[0] == "" {
		code, found, _ = codeblock.Find(reply, "")
	}
	if !found {
		return "", syntax
	}
	code = trim(code)
	if err := checkSyntax(code); err != nil {
		return "", fmt.Errorf("in the code block: %w", err)
	}
	return code, nil
}

// trim removes the white space of JSON around a document.
func trim(text string) string { return strings.Trim(text, " \t\r\n") }

func checkSyntax(text string) error {
	if text == "" {
		return errors.New("not JSON: there is no text")
	}
	var whole json.RawMessage
	err := json.Unmarshal([]byte(text), &whole)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("not JSON: %w at byte %d", err, syntax.Offset)
	}
	return err
}

// decode returns the value of a document, with each number as a json.Number. It refuses
// duplicate keys, because two parsers could read two different documents.
func decode(text string) (any, error) {
	if err := checkSyntax(text); err != nil {
		return nil, err
	}
	d := decoder{tokens: json.NewDecoder(strings.NewReader(text))}
	d.tokens.UseNumber()
	return d.value()
}

type decoder struct {
	tokens *json.Decoder
	place  []string // of the value that is decoded
	values int
}

func (d *decoder) value() (any, error) {
	token, err := d.tokens.Token()
	if err != nil {
		return nil, err
	}
	if d.values++; d.values > maxValues {
		return nil, fmt.Errorf("more than %d values", maxValues)
	}
	if len(d.place) > maxDepth {
		return nil, fmt.Errorf("nested more than %d levels deep", maxDepth)
	}
	switch token := token.(type) {
	case json.Number:
		return token, d.checkNumber(string(token))
	case json.Delim:
		if token == '[' {
			return d.array()
		}
		return d.object()
	}
	return token, nil
}

// inner decodes a value inside of another one.
func (d *decoder) inner(key string) (any, error) {
	d.place = append(d.place, key)
	value, err := d.value()
	d.place = d.place[:len(d.place)-1]
	return value, err
}

func (d *decoder) array() (any, error) {
	array := []any{}
	for d.tokens.More() {
		value, err := d.inner(strconv.Itoa(len(array)))
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	_, err := d.tokens.Token()
	return array, err
}

func (d *decoder) object() (any, error) {
	object := map[string]any{}
	for d.tokens.More() {
		token, err := d.tokens.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		if _, ok := object[key]; ok {
			return nil, fmt.Errorf("%s: duplicate key %q", at(d.place), cut(key))
		}
		if object[key], err = d.inner(key); err != nil {
			return nil, err
		}
	}
	_, err := d.tokens.Token()
	return object, err
}

func (d *decoder) checkNumber(number string) error {
	exponent := 0
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(number[i+1:]); err != nil {
			exponent = maxExponent + 1
		}
	}
	if len(number) > maxNumber || exponent > maxExponent || exponent < -maxExponent {
		return fmt.Errorf("%s: the number %s is out of range", at(d.place), cut(number))
	}
	return nil
}
