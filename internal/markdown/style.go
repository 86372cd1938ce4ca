package markdown

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/charmbracelet/glamour/ansi"
	"github.com/charmbracelet/glamour/styles"
)

// CheckStyle reports why Render would not use style, or glamourStyle if style is
// empty or "auto"; see Options.
func CheckStyle(style, glamourStyle string) error {
	_, err := chosenStyle(style, glamourStyle)
	return err
}

// style returns the style to render with.
func (o Options) style() ansi.StyleConfig {
	if o.plain() {
		return o.plainStyle()
	}
	config, err := chosenStyle(o.Style, o.GlamourStyle)
	switch {
	case err == nil && config != nil:
	case o.Light != nil && o.Light():
		config = &styles.LightStyleConfig
	default:
		config = &styles.DarkStyleConfig
	}
	return flush(*config)
}

// chosenStyle returns the first of names that is neither empty nor "auto"; nil
// leaves the choice to the background.
func chosenStyle(names ...string) (*ansi.StyleConfig, error) {
	for _, name := range names {
		if name == "" || name == styles.AutoStyle {
			continue
		}
		if config, ok := styles.DefaultStyles[name]; ok {
			return config, nil
		}
		return readStyle(name)
	}
	return nil, nil
}

// plainStyle is glamour's ASCII style, with replacements for the few signs in it
// that are not ASCII, unless the terminal shows them.
func (o Options) plainStyle() ansi.StyleConfig {
	config := flush(styles.ASCIIStyleConfig)
	if !o.Unicode || o.Accessible {
		config.Item.BlockPrefix = "- "
		config.ImageText.Format = "Image: {{.text}} ->"
	}
	if o.Accessible {
		bar := "> " // as in mail; a screen reader says "vertical bar" at each line
		config.BlockQuote.IndentToken = &bar
	}
	return config
}

// flush removes the margin of a document and the spaces around its title, so that
// text copied from the terminal has none.
func flush(config ansi.StyleConfig) ansi.StyleConfig {
	none := uint(0)
	config.Document.Margin = &none
	config.H1.Prefix = strings.TrimLeft(config.H1.Prefix, " ")
	config.H1.Suffix = strings.TrimRight(config.H1.Suffix, " ")
	return config
}

// readStyle reads regular files only: a pipe would block.
func readStyle(path string) (*ansi.StyleConfig, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("style %q is neither a known style nor a file", path)
	case err != nil:
		return nil, fmt.Errorf("style %q: %w", path, err)
	case !info.Mode().IsRegular() || info.Size() > 1<<20:
		return nil, fmt.Errorf("style %q is no regular file of at most 1 MiB", path)
	}
	var config ansi.StyleConfig
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	if err != nil {
		return nil, fmt.Errorf("style %q: %w", path, err)
	}
	return &config, nil
}
