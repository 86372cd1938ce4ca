package markdown

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/chroma/v2/styles"
)

// TestGoldenRenderings renders one document in three widths for five kinds of
// terminals. HOBNOB_TEST_UPDATE=1 updates the golden files.
func TestGoldenRenderings(t *testing.T) {
	document, err := os.ReadFile(filepath.Join("testdata", "document.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Options{
		"dark":       {Colors: 256, Unicode: true},
		"light":      {Colors: 256, Unicode: true, Light: func() bool { return true }},
		"no-color":   {Unicode: true},
		"dumb":       {Unicode: true},
		"accessible": {Colors: 256, Accessible: true},
	} {
		for _, width := range []int{40, 80, 120} {
			t.Run(fmt.Sprintf("%s at %d", name, width), func(t *testing.T) {
				s.Width, s.Style = width, "auto"
				// Glamour registers the code colours of the first style only.
				delete(styles.Registry, "charm")
				// Not Render, which could time out on a slow machine.
				got, err := layout(string(document), s, s.style(), neverStopped)
				if err != nil {
					t.Fatal(err)
				}
				checkSafe(t, string(document), got, s)
				checkWords(t, string(document), got, "")
				golden := filepath.Join("testdata", "golden", fmt.Sprintf("%s-%d.txt", name, width))
				if os.Getenv("HOBNOB_TEST_UPDATE") != "" {
					if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("rendering differs from %s:\n%s", golden, got)
				}
			})
		}
	}
}
