package terminal

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestExceeds(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"empty", "", false},
		{"one line", "a\n", false},
		{"all rows but the prompt", strings.Repeat("a\n", 9), false},
		{"one line more", strings.Repeat("a\n", 10), true},
		{"one line more without newline", strings.Repeat("a\n", 9) + "a", true},
		{"full lines", strings.Repeat(strings.Repeat("a", 20)+"\n", 9), false},
		{"longer lines", strings.Repeat(strings.Repeat("a", 21)+"\n", 5), true},
		{"one long line", strings.Repeat("a", 181), true},
		{"one line that fits", strings.Repeat("a", 180), false},
		{"wide characters", strings.Repeat(strings.Repeat("世", 10)+"\n", 9), false},
		{"more wide characters", strings.Repeat(strings.Repeat("世", 11)+"\n", 5), true},
		{"wide character at the edge", strings.Repeat("a"+strings.Repeat("世", 10)+"\n", 5), true},
		{"combining marks", strings.Repeat(strings.Repeat("e\u0301", 20)+"\n", 9), false},
		{"joined emoji", strings.Repeat(strings.Repeat("👨‍👩‍👧", 10)+"\n", 9), false},
		{"colours", strings.Repeat("\x1b[1;38;5;200m"+strings.Repeat("a", 20)+"\x1b[0m\n", 9), false},
		{"tabs", strings.Repeat("\t\t\t\t\n", 9), false},
		{"text after a tab", strings.Repeat("\t\taaaaa\n", 5), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := exceeds(c.text, 9, 20); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
	if exceeds(strings.Repeat("a\n", 1000), -1, 80) {
		t.Error("text exceeds a terminal of unknown size")
	}
}

func TestWrappedRowsCountsRepeatedCharacters(t *testing.T) {
	for _, text := range []string{"1️⃣", "#️⃣ *️⃣", "a\ufe0f", " \ufe0f", "e\u0301e", "x\u200dy", "plain"} {
		if got := wrappedRows(strings.Repeat(text, 7), ansi.StringWidth(text)); got != 7 {
			t.Errorf("%q takes %d rows, want 7", text, got)
		}
	}
}

func TestPagerFromEnvironment(t *testing.T) {
	for _, c := range []struct {
		name  string
		pairs []string
		want  string
	}{
		{"HOBNOB_PAGER", []string{"HOBNOB_PAGER=more", "PAGER=less"}, "more"},
		{"PAGER", []string{"PAGER= less -S "}, "less -S"},
		{"PAGER is cat", []string{"PAGER=cat"}, ""},
		{"HOBNOB_PAGER is cat", []string{"HOBNOB_PAGER=cat", "PAGER=less"}, ""},
		{"empty HOBNOB_PAGER", []string{"HOBNOB_PAGER=", "PAGER=less"}, ""},
		{"empty PAGER", []string{"PAGER="}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, pair := range c.pairs {
				key, value, _ := strings.Cut(pair, "=")
				t.Setenv(key, value)
			}
			if got := pagerOf(environment(c.pairs...)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPagerEnvironmentIsSafe(t *testing.T) {
	got := pagerEnv([]string{"HOME=/h", "LESSOPEN=||-evil %s", "LESSCLOSE=evil", "LESSSECURE=0", "LESSSECURE_ALLOW=shell", "LESSKEY=/k", "TERM=x"})
	if want := []string{"HOME=/h", "LESSKEY=/k", "TERM=x", "LESS=FRX", "LESSSECURE=1", "LESSCHARSET=utf-8"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got = pagerEnv([]string{"LESS=-iM"})
	if want := []string{"LESS=R -iM", "LESSSECURE=1", "LESSCHARSET=utf-8"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPageWritesDirectlyWithoutPager(t *testing.T) {
	t.Setenv("HOBNOB_PAGER", "exit 3")
	long := strings.Repeat("a line\n", 100)
	for name, s := range map[string]*Streams{
		"pipe":          {Width: 20, Height: 10},
		"dumb terminal": {Width: 20, Height: 10, OutTTY: true, Dumb: true},
		"unknown size":  {Width: 20, OutTTY: true},
		"pager fails before it reads": {Width: 20, Height: 10, OutTTY: true, Err: &bytes.Buffer{},
			env: environment("HOBNOB_PAGER=exit 3")},
		"missing pager": {Width: 20, Height: 10, OutTTY: true, Err: &bytes.Buffer{},
			env: environment("HOBNOB_PAGER=no-such-pager")},
		"missing pager with options": {Width: 20, Height: 10, OutTTY: true, Err: &bytes.Buffer{},
			env: environment("HOBNOB_PAGER=no-such-pager --plain")},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			s.Out = &out
			if err := s.Page(long); err != nil || out.String() != long {
				t.Errorf("wrote %d bytes of %d: %v", out.Len(), len(long), err)
			}
		})
	}
}

func TestPageWritesTextOnce(t *testing.T) {
	// More than the capacity of a pipe, so that a pager can stop reading early.
	long := strings.Repeat("a line that is long enough for this\n", 10_000)
	for pager, want := range map[string]string{
		"cat; exit 0":                long,
		"cat; exit 1":                long,
		"head -c 36":                 long[:36],
		"head -c 36; exit 2":         long[:36],
		"exec 0<&-; exit 0":          "",
		"cat >/dev/null; kill -9 $$": "",
	} {
		t.Run(pager, func(t *testing.T) {
			var out bytes.Buffer
			s := &Streams{Width: 20, Height: 10, OutTTY: true, Out: &out, Err: &bytes.Buffer{}, env: environment("PAGER=" + pager)}
			if err := s.Page(long); err != nil || out.String() != want {
				t.Errorf("wrote %d bytes, want %d: %v", out.Len(), len(want), err)
			}
		})
	}
}

func TestSplitCommand(t *testing.T) {
	for line, want := range map[string][]string{
		"":                                      nil,
		"  ":                                    nil,
		"notepad":                               {"notepad"},
		"code --wait":                           {"code", "--wait"},
		" code  --wait\t-n ":                    {"code", "--wait", "-n"},
		`"C:\Program Files\Vim\gvim.exe" -f`:    {`C:\Program Files\Vim\gvim.exe`, "-f"},
		`C:\bin\vim.exe -c "set tw=0"`:          {`C:\bin\vim.exe`, "-c", "set tw=0"},
		`'C:\Program Files\x.exe' 'a b'`:        {`C:\Program Files\x.exe`, "a b"},
		`C:\"Program Files"\x.exe`:              {`C:\Program Files\x.exe`},
		`x --title="a b" --name='it is "it"'`:   {"x", "--title=a b", "--name='it", "is", "it'"},
		`x ""`:                                  {"x", ""},
		`C:\Users\O'Brien\ed.exe`:               {`C:\Users\O'Brien\ed.exe`},
		`\\server\share\ed.exe "\\server\a b\"`: {`\\server\share\ed.exe`, `\\server\a b\`},
	} {
		got, err := splitCommand(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("splitCommand(%q) = %q, want %q: %v", line, got, want, err)
		}
	}
	for _, line := range []string{`"`, `"C:\Program Files`, `x 'a`} {
		if got, err := splitCommand(line); err == nil {
			t.Errorf("splitCommand(%q) = %q, want an error", line, got)
		}
	}
}
