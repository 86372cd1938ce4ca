package picker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hobnob-cli/hobnob/internal/history"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// numberedPart answers a search in n conversations. A text of digits is their number.
func numberedPart(r request, n int) part {
	if r.text != "" {
		n = len(r.text) % 7
	}
	found := part{text: r.text, offset: r.offset, wanted: r.limit, total: n}
	for i := r.offset; i < min(r.offset+r.limit, n); i++ {
		found.conversations = append(found.conversations, history.Conversation{ID: fmt.Sprintf("%08d", i), Title: fmt.Sprintf("\x1b[2Jtitle 標題 %d\u202e", i)})
	}
	return found
}

// Checks that after any keys, the selection is in the list and on the screen, and that
// the lines fit on the screen.
func FuzzKeys(f *testing.F) {
	for _, keys := range []string{"abc\r", "\x1b[B\x1b[B\r", "\x1b[F\x1b[5~\x1b[H", "\x1b[200~a\r\nb\x1b[201~\x7f\x17\x15", "\x1b]11;rgb:ff/f\a", "標\x80\xff\x1b", "\x03", "x\x1bOA\x1a", "a\rb\x1b[A"} {
		f.Add(keys, uint8(3), uint8(80), uint8(24), uint16(10_000))
		f.Add(keys, uint8(1), uint8(40), uint8(15), uint16(3))
		f.Add(keys, uint8(0), uint8(1), uint8(1), uint16(0))
	}
	f.Fuzz(func(t *testing.T, keys string, step, columns, height uint8, n uint16) {
		p := Picker{IO: &terminal.Streams{UTF8: height%2 == 0}}
		l := &list{}
		for keys != "" {
			typed := keys[:min(int(step)%5+1, len(keys))]
			keys = keys[len(typed):]
			what := l.typed(typed)
			look := lookOf(int(columns), int(height))
			l.resize(look.rows)
			check(t, p, look, l)
			for rounds := 0; step%3 > 0; rounds++ {
				r := l.need()
				if r.limit == 0 {
					break
				}
				if rounds > 3 {
					t.Fatalf("%d searches, the last one is %+v", rounds, r)
				}
				what = max(what, l.show(numberedPart(r, int(n))))
				check(t, p, look, l)
			}
			if what == choose {
				if _, ok := l.selected(); !ok {
					t.Fatalf("nothing was chosen at %d of %d", l.at, l.total())
				}
				return
			}
		}
	})
}

func check(t *testing.T, p Picker, look look, l *list) {
	t.Helper()
	if l.at < 0 || l.at >= max(l.total(), 1) || l.top > l.at || l.at >= l.top+l.rows {
		t.Fatalf("%d of %d is selected, and %d rows from %d on are on the screen", l.at, l.total(), l.rows, l.top)
	}
	shown := preview{text: "one\n標題\n" + strings.Repeat("long ", 100)}
	if c, ok := l.selected(); ok {
		shown.id = c.ID
	}
	lines, cursor := p.lines(look, l, shown)
	if len(lines) != look.height && look.columns > 0 || cursor >= max(look.columns, 1) {
		t.Fatalf("%d lines on a screen of %d, the cursor is at %d of %d", len(lines), look.height, cursor, look.columns)
	}
	for _, line := range lines {
		if terminal.Width(line) > look.columns {
			t.Fatalf("%q has more than %d columns", line, look.columns)
		}
		if plain := strings.NewReplacer("\x1b[7m", "", "\x1b[0m", "").Replace(line); strings.ContainsFunc(plain, func(r rune) bool { return r == '\n' || r == '\t' || terminal.Unsafe(r) }) {
			t.Fatalf("%q is not clean", line)
		}
	}
}
