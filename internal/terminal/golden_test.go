package terminal

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/chroma/v2/styles"
)

// TestGoldenRenderings renders one document for three widths and five kinds of
// terminal. With HOBNOB_TEST_UPDATE=1 the files are written anew.
func TestGoldenRenderings(t *testing.T) {
	document, err := os.ReadFile(filepath.Join("testdata", "document.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*Streams{
		"dark":       {OutTTY: true, OutColor: true, UTF8: true, env: environment("TERM=xterm-256color", "COLORFGBG=15;0")},
		"light":      {OutTTY: true, OutColor: true, UTF8: true, env: environment("TERM=xterm-256color", "COLORFGBG=0;15")},
		"no-color":   {OutTTY: true, UTF8: true, env: environment("TERM=xterm-256color", "NO_COLOR=1")},
		"dumb":       {OutTTY: true, UTF8: true, Dumb: true, env: environment("TERM=dumb", "LC_ALL=C.UTF-8")},
		"accessible": {OutTTY: true, OutColor: true, Accessible: true, env: environment("TERM=xterm-256color", "ACCESSIBLE=1", "LC_ALL=C")},
	} {
		for _, width := range []int{40, 80, 120} {
			t.Run(fmt.Sprintf("%s at %d", name, width), func(t *testing.T) {
				s := *s
				s.Width = width
				// Glamour registers the code colours of the first style alone.
				delete(styles.Registry, "charm")
				got := s.Markdown(string(document), "auto")
				checkSafe(t, string(document), got, &s)
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
					t.Errorf("the rendering differs from %s:\n%s", golden, got)
				}
			})
		}
	}
}
