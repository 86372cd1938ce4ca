package markdown

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// unshown holds words of examples that are markup and not text.
var unshown = map[int]string{
	268: "003", // the number of a list item; CommonMark counts 3
	539: "BaR", // a reference to a definition that is shown as [bar]
	583: "bar", // a reference to a definition that is shown as [BAR]
}

// rarer holds the labels of references, [text][label]. The URL is shown instead; the
// label is shown with its definition.
var rarer = map[int][]string{
	527: {"bar"},
	528: {"ref"},
	529: {"ref"},
	530: {"ref"},
	531: {"ref"},
	533: {"ref"},
	534: {"ref"},
	535: {"ref"},
	541: {"Foo", "bar"},
	544: {"foo"},
	549: {"ref"},
	565: {"bar"},
	569: {"baz"},
	570: {"bar"},
	571: {"baz"},
	577: {"foo", "bar"},
	582: {"bar"},
}

// Examples with an empty rendering, for which Render returns the source: empty code,
// quotes and links. For screen readers, thematic breaks are empty too.
var (
	blank      = []int{126, 129, 130, 239, 240, 334, 487}
	onlyBreaks = []int{11, 43, 47, 50, 51, 52, 53, 54, 98}
)

// TestCommonMarkExamplesLoseNoText renders all examples of the specification that
// goldmark includes.
func TestCommonMarkExamplesLoseNoText(t *testing.T) {
	directory, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		if os.Getenv("HOBNOB_TEST_REQUIRE") == "1" {
			t.Fatal(err)
		}
		t.Skip("cannot find the goldmark module:", err)
	}
	data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(directory)), "_test", "spec.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Markdown string
		Example  int
		Section  string
	}
	if err := json.Unmarshal(data, &examples); err != nil {
		t.Fatal(err)
	}
	if len(examples) < 640 {
		t.Fatalf("%d examples, want at least 640", len(examples))
	}
	for _, example := range examples {
		for _, width := range []int{40, 80} {
			for kind, s := range map[string]Options{"colour": colorful(width), "no colour": {Unicode: true, Width: width}, "accessible": {Accessible: true, Width: width}} {
				t.Run(fmt.Sprintf("%d %s, %d columns, %s", example.Example, example.Section, width, kind), func(t *testing.T) {
					text := terminal.Clean(example.Markdown)
					rendered, err := layout(text, s, s.style(), neverStopped)
					if err != nil {
						t.Fatal(err)
					}
					if rendered == "" && strings.TrimSpace(text) != "" {
						if !slices.Contains(blank, example.Example) && !(s.Accessible && slices.Contains(onlyBreaks, example.Example)) {
							t.Errorf("empty rendering of\n%s", text)
						}
						rendered = Render(example.Markdown, s)
					}
					checkSafe(t, example.Markdown, rendered, s)
					checkWords(t, text, rendered, unshown[example.Example], rarer[example.Example]...)
				})
			}
		}
	}
}
