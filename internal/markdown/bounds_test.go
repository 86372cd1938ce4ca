package markdown

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/glamour/styles"
)

// quadratic holds functions that return texts of n units. Goldmark, glamour or chroma
// takes quadratic time for them.
var quadratic = map[string]func(n int) string{
	"addresses":   func(n int) string { return strings.Repeat("a.b-c_", n) + "@" },
	"emphasis":    func(n int) string { return strings.Repeat("a**b", n) },
	"underscores": func(n int) string { return strings.Repeat("*a_ ", n) },
	"lists":       func(n int) string { return strings.Repeat("- ", n) + "x" },
	"quotations":  func(n int) string { return strings.Repeat(">", n) },
	"links":       func(n int) string { return strings.Repeat("[*a*](b", n) },
	"definitions": func(n int) string { return strings.Repeat("[a]: b\n", n) },
	"empty table rows": func(n int) string {
		return strings.Repeat("|a", n) + "|\n" + strings.Repeat("|-", n) + "|\n" + strings.Repeat("|\n", n)
	},
	"escaped pipes": func(n int) string { return "|a|\n|-|\n" + strings.Repeat("|`\\|`|\n", n) },
	"code in Java":  func(n int) string { return "```java\n" + strings.Repeat("a\n", n) + "```" },
	"code blocks":   func(n int) string { return strings.Repeat("```\na\n```\n", n) },
}

func TestLayoutRefusesQuadraticTexts(t *testing.T) {
	for _, name := range []string{
		"emphasis", "underscores", "lists", "quotations", "definitions", "empty table rows", "escaped pipes",
	} {
		_, err := layout(quadratic[name](15_000), colorful(80), styles.DarkStyleConfig, neverStopped)
		if !errors.Is(err, errUnrenderable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLayoutRendersLongAnswers(t *testing.T) {
	answer := "## Step\n\nSome **bold** prose with `code_x`, snake_case and a [link](http://e.com/a_b) [x].\n" +
		"- *one*\n  - two\n\n| a | b |\n|---|---|\n| 1 | `x\\|y` |\n\n[ref]: http://e.com\n\n"
	for name, text := range map[string]string{
		"long answer":            strings.Repeat(answer, 200),
		"long paragraph":         strings.Repeat("Some **bold** prose with `code_x` and *emphasis*.\n", 500),
		"thematic break":         strings.Repeat("- ", 200),
		"angle brackets in code": "```\n" + strings.Repeat(">", 200) + "\n```",
		"table":                  "|a|b|c|d|\n|-|-|-|-|\n" + strings.Repeat("|1|2|3|4|\n", 500),
		"definitions":            strings.Repeat("[a]: b\n", 200),
		"100 accents":            "a" + strings.Repeat("\u0301", 100),
	} {
		if _, err := layout(text, Options{Unicode: true, Width: 80}, styles.ASCIIStyleConfig, neverStopped); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// layout calls stopped at most one more time after it returned an error.
func TestLayoutStops(t *testing.T) {
	errStopped := errors.New("stopped")
	for name, text := range quadratic {
		for _, after := range []int{0, 1, 10, 60} {
			calls := 0
			_, err := layout(text(60), colorful(80), styles.DarkStyleConfig, func() error {
				if calls++; calls > after {
					return errStopped
				}
				return nil
			})
			if calls > after && (!errors.Is(err, errStopped) || calls > after+2) {
				t.Errorf("%s, stopped after %d calls: %d calls, %v", name, after, calls, err)
			}
		}
	}
}

// BenchmarkHostileMarkdown measures texts of 1 MiB that are slow to render. None
// should take much longer than renderLimit.
func BenchmarkHostileMarkdown(b *testing.B) {
	for name, text := range quadratic {
		unit := len(text(1001)) - len(text(1000))
		b.Run(name, func(b *testing.B) {
			source := text(maxMarkdown / unit)
			for b.Loop() {
				ctx, cancel := context.WithTimeout(b.Context(), renderLimit)
				start := time.Now()
				_, err := layout(source, colorful(80), styles.DarkStyleConfig, ctx.Err)
				cancel()
				b.ReportMetric(max(0, (time.Since(start)-renderLimit).Seconds()), "s-overtime")
				if err != nil {
					b.Logf("not rendered: %v", err)
				}
			}
		})
	}
}

// BenchmarkLongAnswer renders 512 KiB of prose and code.
func BenchmarkLongAnswer(b *testing.B) {
	const answer = "## Step\n\nSome **bold** prose with `code_x`, snake_case and a [link](http://e.com/a_b) that goes on and on.\n\n" +
		"```go\nfunc main() {\n\tfmt.Println(\"hello\", len(os.Args))\n}\n```\n\n- one\n- two\n\n"
	source := strings.Repeat(answer, 1<<19/len(answer))
	for name, s := range map[string]Options{"colour": colorful(80), "plain": {Unicode: true, Width: 80}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			s.Style = "dark"
			config := s.style()
			for b.Loop() {
				if _, err := layout(source, s, config, neverStopped); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
