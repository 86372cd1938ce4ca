package batch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// Merge joins the outputs of several runs of a batch, such as those of its shards. Of
// several rows with the same id it takes an answered one, otherwise one with an unknown
// outcome, otherwise a failed one, and of several such rows the first. Its memory does not
// grow with the outputs.
type Merge struct {
	names   []string
	outputs []*os.File
	input   *Input // nil for rows in the order of the outputs
	index   *mergeIndex

	merged Merged
	shards map[int]map[int]bool // numbers of the shards with rows, by the number of all
	gaps   map[Shard]int        // rows of the input without a result
}

// NewMerge opens the outputs with these names. If in is not nil, the merged rows are those
// of this input, in its order.
func NewMerge(ctx context.Context, names []string, in *Input) (*Merge, error) {
	m := &Merge{names: names, input: in, merged: Merged{Version: 1, MissingShards: []string{}, Unfinished: []string{}, Empty: []string{}}, shards: map[int]map[int]bool{}, gaps: map[Shard]int{}}
	err := m.open(ctx)
	if err != nil {
		m.Close()
	}
	return m, err
}

func (m *Merge) open(ctx context.Context) (err error) {
	for _, name := range m.names {
		file, err := input.Open(name)
		if err != nil {
			return failure.Usagef("pass the output files of the batch", "cannot read %s: %v", name, failure.Reason(err))
		}
		m.outputs = append(m.outputs, file)
		for i, other := range m.outputs[:len(m.outputs)-1] {
			if isSameFile(file, other) {
				return failure.Usagef("pass each output once", "%s and %s are the same file", m.names[i], name)
			}
		}
	}
	m.index, err = newMergeIndex(ctx)
	return err
}

