package cmd

import (
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestArchitecturePicture draws docs/architecture.svg from the imports that `go list`
// prints: a box for each package, above all packages that it imports, and an arrow for
// each import that is not implied by others. With HOBNOB_TEST_UPDATE=1 it writes the
// file, otherwise it compares.
func TestArchitecturePicture(t *testing.T) {
	got := drawPackages(importsOf(t))
	path := filepath.Join("..", "docs", "architecture.svg")
	if os.Getenv("HOBNOB_TEST_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is stale: run HOBNOB_TEST_UPDATE=1 go test ./cmd -run TestArchitecturePicture", path)
	}
}

// importsOf returns the packages that each package of hobnob imports. It excludes
// tests, the programs of the documentation, and leaves.
func importsOf(t *testing.T) map[string][]string {
	t.Helper()
	imports := map[string][]string{}
	for _, file := range sourceFiles(t) {
		if file.test || strings.HasPrefix(file.pkg, "docs") || slices.Contains(leaves, file.pkg) {
			continue
		}
		from := shortName(file.pkg)
		imports[from] = slices.Concat(imports[from])
		for _, imported := range file.imports {
			inner, ok := strings.CutPrefix(imported, module+"/")
			if to := shortName(inner); ok && inner != "docs" && !slices.Contains(leaves, inner) && !slices.Contains(imports[from], to) {
				imports[from] = append(imports[from], to)
			}
		}
	}
	return imports
}

// shortName returns the name of a package in the picture.
func shortName(pkg string) string {
	if pkg == "." {
		return "main"
	}
	return strings.TrimPrefix(pkg, "internal/")
}

// Sizes in pixels.
const (
	boxWidth, boxHeight = 104, 34
	gapX, gapY          = 14, 56
	margin              = 24
)

// node is a box or, without a name, a bend of an arrow that passes a row.
type node struct {
	name  string
	x, y  int // the middle of the upper edge
	above []*node
}

func (n *node) width() int {
	if n.name == "" {
		return 6
	}
	return boxWidth
}

func drawPackages(imports map[string][]string) string {
	rows := connect(layers(imports), withoutShortcuts(imports))
	width := 0
	for _, row := range rows {
		width = max(width, rowWidth(row)+2*margin)
	}
	for y, row := range rows {
		order(row)
		left := (width - rowWidth(row)) / 2
		for _, n := range row {
			n.x, n.y = left+n.width()/2, margin+y*(boxHeight+gapY)
			left += n.width() + gapX
		}
	}
	ground := margin + len(rows)*(boxHeight+gapY)
	height := ground + 2*boxHeight + margin

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="13">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>The packages of hobnob and what they import</title>\n")
	fmt.Fprintf(&b, `<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" fill="#56708c"/></marker></defs>`+"\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	for _, n := range slices.Concat(rows...) {
		for _, from := range n.above {
			arrow(&b, from, n)
		}
	}
	for _, n := range slices.Concat(rows...) {
		if n.name != "" {
			box(&b, n.x-boxWidth/2, n.y, boxWidth, boxHeight, "#eef3f8", "#56708c")
			words(&b, n.x, n.y+boxHeight/2+5, n.name)
		}
	}
	box(&b, margin, ground, width-2*margin, 2*boxHeight, "#f6f3ea", "#a08c56")
	var names []string
	for _, leaf := range leaves {
		names = append(names, shortName(leaf))
	}
	words(&b, width/2, ground+boxHeight-6, "leaves, which any package may import and which know nothing of the others:")
	words(&b, width/2, ground+boxHeight+16, strings.Join(names, ", "))
	b.WriteString("</svg>\n")
	return b.String()
}

func rowWidth(row []*node) int {
	width := (len(row) - 1) * gapX
	for _, n := range row {
		width += n.width()
	}
	return width
}

// connect creates the nodes of packages, and bends where an arrow passes a row.
func connect(rows [][]string, arrows map[string][]string) [][]*node {
	out, byName, rowOf := make([][]*node, len(rows)), map[string]*node{}, map[string]int{}
	for y, row := range rows {
		for _, name := range row {
			byName[name], rowOf[name] = &node{name: name}, y
			out[y] = append(out[y], byName[name])
		}
	}
	for _, from := range slices.Sorted(maps.Keys(arrows)) {
		for _, to := range slices.Sorted(slices.Values(arrows[from])) {
			last := byName[from]
			for y := rowOf[from] + 1; y < rowOf[to]; y++ {
				bend := &node{above: []*node{last}}
				out[y], last = append(out[y], bend), bend
			}
			byName[to].above = append(byName[to].above, last)
		}
	}
	return out
}

// order sorts a row so that nodes are below those that point to them and few arrows
// cross. The rows above are already sorted.
func order(row []*node) {
	wanted := func(n *node) int {
		sum := 0
		for _, from := range n.above {
			sum += from.x
		}
		return sum / max(1, len(n.above))
	}
	slices.SortStableFunc(row, func(a, b *node) int { return wanted(a) - wanted(b) })
}

// arrow draws a curve between two rows, with a head at a box.
func arrow(b *strings.Builder, from, to *node) {
	y, end, head := from.y+boxHeight, to.y, ""
	if to.name != "" {
		end, head = to.y-2, ` marker-end="url(#head)"`
	}
	bend := (end - y) / 2
	fmt.Fprintf(b, `<path d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="#56708c"%s/>`+"\n", from.x, y, from.x, y+bend, to.x, end-bend, to.x, end, head)
	if to.name == "" {
		fmt.Fprintf(b, `<path d="M%d %dv%d" stroke="#56708c"/>`+"\n", to.x, end, boxHeight)
	}
}

func box(b *strings.Builder, x, y, width, height int, fill, stroke string) {
	fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" rx="5" fill="%s" stroke="%s"/>`+"\n", x, y, width, height, fill, stroke)
}

func words(b *strings.Builder, x, y int, text string) {
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle" fill="#1d2733">%s</text>`+"\n", x, y, html.EscapeString(text))
}

// withoutShortcuts removes imports that are implied by others.
func withoutShortcuts(imports map[string][]string) map[string][]string {
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		return slices.ContainsFunc(imports[from], func(next string) bool { return next == to || reaches(next, to) })
	}
	out := map[string][]string{}
	for from, all := range imports {
		for _, to := range all {
			if !slices.ContainsFunc(all, func(other string) bool { return other != to && reaches(other, to) }) {
				out[from] = append(out[from], to)
			}
		}
	}
	return out
}

// layers puts every package into the lowest row above all packages that it imports.
func layers(imports map[string][]string) [][]string {
	var height func(name string) int
	height = func(name string) int {
		h := 0
		for _, to := range imports[name] {
			h = max(h, height(to)+1)
		}
		return h
	}
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(imports)) {
		h := height(name)
		for len(rows) <= h {
			rows = append(rows, nil)
		}
		rows[h] = append(rows[h], name)
	}
	slices.Reverse(rows)
	return rows
}
