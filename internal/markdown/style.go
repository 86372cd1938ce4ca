package markdown

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/charmbracelet/glamour/ansi"
	"github.com/charmbracelet/glamour/styles"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
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

// chosenStyle returns the first style of names that is neither empty nor "auto", or
// nil if the background decides.
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

// plainStyle returns glamour's ASCII style. Its few non-ASCII characters are replaced
// unless the terminal can show them.
func (o Options) plainStyle() ansi.StyleConfig {
	config := flush(styles.ASCIIStyleConfig)
	if !o.Unicode || o.Accessible {
		config.Item.BlockPrefix = "- "
		config.ImageText.Format = "Image: {{.text}} ->"
	}
	if o.Accessible {
		bar := "> " // as in mail; screen readers read "|" as "vertical bar"
		config.BlockQuote.IndentToken = &bar
	}
	return config
}

// flush removes the document margin and the spaces around the title, so that copied
// text contains none.
func flush(config ansi.StyleConfig) ansi.StyleConfig {
	none := uint(0)
	config.Document.Margin = &none
	config.H1.Prefix = strings.TrimLeft(config.H1.Prefix, " ")
	config.H1.Suffix = strings.TrimRight(config.H1.Suffix, " ")
	return config
}

// readStyle reads a style file.
func readStyle(path string) (*ansi.StyleConfig, error) {
	data, err := input.ReadFile(path, 1<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("unknown style %q: neither a built-in style nor a file", path)
	}
	err = failure.Reason(err)
	var config ansi.StyleConfig
	if err == nil {
		err = json.Unmarshal(data, &config)
	}
	if err != nil {
		return nil, fmt.Errorf("style %q: %w", path, err)
	}
	return &config, nil
}
