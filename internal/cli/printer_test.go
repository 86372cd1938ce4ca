package cli_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/cli"
)

func TestWriteJSONEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"":                   `""`,
		"plain <b> & more":   `"plain <b> & more"`,
		"é\x7fü":             `"é\u007fü"`,
		"a\u0085b\u009bc":    `"a\u0085b\u009bc"`,
		"\u202eabc\u2066":    `"\u202eabc\u2066"`,
		"\u00a0日本\U0001f600": "\"\u00a0日本\U0001f600\"",
		"\x1b[31m\x7f\x7f é": `"\u001b[31m\u007f\u007f é"`,
	} {
		var out bytes.Buffer
		if err := cli.WriteJSON(&out, text, false); err != nil {
			t.Fatal(err)
		}
		var back string
		if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != text || out.String() != want+"\n" {
			t.Errorf("got %q, want %s", out.String(), want)
		}
	}
}
