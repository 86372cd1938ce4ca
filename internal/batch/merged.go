package batch

import (
	"fmt"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/plural"
)

// Merged reports what a Merge found. Its form as JSON is stable.
type Merged struct {
	Version    int `json:"version"`
	Answered   int `json:"answered"`
	Failed     int `json:"failed"`
	Unknown    int `json:"unknown"`
	Malformed  int `json:"malformed"`
	Duplicates int `json:"duplicates"` // answers to ids that another row answers too
	Missing    int `json:"missing"`    // rows of the input without a result
	Foreign    int `json:"foreign"`    // results that are not in the input, which are left out

	// MissingShards are shards without a row. Unfinished are outputs of batches that still
	// run or were stopped, and Empty are those without a row.
	MissingShards []string `json:"missing_shards"`
	Unfinished    []string `json:"unfinished"`
	Empty         []string `json:"empty"`

	duplicateIDs []string // the first ones
	missingLines []int    // the first ones
}

func (m *Merged) count(outcome Outcome) {
	switch outcome {
	case Answered:
		m.Answered++
	case Failed:
		m.Failed++
	case Unknown:
		m.Unknown++
	case Malformed:
		m.Malformed++
	}
}

// Stats returns the counts of the merged rows.
func (m Merged) Stats() Stats {
	return Stats{Answered: m.Answered, Failed: m.Failed, Unknown: m.Unknown, Malformed: m.Malformed}
}

// Err returns nil if each row is answered exactly once, otherwise an error of kind
// failure.Rows.
func (m Merged) Err() error {
	problems := m.problems()
	if len(problems) == 0 {
		return nil
	}
	return failure.New(failure.Rows, m.hint(), "merged with problems: "+strings.Join(problems, "; "))
}

func (m Merged) problems() []string {
	var all []string
	add := func(n int, format string, args ...any) {
		if n > 0 {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	shards, empty := "shard %s is missing%s", ""
	if len(m.MissingShards) > 1 {
		shards = "shards %s are missing%s"
	}
	if len(m.Empty) > 0 {
		empty = fmt.Sprintf(" (no rows in %s)", examples(m.Empty, len(m.Empty)))
	}
	add(len(m.MissingShards), shards, examples(m.MissingShards, len(m.MissingShards)), empty)
	add(len(m.Unfinished), "not finished: %s", examples(m.Unfinished, len(m.Unfinished)))
	add(m.Missing, "%s of the input without a result (line %s)", plural.Count(m.Missing, "row"), examples(m.missingLines, m.Missing))
	add(m.Foreign, "%s not in the input", plural.Count(m.Foreign, "row"))
	add(m.Duplicates, "%s (id %s)", plural.Count(m.Duplicates, "duplicate answer"), examples(m.duplicateIDs, m.Duplicates))
	add(m.Failed, "%d failed", m.Failed)
	add(m.Unknown, "%d with an unknown outcome", m.Unknown)
	add(m.Malformed, "%d malformed", m.Malformed)
	return all
}

// hint returns what to do about the first problem.
func (m Merged) hint() failure.Hint {
	switch {
	case len(m.Unfinished) > 0:
		return failure.Plain("finish the batch with --resume, then merge again")
	case len(m.MissingShards) > 0:
		return failure.Hintf("run it, then merge again: %s", failure.Run("hobnob batch FILE --shard %[1]s -o OUT", m.MissingShards[0]))
	case m.Malformed > 0:
		return failure.Plain("fix the malformed rows, run the batch again with --resume, then merge again")
	case m.Missing+m.Failed > 0:
		return failure.Plain("run the batch again with --resume, then merge again")
	case m.Unknown > 0:
		return failure.Plain("to send rows with an unknown outcome again, run the batch with --resume --resend-unknown")
	case m.Foreign > 0:
		return failure.Plain("pass the input of these outputs: --input FILE")
	}
	return failure.Plain("the merged output has the first answer to each row") // of duplicates
}

// examples lists the first of n values.
func examples[T any](values []T, n int) string {
	shown := values[:min(len(values), maxExamples)]
	texts := make([]string, len(shown))
	for i, value := range shown {
		texts[i] = fmt.Sprint(value)
	}
	text := strings.Join(texts, ", ")
	if more := n - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
