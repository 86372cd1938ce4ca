package terminal

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

var (
	tableColumns = []Column{{Title: "ID"}, {Title: "TITLE", Flexible: true}, {Title: "TURNS", Right: true}}
	tableRows    = [][]string{
		{"1a2b3c4d", "How to pipe\na file\t\x1b[2J", "3"},
		{"5e6f7a8b", "日本語のとても長い題名", "12"},
		{"9c"},
	}
)

func TestTableAlignsColumns(t *testing.T) {
	var out bytes.Buffer
	s := &Streams{Out: &out, OutTTY: true, UTF8: true, Width: 80}
	if err := s.Table(tableColumns, tableRows); err != nil {
		t.Fatal(err)
	}
	want := "" +
		"ID        TITLE                    TURNS\n" +
		"1a2b3c4d  How to pipe a file ␛[2J      3\n" +
		"5e6f7a8b  日本語のとても長い題名      12\n" +
		"9c\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

func TestTableFitsTerminal(t *testing.T) {
	for _, width := range []int{30, 38, 39} {
		for _, unicode := range []bool{true, false} {
			var out bytes.Buffer
			s := &Streams{Out: &out, OutTTY: true, OutColor: true, UTF8: unicode, Width: width}
			if err := s.Table(tableColumns, tableRows); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(out.String()) {
				if got := ansi.StringWidth(line); got > width {
					t.Errorf("%d columns: line of %d columns: %q", width, got, line)
				}
			}
			if title, _, _ := strings.Cut(out.String(), "\n"); !strings.HasPrefix(title, "\x1b[1m") || !strings.HasSuffix(title, cells.Reset) {
				t.Errorf("got titles %q", title)
			}
		}
	}
	var out bytes.Buffer
	s := &Streams{Out: &out, OutTTY: true, UTF8: true, Width: 30}
	if err := s.Table(tableColumns, tableRows); err != nil {
		t.Fatal(err)
	}
	want := "" +
		"ID        TITLE          TURNS\n" +
		"1a2b3c4d  How to pipe …      3\n" +
		"5e6f7a8b  日本語のとて…     12\n" +
		"9c\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

const tableRecords = "" +
	"ID: 1a2b3c4d\n" +
	"TITLE: How to pipe a file ␛[2J\n" +
	"TURNS: 3\n" +
	"\n" +
	"ID: 5e6f7a8b\n" +
	"TITLE: 日本語のとても長い題名\n" +
	"TURNS: 12\n" +
	"\n" +
	"ID: 9c\n" +
	"TITLE:\n" +
	"TURNS:\n"

func TestNarrowTableBecomesRecords(t *testing.T) {
	// The columns need at least 8, 10 and 5 columns, with 2 between them.
	for width, table := range map[int]bool{1: false, 5: false, 20: false, 26: false, 27: true, 28: true} {
		for _, color := range []bool{true, false} {
			var out bytes.Buffer
			s := &Streams{Out: &out, OutTTY: true, OutColor: color, UTF8: true, Width: width}
			if err := s.Table(tableColumns, tableRows); err != nil {
				t.Fatal(err)
			}
			if got := ansi.Strip(out.String()); table != strings.HasPrefix(got, "ID        TITLE") || !table && got != tableRecords {
				t.Errorf("%d columns: got\n%s", width, got)
			}
			if bold := strings.HasPrefix(out.String(), "\x1b[1mID"); bold != color {
				t.Errorf("%d columns: bold titles: %v, want %v", width, bold, color)
			}
		}
	}
	for _, accessible := range []bool{false, true} {
		long := strings.Repeat("a", 300)
		var out bytes.Buffer
		s := &Streams{Out: &out, OutTTY: true, UTF8: true, Accessible: accessible, Width: 60}
		if err := s.Table(tableColumns[1:], [][]string{{long, long}}); err != nil {
			t.Fatal(err)
		}
		want := "TITLE: " + long[:79] + "…\nTURNS: " + long + "\n"
		if accessible {
			want = "TITLE: " + long + "\nTURNS: " + long + "\n"
		}
		if out.String() != want {
			t.Errorf("got\n%s\nwant\n%s", &out, want)
		}
	}
}

func TestAccessibleTableIsRecords(t *testing.T) {
	for _, width := range []int{1, 30, 200} {
		var out bytes.Buffer
		s := &Streams{Out: &out, OutTTY: true, OutColor: true, UTF8: true, Accessible: true, Width: width}
		if err := s.Table(tableColumns, tableRows); err != nil {
			t.Fatal(err)
		}
		if out.String() != tableRecords {
			t.Errorf("%d columns: got\n%s", width, &out)
		}
	}
	for want, rows := range map[string][][]string{
		"NAME\nAGENT\n": nil,
		"NAME: a\nAGENT: b\nused\n\nNAME: c\nAGENT: d\n": {{"a", "b", "used"}, {"c", "d", ""}},
	} {
		var out bytes.Buffer
		s := &Streams{Out: &out, OutTTY: true, UTF8: true, Accessible: true}
		if err := s.Table([]Column{{Title: "NAME"}, {Title: "AGENT"}, {}}, rows); err != nil || out.String() != want {
			t.Errorf("got %q, want %q: %v", &out, want, err)
		}
	}
	var out bytes.Buffer
	s := &Streams{Out: &out, Accessible: true}
	if err := s.Table(tableColumns, tableRows[:1]); err != nil || out.String() != "1a2b3c4d\tHow to pipe a file ␛[2J\t3\n" {
		t.Errorf("in a pipe: got %q, %v", &out, err)
	}
}

func TestPipedTableIsTabSeparated(t *testing.T) {
	var out bytes.Buffer
	s := &Streams{Out: &out, OutColor: true, Width: 10}
	if err := s.Table(tableColumns, tableRows); err != nil {
		t.Fatal(err)
	}
	want := "1a2b3c4d\tHow to pipe a file ␛[2J\t3\n5e6f7a8b\t日本語のとても長い題名\t12\n9c\t\t\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

type brokenPipe struct{}

var errBroken = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }

func TestTableReportsWriteError(t *testing.T) {
	if err := (&Streams{Out: brokenPipe{}}).Table(tableColumns, tableRows); !errors.Is(err, errBroken) {
		t.Errorf("err = %v", err)
	}
	if err := (&Streams{Out: brokenPipe{}}).Table(nil, nil); err != nil {
		t.Errorf("a table without columns: %v", err)
	}
}
