package batch

import (
	"fmt"
	"testing"
)

// TestShardIsStable must never be changed: machines with different versions of hobnob may
// send the shards of one batch.
func TestShardIsStable(t *testing.T) {
	for _, tt := range []struct {
		id            string
		of2, of3, of8 int
	}{
		{"1", 2, 2, 2},
		{"2", 1, 2, 7},
		{"7", 1, 3, 7},
		{"7.0", 2, 2, 2},
		{"a", 1, 2, 3},
		{"row-1", 2, 3, 6},
		{"row-100000", 2, 2, 6},
		{"é", 2, 1, 4},
		{"日本語", 2, 2, 4},
		{" ", 2, 2, 8},
		{"x\ny", 1, 1, 3},
		{"00000000-0000-0000-0000-000000000000", 1, 3, 5},
	} {
		for of, want := range map[int]int{2: tt.of2, 3: tt.of3, 8: tt.of8} {
			for number := 1; number <= of; number++ {
				if got := (Shard{number, of}).Has(tt.id); got != (number == want) {
					t.Errorf("shard %d/%d has %q: %v, want shard %d", number, of, tt.id, got, want)
				}
			}
		}
	}
}

func TestEachIDBelongsToOneShard(t *testing.T) {
	const ids = 10_000
	for _, of := range []int{1, 2, 3, 7, 8, 64} {
		counts := make([]int, of)
		for i := range ids {
			id, owners := fmt.Sprintf("row-%d", i), 0
			for number := 1; number <= of; number++ {
				if (Shard{number, of}).Has(id) {
					owners, counts[number-1] = owners+1, counts[number-1]+1
				}
			}
			if owners != 1 {
				t.Fatalf("%q belongs to %d of %d shards", id, owners, of)
			}
		}
		for number, count := range counts {
			if even := ids / of; count < even/2 || count > even*2 {
				t.Errorf("shard %d/%d has %d of %d rows", number+1, of, count, ids)
			}
		}
	}
}

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{
		"3/8": {3, 8}, "1/1": {1, 1}, "8/8": {8, 8}, "1000000/1000000": {1000000, 1000000},
	} {
		if got, err := ParseShard(text); err != nil || got != want || got.String() != text {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "/", "3", "0/8", "9/8", "3/0", "-1/8", "+3/8", "3/8/1", " 3/8", "3 / 8", "a/b", "1/1000001", "1/18446744073709551617", "0x1/8", "1_0/20"} {
		if got, err := ParseShard(text); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
	if all := (Shard{}); all.String() != "" || !all.Has("x") || !all.HasMalformed() {
		t.Error("the zero Shard does not have everything")
	}
	if !(Shard{1, 8}).HasMalformed() || (Shard{2, 8}).HasMalformed() {
		t.Error("malformed rows do not belong to the first shard alone")
	}
}
