package lineedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/input"
)

const (
	// maxInputs is the maximum number of texts read from the file.
	maxInputs = 2000
	// maxInputHistory is the size, in bytes, above which the file is shortened.
	maxInputHistory = 8 << 20
	// maxInput is the maximum size, in bytes, of a text in the file.
	maxInput = 1 << 20
)

// History holds the earlier texts. Its file has mode 0600 and one JSON object per
// line, the latest last. Several processes may add to it.
type History struct {
	path  string
	texts []string
}

// inputLine is a line of the file.
type inputLine struct {
	Text string `json:"text"`
}

// OpenHistory reads the file at path, which need not exist. It skips invalid lines. If
// path is empty, the history is only in memory.
func OpenHistory(path string) (*History, error) {
	data, err := input.ReadFile(path, input.NoLimit)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	h := &History{path, readInputs(data)}
	if err == nil && len(data) > maxInputHistory {
		err = h.shorten()
	}
	return h, err
}

// readInputs returns the latest texts of a file without duplicates; the last
// occurrence counts.
func readInputs(data []byte) []string {
	var texts []string
	seen := map[string]bool{}
	for len(data) > 0 && len(texts) < maxInputs {
		data = bytes.TrimRight(data, "\n")
		start := bytes.LastIndexByte(data, '\n') + 1
		var line inputLine
		if err := json.Unmarshal(data[start:], &line); err == nil && line.Text != "" && !seen[line.Text] {
			seen[line.Text] = true
			texts = append(texts, line.Text)
		}
		data = data[:start]
	}
	slices.Reverse(texts)
	return texts
}

// Add appends a text, unless it is blank or equal to the latest one.
func (h *History) Add(text string) error {
	if strings.TrimSpace(text) == "" || len(h.texts) > 0 && h.texts[len(h.texts)-1] == text {
		return nil
	}
	h.texts = append(slices.DeleteFunc(h.texts, func(t string) bool { return t == text }), text)
	if h.path == "" || len(text) > maxInput {
		return nil
	}
	line, _ := json.Marshal(inputLine{text})
	unlock, err := atomicfile.Lock(h.path)
	if err != nil {
		return err
	}
	defer unlock()
	file, err := input.OpenFile(h.path, os.O_APPEND|os.O_WRONLY)
	if errors.Is(err, fs.ErrNotExist) {
		file, err = os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err != nil {
		return err
	}
	// The newline before it ends a line left incomplete by a crash.
	_, err = file.Write(slices.Concat([]byte("\n"), line, []byte("\n")))
	return errors.Join(err, file.Close())
}

// shorten rewrites the file with the latest texts, up to half of the size limit.
func (h *History) shorten() error {
	unlock, err := atomicfile.Lock(h.path)
	if err != nil {
		return err
	}
	defer unlock()
	data, err := input.ReadFile(h.path, input.NoLimit)
	if err != nil {
		return err
	}
	size := 0
	var lines [][]byte
	for _, text := range slices.Backward(readInputs(data)) {
		if len(text) > maxInput {
			continue
		}
		line, _ := json.Marshal(inputLine{text})
		if size += len(line) + 1; size > maxInputHistory/2 {
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return atomicfile.Write(h.path, append(bytes.Join(lines, []byte("\n")), '\n'))
}
