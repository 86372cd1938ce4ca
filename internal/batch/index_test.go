package batch

import (
	"fmt"
	"testing"
)

func BenchmarkIndex(b *testing.B) {
	x, err := newIndex(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	for i := 0; b.Loop(); i++ {
		if _, added, err := x.add(b.Context(), fmt.Sprintf("row-%08d", i*7919%100000000), i+1); err != nil || !added {
			b.Fatal(added, err)
		}
	}
}
