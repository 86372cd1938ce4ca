package guide

import (
	_ "embed"
	"fmt"
	"strings"
)

// questionsFile contains questions, grouped by the section that answers them.
//
//go:embed questions.txt
var questionsFile string

// unrelatedFile contains questions on other subjects.
//
//go:embed unrelated.txt
var unrelatedFile string

// learned is a question and the index of the section that answers it.
type learned struct {
	question string
	section  int
}

// readQuestions parses a file of questions. A line "# file#Heading" begins the questions
// of a section.
func readQuestions(file string, sections []section) ([]learned, error) {
	number := map[string]int{}
	for i, s := range sections {
		number[s.name()] = i
	}
	var found []learned
	current := -1
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "# "); ok {
			if current, ok = number[name]; !ok {
				return nil, fmt.Errorf("questions: unknown section %q", name)
			}
		} else if line != "" {
			found = append(found, learned{line, current})
		}
	}
	return found, nil
}

// readUnrelated returns the questions in a file with one on each line.
func readUnrelated(file string) []string {
	return strings.Split(strings.TrimSpace(file), "\n")
}

// name returns the name of a section in the file of questions.
func (s section) name() string { return strings.TrimSuffix(s.file, ".md") + "#" + s.heading }
