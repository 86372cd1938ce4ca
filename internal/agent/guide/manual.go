package guide

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// section is a "## " section of the manual with its variants for platforms.
type section struct {
	file     string
	topic    string // the "# " title of its file
	heading  string
	text     string // Markdown below the heading, without the variants
	variants []variant

	// Set by newIndex.
	narrow string // the stem of the platform that the heading names, or ""
	place  int    // position in the topic, from 1
}

// variant is a "### " part of a section whose heading names a platform.
type variant struct {
	platform string // name in platforms
	text     string
}

// firstFile is the first file of the manual. The other files follow in the order of
// their paths.
const firstFile = "getting-started.md"

// readManual reads all .md files of a manual. Text outside of a section, which would
// never be found, and duplicate headings are errors.
func readManual(manual fs.FS) ([]section, error) {
	var names []string
	err := fs.WalkDir(manual, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir() || path.Ext(name) != ".md":
		case path.Base(name) == firstFile:
			names = slices.Insert(names, 0, name)
		default:
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	var sections []section
	headings := map[string]string{}
	for _, name := range names {
		data, err := fs.ReadFile(manual, name)
		if err != nil {
			return nil, err
		}
		found, err := parseSections(string(data))
		if err != nil {
			return nil, fmt.Errorf("manual %s: %w", name, err)
		}
		for i := range found {
			found[i].file = path.Base(name)
			s := found[i]
			if other, ok := headings[s.heading]; ok {
				return nil, fmt.Errorf("manual %s: section %q is also in %s", name, s.heading, other)
			}
			headings[s.heading] = name
		}
		sections = append(sections, found...)
	}
	if len(sections) == 0 {
		return nil, errors.New("manual has no sections")
	}
	return sections, nil
}

// parseSections splits a file of the manual at its headings. In a code block, a line that
// starts with # is a comment, not a heading.
func parseSections(file string) ([]section, error) {
	var (
		sections []section
		topic    string
		fenced   bool
	)
	for line := range strings.Lines(strings.ReplaceAll(file, "\r\n", "\n")) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		level, heading := 0, ""
		if !fenced {
			level, heading = parseHeading(line)
		}
		switch {
		case level == 1:
			topic = heading
		case level == 2:
			sections = append(sections, section{topic: topic, heading: heading})
		case len(sections) == 0:
			if strings.TrimSpace(line) != "" {
				return nil, fmt.Errorf("text before the first section: %q", strings.TrimSpace(line))
			}
		default:
			sections[len(sections)-1].add(level, heading, line)
		}
	}
	if fenced {
		return nil, errors.New("unterminated code block")
	}
	if topic == "" {
		return nil, errors.New("no title")
	}
	for i := range sections {
		s := &sections[i]
		s.text = strings.TrimSpace(s.text)
		for i := range s.variants {
			s.variants[i].text = strings.TrimSpace(s.variants[i].text)
		}
	}
	return sections, nil
}

// parseHeading returns the level and the text of a Markdown heading. The level of any
// other line is 0.
func parseHeading(line string) (level int, text string) {
	marks, text, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
	if !ok || marks == "" || strings.Trim(marks, "#") != "" {
		return 0, ""
	}
	return len(marks), strings.TrimSpace(text)
}

// add appends a line to the section, or begins a variant if the line is its heading.
func (s *section) add(level int, heading, line string) {
	if level == 3 {
		if p := platformNamed(heading); p != nil {
			s.variants = append(s.variants, variant{platform: p.name})
			return
		}
	}
	if n := len(s.variants); n > 0 {
		s.variants[n-1].text += line
		return
	}
	s.text += line
}

// variant returns the variant for a platform, or for the nearest one.
func (s *section) variant(p *platform) (variant, bool) {
	for _, name := range []string{p.name, p.near} {
		for _, v := range s.variants {
			if v.platform == name {
				return v, true
			}
		}
	}
	return variant{}, false
}
