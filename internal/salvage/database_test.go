package salvage

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// noteFiles returns the files of a database with many kinds of rows and a log that is
// not checkpointed, and its rows by id.
func noteFiles(t testing.TB, pageSize int) (db, wal []byte, want map[int64]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	conn, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	conn.SetMaxOpenConns(1)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(fmt.Sprintf(`PRAGMA page_size = %d; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0`, pageSize))
	exec(`CREATE TABLE notes(id INTEGER PRIMARY KEY, text TEXT, n INTEGER, data BLOB); CREATE INDEX by_text ON notes(text)`)
	random := rand.New(rand.NewPCG(1, uint64(pageSize)))
	want = map[int64]string{}
	for i := range 300 {
		if i == 200 {
			exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
		}
		id := random.Int64() >> random.IntN(63)
		if i%7 == 0 {
			id = -id
		}
		text := strings.Repeat("é", random.IntN(1+5<<random.IntN(12)))
		n := random.Int64()>>random.IntN(63) - 5
		exec(`INSERT OR REPLACE INTO notes VALUES(?, ?, ?, ?)`, id, text, n, []byte{byte(i), 0, 0xff})
		want[id] = fmt.Sprintf("%s|%d|%x", text, n, []byte{byte(i), 0, 0xff})
	}
	for suffix, into := range map[string]*[]byte{"": &db, "-wal": &wal} {
		if *into, err = os.ReadFile(path + suffix); err != nil {
			t.Fatal(err)
		}
	}
	return db, wal, want
}

func open(db, wal []byte) (*database, error) {
	return newDatabase(sectionOf(db), sectionOf(wal))
}

func sectionOf(data []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(data), 0, int64(len(data)))
}

// hasColumns returns a function that matches cells with n columns.
func hasColumns(n int) func(cell) bool { return func(c cell) bool { return len(c.types) == n } }

// notes returns the rows of the table in the format of noteFiles.
func notes(t testing.TB, f *database) map[int64]string {
	t.Helper()
	got := map[int64]string{}
	for _, o := range f.objects() {
		tree := f.tree(o.root)
		if !tree.complete {
			t.Errorf("the tree of %s is incomplete", o.name)
		}
		if o.name != "notes" {
			continue
		}
		for _, n := range tree.pages {
			p, err := f.page(n)
			if err != nil {
				t.Fatal(err)
			}
			cells, ok := p.cells()
			if !ok {
				t.Errorf("page %d has unreadable cells", n)
			}
			for _, c := range cells {
				if !p.hasRows() {
					continue
				}
				row, err := c.row()
				if err != nil {
					t.Fatal(err)
				}
				got[c.rowid] = fmt.Sprintf("%s|%d|%x", row[1].data, row[2].n, row[3].data)
			}
		}
	}
	return got
}