func isSameFile(one, other *os.File) bool {
	a, err1 := one.Stat()
	b, err2 := other.Stat()
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// reads reports whether the file with this name is an output or the input of the merge.
func (m *Merge) reads(name string) bool {
	file, err := os.Stat(name)
	return err == nil && (m.input != nil && m.input.is(name) || slices.ContainsFunc(m.outputs, func(f *os.File) bool {
		output, err := f.Stat()
		return err == nil && os.SameFile(output, file)
	}))
}

// Close closes the outputs.
func (m *Merge) Close() {
	for _, file := range m.outputs {
		_ = file.Close()
	}
	if m.index != nil {
		m.index.close()
	}
}

// Write writes the merged rows and returns what it found. It must be called once.
func (m *Merge) Write(ctx context.Context, w io.Writer) (Merged, error) {
	for i := range m.outputs {
		if err := m.read(ctx, i); err != nil {
			return m.merged, err
		}
	}
	out := bufio.NewWriterSize(w, 256<<10)
	var err error
	if m.input == nil {
		err = m.index.each(ctx, func(at place) error { return m.copy(out, at) })
	} else {
		err = m.writeInput(ctx, out)
	}
	if err == nil {
		err = cli.OutputError(out.Flush())
	}
	if err != nil {
		return m.merged, err
	}
	m.merged.MissingShards = m.missingShards()
	return m.merged, nil
}

// read adds the rows of an output to the index.
func (m *Merge) read(ctx context.Context, i int) error {
	empty := true
	end, whole, err := scanResults(m.names[i], m.outputs[i], func(r record) error {
		empty = false
		if shard, err := ParseShard(r.Shard); err == nil {
			if m.shards[shard.Of] == nil {
				m.shards[shard.Of] = map[int]bool{}
			}
			m.shards[shard.Of][shard.Number] = true
		}
		key := lineKey(r.Line)
		if r.ID != nil {
			key = idKey(*r.ID)
		}
		added, err := m.index.add(ctx, key, place{outcome: r.Outcome(), file: i, start: r.start, size: len(r.line)})
		if err == nil && !added && r.Outcome() == Answered {
			m.merged.Duplicates++
			m.merged.duplicateIDs = appendExample(m.merged.duplicateIDs, *r.ID)
		}
		return errors.Join(err, ctx.Err())
	})
	var foreign *resultError
	if errors.As(err, &foreign) {
		return failure.Usagef("pass the output files of the batch", "cannot merge %s: %v", m.names[i], foreign)
	}
	if err != nil {
		return err
	}
	if empty {
		m.merged.Empty = append(m.merged.Empty, m.names[i])
	}
	info, err := m.outputs[i].Stat()
	_, serr := os.Lstat(m.names[i] + sendingSuffix)
	if serr == nil || err == nil && whole && info.Size() > end {
		m.merged.Unfinished = append(m.merged.Unfinished, m.names[i])
	}
	return nil
}

// copy writes a row of an output.
func (m *Merge) copy(out io.Writer, at place) error {
	m.merged.count(at.outcome)
	row := make([]byte, at.size)
	n, err := m.outputs[at.file].ReadAt(row, at.start)
	if n == at.size-1 && errors.Is(err, io.EOF) { // the last row may have no newline
		row[n], err = '\n', nil
	}
	if err != nil {
		return readError(m.names[at.file], err)
	}
	_, err = out.Write(row)
	return cli.OutputError(err)
}

// writeInput writes the results of the rows of the input, and records which are missing.
func (m *Merge) writeInput(ctx context.Context, out io.Writer) error {
	rows := m.input.rows(ctx)
	for {
		row, err := rows.Next()
		key, line := idKey(row.ID), row.Line
		var malformed *RowError
		switch {
		case errors.Is(err, io.EOF):
			m.merged.Foreign, err = m.index.unused(ctx)
			return err
		case errors.As(err, &malformed):
			key, line = lineKey(malformed.Line), malformed.Line
		case err != nil:
			return m.input.explain(err)
		}
		at, found, used, err := m.index.pick(ctx, key)
		if used { // a duplicate id
			at, found, _, err = m.index.pick(ctx, lineKey(line))
		}
		if err != nil {
			return err
		}
		if found {
			err = m.copy(out, at)
		} else {
			m.missing(line, row.ID)
		}
		if err != nil {
			return err
		}
	}
}

// missing records that a row of the input has no result. A malformed row has no id.
func (m *Merge) missing(line int, id string) {
	m.merged.Missing++
	m.merged.missingLines = appendExample(m.merged.missingLines, line)
	for of := range m.shards {
		shard := Shard{1, of}
		if id != "" {
			shard = ShardOf(id, of)
		}
		m.gaps[shard]++
	}
}

// missingShards returns the shards without a row, except for those without a row in the
// input.
func (m *Merge) missingShards() []string {
	missing := []string{}
	for _, of := range slices.Sorted(maps.Keys(m.shards)) {
		for number := 1; number <= of; number++ {
			shard := Shard{number, of}
			if !m.shards[of][number] && (m.input == nil || m.gaps[shard] > 0) {
				missing = append(missing, shard.String())
			}
		}
	}
	return missing
}

// maxExamples is the maximum number of examples in a report.
const maxExamples = 5

func appendExample[T any](examples []T, example T) []T {
	if len(examples) < maxExamples {
		examples = append(examples, example)
	}
	return examples
}

// idKey and lineKey return the key of a row with an id, and of one without.
func idKey(id string) string  { return "i" + id }
func lineKey(line int) string { return fmt.Sprintf("l%d", line) }

// WriteFile is Write to a file, which appears when it is complete. An existing file is
// replaced only with force. An output or the input is never replaced.
func (m *Merge) WriteFile(ctx context.Context, name string, force bool) (merged Merged, err error) {
	path, err := atomicfile.Target(name)
	if err != nil {
		return merged, outputError(name, err)
	}
	if m.reads(path) {
		return merged, failure.Usagef("write to another file", "%s is an input of the merge", name)
	}
	exists := failure.Usagef("to replace it, pass --force", "%s exists", name)
	if _, err := os.Lstat(path); err == nil && !force {
		return merged, exists
	}
	write := atomicfile.Create
	if force {
		write = atomicfile.Fill
	}
	var failed error
	err = write(path, func(w io.Writer) error {
		merged, failed = m.Write(ctx, w)
		return failed
	})
	switch {
	case failed != nil:
		return merged, failed
	case errors.Is(err, fs.ErrExist):
		return merged, exists
	}
	return merged, outputError(name, err)
}
