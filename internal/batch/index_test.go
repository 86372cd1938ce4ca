package batch

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func openIndex(t testing.TB) *index {
	t.Helper()
	x, err := newIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.close)
	return x
}

// An index agrees with a map, whether its ids are in the database yet or not.
func TestIndexIsMap(t *testing.T) {
	x, want := openIndex(t), map[string]int{}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 20_000 {
		id, line := fmt.Sprint("id ", random.IntN(8_000)), i
		if i < 1_000 {
			line = recordedUnknown
		}
		before, known := want[id]
		first, added, err := x.add(t.Context(), id, line)
		if err != nil || added == known || known && first != before {
			t.Fatalf("add(%q, %d): %d, %v, %v; want %d, %v", id, line, first, added, err, before, !known)
		}
		if !known || isRecorded(before) && !isRecorded(line) {
			want[id] = line
		}
	}
	for i := range 10_000 {
		id := fmt.Sprint("id ", i)
		_, known := want[id]
		if found, err := x.has(t.Context(), id); err != nil || found != known {
			t.Fatalf("has(%q): %v, %v; want %v", id, found, err, known)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	x := openIndex(b)
	for i := 0; b.Loop(); i++ {
		if _, added, err := x.add(b.Context(), fmt.Sprintf("row-%08d", i*7919%100000000), i+1); err != nil || !added {
			b.Fatal(added, err)
		}
	}
}
