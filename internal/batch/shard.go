package batch

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/failure"
)

// maxShards is the maximum number of shards.
const maxShards = 1_000_000

// Shard is a part of the rows of a batch: those whose id it Has. The zero Shard has all.
type Shard struct {
	Number, Of int // Number is from 1 to Of
}

// ParseShard parses "3/8", the third of eight shards.
func ParseShard(text string) (Shard, error) {
	number, of, _ := strings.Cut(text, "/")
	s := Shard{}
	for _, part := range []struct {
		text string
		into *int
	}{{number, &s.Number}, {of, &s.Of}} {
		n, err := strconv.ParseUint(part.text, 10, 32) // rejects signs and spaces
		if err != nil || n < 1 || n > maxShards {
			return Shard{}, badShard(text)
		}
		*part.into = int(n)
	}
	if s.Number > s.Of {
		return Shard{}, badShard(text)
	}
	return s, nil
}

func badShard(text string) error {
	return failure.Usagef("for example: --shard 3/8", "invalid value %q for --shard: must be NUMBER/COUNT, with NUMBER from 1 to COUNT", text)
}

// String returns the form that ParseShard parses, or "" for the zero Shard.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Number, s.Of)
}

// ShardOf returns the shard of a row: the first eight bytes of the SHA-256 hash of its id,
// as a big-endian number, modulo of, plus 1. This never changes, because different versions
// of hobnob may send the shards of one batch.
func ShardOf(id string, of int) Shard {
	hash := sha256.Sum256([]byte(id))
	return Shard{Number: int(binary.BigEndian.Uint64(hash[:])%uint64(of)) + 1, Of: of}
}

// Has reports whether the row with an id belongs to s.
func (s Shard) Has(id string) bool {
	return s.Of <= 1 || s == ShardOf(id, s.Of)
}

// HasMalformed reports whether malformed rows belong to s. They have no id, so that all
// belong to the first shard.
func (s Shard) HasMalformed() bool { return s.Number <= 1 }