func wantNotes(t testing.TB, what string, f *database, want map[int64]string) {
	t.Helper()
	got := notes(t, f)
	if len(got) != len(want) {
		t.Errorf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for id, row := range want {
		if got[id] != row {
			t.Errorf("%s: row %d is %.60q, want %.60q", what, id, got[id], row)
		}
	}
}

func TestIntactFileReadsLikeSQLite(t *testing.T) {
	for _, size := range []int{512, 1024, 4096, 65536} {
		db, wal, want := noteFiles(t, size)
		f, err := open(db, wal)
		if err != nil {
			t.Fatal(err)
		}
		wantNotes(t, fmt.Sprint("page size ", size), f, want)
		if n := f.log.damaged; n != 0 {
			t.Errorf("page size %d: %d damaged frames in an intact log", size, n)
		}
	}
}

func TestReadWithoutHeaders(t *testing.T) {
	db, wal, want := noteFiles(t, 1024)
	clear(db[:100])
	clear(wal[:32])
	f, err := open(db, wal)
	if err != nil {
		t.Fatal(err)
	}
	wantNotes(t, "without headers", f, want)
}

// Damage within one 32-bit word of the log is corrected completely, wherever it is.
func TestLogCorrectsOneWord(t *testing.T) {
	db, wal, want := noteFiles(t, 512)
	random := rand.New(rand.NewPCG(5, 6))
	step := max(1, len(wal)/4/700)
	for word := 0; word+4 <= len(wal)-4; word += 4 * step {
		broken := bytes.Clone(wal)
		binary.LittleEndian.PutUint32(broken[word:], binary.LittleEndian.Uint32(wal[word:])^(1<<random.IntN(32)|random.Uint32()))
		f, err := open(db, broken)
		if err != nil {
			t.Fatal(err)
		}
		if f.log.damaged == 0 {
			t.Errorf("word at %d: the damage was not detected", word)
		}
		wantNotes(t, fmt.Sprint("word at ", word), f, want)
		if t.Failed() {
			return
		}
	}
}

func TestTornLogEndIsNotCommitted(t *testing.T) {
	db, wal, want := noteFiles(t, 512)
	for _, cut := range []int{1, 100, 512 + 24 - 1} {
		f, err := open(db, append(bytes.Clone(wal), wal[len(wal)-512-24:len(wal)-cut]...))
		if err != nil {
			t.Fatal(err)
		}
		wantNotes(t, fmt.Sprint("cut ", cut), f, want)
		if n := f.log.damaged; n != 0 {
			t.Errorf("torn end: %d damaged frames", n)
		}
	}
}

// A full disk or a killed process leaves the header of a frame without its page.
func TestIncompleteFrameIsNotCommitted(t *testing.T) {
	db, wal, want := noteFiles(t, 512)
	incomplete := bytes.Clone(wal[len(wal)-512-24:])
	binary.BigEndian.PutUint32(incomplete[4:], 0) // not a commit frame
	for i := 24; i < len(incomplete); i++ {
		incomplete[i] ^= byte(i)
	}
	f, err := open(db, append(wal, incomplete...))
	if err != nil {
		t.Fatal(err)
	}
	wantNotes(t, "incomplete frame", f, want)
	if n := f.log.damaged; n != 0 {
		t.Errorf("incomplete frame: %d damaged frames", n)
	}
}

func TestSearchFindsRowsByShape(t *testing.T) {
	db, _, _ := noteFiles(t, 1024)
	f, err := open(db, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := notes(t, f)
	broken := bytes.Clone(db)
	for n := uint32(2); n <= f.pages; n++ {
		if p, err := f.page(n); err == nil && p.hasRows() {
			offset := int(n-1) * f.pageSize
			clear(broken[offset : offset+8])
		}
	}
	if f, err = open(broken, nil); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{} // including old copies that are not overwritten yet
	for n := uint32(2); n <= f.pages; n++ {
		p, _ := f.page(n)
		for _, c := range p.search(hasColumns(4)) {
			if row, err := c.row(); err == nil && row[0].kind == kindNull {
				found[fmt.Sprintf("%d|%s|%d|%x", c.rowid, row[1].data, row[2].n, row[3].data)] = true
			}
		}
	}
	for id, row := range want {
		if !found[fmt.Sprintf("%d|%s", id, row)] {
			t.Errorf("row %d was not found: %.60q", id, row)
		}
	}
}

// FuzzDatabase reads arbitrary bytes as a database and its log. Reading must not
// panic, loop forever or return more row data than the pages can hold when each is
// read a few times.
func FuzzDatabase(f *testing.F) {
	db, wal, _ := noteFiles(f, 512)
	f.Add(db[:20*512], wal[:32+10*(24+512)])
	f.Add(db[:512], []byte{})
	f.Add([]byte{}, wal[:2000])
	f.Fuzz(func(t *testing.T, db, wal []byte) {
		if len(db)+len(wal) > 64<<10 {
			return
		}
		file, err := open(db, wal)
		if err != nil {
			return
		}
		file.objects()
		file.isNewer()
		if len(file.freePages()) > int(file.pages) {
			t.Error("more free pages than pages")
		}
		total := 0
		read := func(p page) {
			cells, _ := p.cells()
			for _, c := range append(cells, p.search(func(c cell) bool { return len(c.types) >= 3 && len(c.types) <= 5 })...) {
				row, err := c.row()
				if err != nil {
					continue
				}
				for _, v := range row {
					total += len(v.data)
				}
			}
			if len(p.search(hasColumns(4))) > 65536 {
				t.Error("more rows on a page than bytes")
			}
		}
		for n := uint32(1); n <= file.pages; n++ {
			if tree := file.tree(n); len(tree.pages) > int(file.pages) {
				t.Error("a tree has more pages than the file")
			}
			if p, err := file.page(n); err == nil {
				read(p)
			}
		}
		for p := range file.olderPages() {
			read(p)
		}
		// A row may start at each offset of each page; maxReads limits its data on
		// other pages.
		if bound := (len(db) + len(wal)) * (16 + 65536/8); total > bound {
			t.Errorf("%d bytes of rows from %d bytes of input", total, len(db)+len(wal))
		}
	})
}
