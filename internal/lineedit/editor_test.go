package lineedit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/terminal"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"one line", "one line", "one line"},
		{"ten lines", strings.Repeat("x\n", 9), strings.Repeat("x\n", 9)},
		{"eleven lines", strings.Repeat("x\n", 10), "[text #1: 11 lines]"},
		{"many characters", strings.Repeat("é", 2001), "[text #1: 2001 characters]"},
		{"tab", "a\tb", "[text #1: 3 characters]"},
		{"escape sequence", "\x1b[2J", "[text #1: 4 characters]"},
		{"bidi control", "a\u202eb", "[text #1: 3 characters]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var f folds
			placeholder := f.fold(c.text)
			if placeholder != c.want {
				t.Errorf("folded: %q, want %q", placeholder, c.want)
			}
			if again := f.fold(c.text); again != placeholder {
				t.Errorf("folded again: %q, want %q", again, placeholder)
			}
			if line := f.unfold("a " + placeholder + " b " + placeholder); line != "a "+c.text+" b "+c.text {
				t.Errorf("unfolded: %q", line)
			}
		})
	}
}

func TestFoldPartsOfEarlierLine(t *testing.T) {
	var f folds
	log, diff := strings.Repeat("x\n", 20), strings.Repeat("+ y\n", 30)
	line := "why " + f.fold(log) + " after " + f.fold(diff) + "?"
	if again := f.fold(f.unfold(line)); again != line {
		t.Errorf("folded again: %q, want %q", again, line)
	}
	for name, text := range map[string]string{
		"the rest is long":                 log + strings.Repeat("z", 2001),
		"the rest resembles a placeholder": log + "[text #1: 21 lines]",
	} {
		if placeholder := f.fold(text); strings.Contains(placeholder, "#1") || f.unfold(placeholder) != text {
			t.Errorf("%s: folded: %q", name, placeholder)
		}
	}
}

func FuzzFolds(f *testing.F) {
	f.Add("a\tb", "[text #1: 3 characters]")
	f.Add(strings.Repeat("line\n", 20), "two\n")
	f.Fuzz(func(t *testing.T, one, two string) {
		var folded folds
		line := folded.fold(one) + " and " + folded.fold(two)
		want := one + " and " + two
		if again := folded.unfold(folded.fold(want)); again != want && !strings.Contains(want, "[text #") {
			t.Errorf("folded again: got %q, want %q", again, want)
		}
		// A text that looks like a placeholder may be replaced.
		if strings.Contains(one+two, "[text #") {
			return
		}
		if got := folded.unfold(line); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if strings.ContainsFunc(strings.ReplaceAll(line, "\n", ""), terminal.Unsafe) {
			t.Errorf("the line %q contains control characters", line)
		}
	})
}

func TestLastRow(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"", 0}, {"abcde", 0}, {"abcdef", 1}, {"漢字", 0}, {"漢字漢", 1}, {"a\nb", 1}, {"abcdef\nabcdef", 3}, {strings.Repeat("a", 16), 2},
	} {
		if got := lastRow(c.text, 4, 10); got != c.want {
			t.Errorf("%q ends in row %d, want %d", c.text, got, c.want)
		}
	}
}

func TestSearchHistory(t *testing.T) {
	texts := []string{"old Apple", "a pear", "an apple", "Äpfel", "the end"}
	for _, c := range []struct{ keys, want string }{
		{"", ""},
		{"apple", "an apple"},
		{"apple<", "old Apple"},
		{"apple<<", "old Apple"},
		{"apple<>", "an apple"},
		{"Apple", "old Apple"},
		{"apples", ""},
		{"apples-", "an apple"},
		{"ÄPF", ""},
		{"Äpf", "Äpfel"},
		{"pear<", "a pear"},
		{"<", ""},
		{"x--", ""},
	} {
		s := matches{texts: texts, at: len(texts)}
		for _, key := range c.keys {
			switch key {
			case '<':
				s.step(-1)
			case '>':
				s.step(1)
			case '-':
				s.shorten()
			default:
				s.add(string(key))
			}
		}
		got := ""
		if s.found() {
			got = s.texts[s.at]
		}
		if got != c.want {
			t.Errorf("%q: found %q, want %q", c.keys, got, c.want)
		}
	}
}

func TestHistorySurvivesProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "input.jsonl")
	one := openHistory(t, path)
	for _, text := range []string{"first", "second\nline", "  ", "first", "third", "third"} {
		if err := one.Add(text); err != nil {
			t.Fatal(err)
		}
	}
	two := openHistory(t, path)
	want := []string{"second\nline", "first", "third"}
	if !slices.Equal(one.texts, want) || !slices.Equal(two.texts, want) {
		t.Errorf("the first history has %q, the second %q, want %q", one.texts, two.texts, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("other users can access the file: %v %v", info.Mode(), err)
	}
}

func TestOpenHistorySkipsInvalidLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "input.jsonl")
	if err := os.WriteFile(path, []byte("{\"text\":\"good\"}\nnot json\n\x00\xff\n{\"other\":1}\n{\"text\":\"cut o"), 0o600); err != nil {
		t.Fatal(err)
	}
	h := openHistory(t, path)
	if err := h.Add("new"); err != nil {
		t.Fatal(err)
	}
	if got := openHistory(t, path).texts; !slices.Equal(got, []string{"good", "new"}) {
		t.Errorf("got %q", got)
	}
}

func TestOpenHistoryShortensLongFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "input.jsonl")
	var data bytes.Buffer
	for n := range 1000 {
		fmt.Fprintf(&data, "{\"text\":\"%d %s\"}\n", n, strings.Repeat("x", 10_000))
	}
	if err := os.WriteFile(path, data.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	openHistory(t, path)
	after, err := os.ReadFile(path)
	if err != nil || len(after) > maxInputHistory/2 || !bytes.Contains(after, []byte(`"999 x`)) {
		t.Errorf("the file has %d bytes, %v", len(after), err)
	}
}

func openHistory(t *testing.T, path string) *History {
	t.Helper()
	h, err := OpenHistory(path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestPlainLines(t *testing.T) {
	const initial = "from before"
	for _, c := range []struct {
		name, typed, initial string
		want                 []string // one for each Read, until the input ends
	}{
		{"lines", "one\ntwo\r\n\nlast", "", []string{"one", "two", "", "last"}},
		{"quotes", "\"\"\"a\n b\n\"\"\"\nc\n", "", []string{"a\n b", "c"}},
		{"quotes on a line", "\"\"\"a\"\"\"\n", "", []string{"a"}},
		{"quotes inside", "put \"\"\" here\n", "", []string{"put \"\"\" here"}},
		{"Enter accepts initial text", "\nnext\n", initial, []string{initial, "next"}},
		{"other text replaces it", "other\n", initial, []string{"other"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var screen bytes.Buffer
			s := &terminal.Streams{In: strings.NewReader(c.typed), Out: io.Discard, Err: &screen}
			e := New(s)
			var got []string
			for first := c.initial; ; first = "" {
				text, err := e.Read(context.Background(), "> ", first, nil)
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, text)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if !strings.HasPrefix(screen.String(), "> ") && c.initial == "" {
				t.Errorf("the screen begins with %q", screen.String())
			}
		})
	}
}

func TestCtrlCLosesNoPlainLine(t *testing.T) {
	in, typing := io.Pipe()
	s := &terminal.Streams{In: in, Out: io.Discard, Err: io.Discard}
	e := New(s)
	interrupts := make(chan os.Signal, 1)
	interrupts <- os.Interrupt
	if _, err := e.Read(t.Context(), "> ", "", interrupts); !errors.Is(err, ErrInterrupted) {
		t.Fatalf("got %v", err)
	}
	go func() { _, _ = io.WriteString(typing, "after it\n") }()
	if text, err := e.Read(t.Context(), "> ", "", interrupts); err != nil || text != "after it" {
		t.Errorf("got %q, %v", text, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Read(ctx, "> ", "", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestOpenQuote(t *testing.T) {
	for text, want := range map[string]bool{
		`a """ b`: false, `"""`: true, `"""a`: true, "\"\"\"a\nb": true, "\"\"\"a\nb\"\"\"": false, `"""a"""`: false,
		`"""a""" is what?`: false, "\"\"\"a\n\"\"\"b\"\"\" c": true, `""""""`: false,
	} {
		if got := openQuote(text); got != want {
			t.Errorf("openQuote(%q) = %v, want %v", text, got, want)
		}
	}
}
