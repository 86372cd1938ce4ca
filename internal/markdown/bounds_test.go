package markdown

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/glamour/styles"
)

// endless are texts that take goldmark, glamour or chroma a time that grows with
// the square of their size, made of n of their units.
var endless = map[string]func(n int) string{
	"addresses":   func(n int) string { return strings.Repeat("a.b-c_", n) + "@" },
	"emphasis":    func(n int) string { return strings.Repeat("a**b", n) },
	"underscores": func(n int) string { return strings.Repeat("*a_ ", n) },
	"lists":       func(n int) string { return strings.Repeat("- ", n) + "x" },
	"quotations":  func(n int) string { return strings.Repeat(">", n) },
	"links":       func(n int) string { return strings.Repeat("[*a*](b", n) },
	"definitions": func(n int) string { return strings.Repeat("[a]: b\n", n) },
	"a table of empty rows": func(n int) string {
		return strings.Repeat("|a", n) + "|\n" + strings.Repeat("|-", n) + "|\n" + strings.Repeat("|\n", n)
	},
	"escaped pipes": func(n int) string { return "|a|\n|-|\n" + strings.Repeat("|`\\|`|\n", n) },
	"code in Java":  func(n int) string { return "```java\n" + strings.Repeat("a\n", n) + "```" },
	"code blocks":   func(n int) string { return strings.Repeat("```\na\n```\n", n) },
}

func TestTextsThatTakeTooLongAreRefused(t *testing.T) {
	for _, name := range []string{
		"emphasis", "underscores", "lists", "quotations", "definitions", "a table of empty rows", "escaped pipes",
	} {
		_, err := layout(endless[name](15_000), colorful(80), styles.DarkStyleConfig, neverStopped)
		if !errors.Is(err, errUnrenderable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLongAnswersAreRendered(t *testing.T) {
	answer := "## Step\n\nSome **bold** prose with `code_x`, snake_case and a [link](http://e.com/a_b) [x].\n" +
		"- *one*\n  - two\n\n| a | b |\n|---|---|\n| 1 | `x\\|y` |\n\n[ref]: http://e.com\n\n"
	for name, text := range map[string]string{
		"an answer":         strings.Repeat(answer, 200),
		"a long paragraph":  strings.Repeat("Some **bold** prose with `code_x` and *emphasis*.\n", 500),
		"a rule of dashes":  strings.Repeat("- ", 200),
		"quotation signs":   "```\n" + strings.Repeat(">", 200) + "\n```",
		"a table":           "|a|b|c|d|\n|-|-|-|-|\n" + strings.Repeat("|1|2|3|4|\n", 500),
		"many definitions":  strings.Repeat("[a]: b\n", 200),
		"a hundred accents": "a" + strings.Repeat("\u0301", 100),
	} {
		if _, err := layout(text, Options{Unicode: true, Width: 80}, styles.ASCIIStyleConfig, neverStopped); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestARenderingThatIsGivenUpEnds asks nothing again after it was told to stop,
// wherever it is by then.
func TestARenderingThatIsGivenUpEnds(t *testing.T) {
	givenUp := errors.New("given up")
	for name, text := range endless {
		for _, after := range []int{0, 1, 10, 60} {
			asked := 0
			_, err := layout(text(60), colorful(80), styles.DarkStyleConfig, func() error {
				if asked++; asked > after {
					return givenUp
				}
				return nil
			})
			if asked > after && (!errors.Is(err, givenUp) || asked > after+2) {
				t.Errorf("%s, given up after %d questions: %d were asked, and the error is %v", name, after, asked, err)
			}
		}
	}
}

// BenchmarkHostileMarkdown shows how long texts of a MiB keep a processor busy:
// none much longer than renderLimit.
func BenchmarkHostileMarkdown(b *testing.B) {
	for name, text := range endless {
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

// BenchmarkLongAnswer renders half a MiB of prose and code.
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
