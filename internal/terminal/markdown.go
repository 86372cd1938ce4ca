package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/charmbracelet/glamour/ansi"
	"github.com/charmbracelet/glamour/styles"
	"github.com/muesli/termenv"

	"github.com/hobnob-cli/hobnob/internal/cells"
)

const (
	maxTextWidth  = 100              // columns; longer lines are hard to read
	maxMarkdown   = 1 << 20          // bytes; more is shown as it is
	maxStyleFile  = 1 << 20          // bytes
	renderLimit   = 2 * time.Second  // a person waits for this
	autoStyle     = styles.AutoStyle // the name that leaves the choice to us
	bulletOfASCII = "- "
)

// Markdown renders text, which counts as hostile, for a terminal: no control
// but newline and SGR is left, SGR only with OutColor, no line wider than
// min(Columns, 100), one newline at the end; empty stays empty. Markup that cannot
// be shown, such as HTML, is shown as it was written.
//
// The style is the name of one of glamour's styles or the path of a style in
// JSON. An empty one and auto take GLAMOUR_STYLE, else dark or light by
// COLORFGBG, else by what the terminal tells within 100 ms, which makes calls of
// DrainReplies necessary; so does one that cannot be used, see CheckStyle. Without colour,
// without Unicode and with Accessible the style is always plain ASCII.
//
// A text over 1 MiB, one nested too deeply or with too much of what takes long (see
// bounds), one of which nothing would be shown, a panic of the renderer and a rendering over two seconds give Clean(text).
func (s *Streams) Markdown(text, style string) string {
	text = s.Clean(text)
	if len(text) <= maxMarkdown {
		config, _ := s.style(style)
		rendered, err := within(renderLimit, func(stopped func() error) (string, error) {
			return s.render(text, config, stopped)
		})
		if err == nil && rendered != "" {
			return rendered
		}
	}
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return strings.Trim(text, "\n") + "\n"
}

// CheckStyle tells why Markdown would not use style, or GLAMOUR_STYLE where
// style leaves the choice to it.
func (s *Streams) CheckStyle(style string) error {
	_, err := s.chosenStyle(style)
	return err
}

// within runs fn in a goroutine of its own, which it leaves behind after limit,
// from when on stopped is an error: much in glamour cannot be told to stop.
func within(limit time.Duration, fn func(stopped func() error) (string, error)) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- result{err: fmt.Errorf("rendering panicked: %v", p)}
			}
		}()
		text, err := fn(ctx.Err)
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", errors.New("rendering took too long")
	}
}

// render takes clean text, and gives it up when stopped is an error.
func (s *Streams) render(text string, config ansi.StyleConfig, stopped func() error) (string, error) {
	document, source, err := parse(text, stopped)
	if err != nil {
		return "", err
	}
	width := min(s.Columns(), maxTextWidth)
	b := (&blocks{
		script: &script{source, config}, profile: s.profile(), accessible: s.Accessible, columns: width, stopped: stopped,
	}).styled(config)
	rows, err := b.all(document, width, false)
	if err != nil {
		return "", err
	}
	var fitting []cells.Row
	for _, row := range rows {
		if row = row.Join(); row.Columns() > width {
			fitting = append(fitting, row.Wrap(width)...)
		} else {
			fitting = append(fitting, row)
		}
	}
	return cells.Text(cells.Trim(fitting)), nil
}

func chromaFormatter(profile termenv.Profile) string {
	switch profile {
	case termenv.TrueColor:
		return "terminal16m"
	case termenv.ANSI256:
		return "terminal256"
	default:
		return "terminal16"
	}
}

// profile is the colours that stdout's terminal shows, found without asking it.
func (s *Streams) profile() termenv.Profile {
	if s.plain() {
		return termenv.Ascii
	}
	name, depth := s.getenv("TERM"), s.getenv("COLORTERM")
	switch {
	case depth == "truecolor", depth == "24bit", strings.HasSuffix(name, "-direct"):
		return termenv.TrueColor
	case name == "" && runtime.GOOS == "windows":
		return termenv.TrueColor
	case strings.Contains(name, "256color"):
		return termenv.ANSI256
	default:
		return termenv.ANSI
	}
}

// plain tells whether Markdown keeps to ASCII without colour.
func (s *Streams) plain() bool {
	return !s.OutColor || !s.UTF8 || s.Accessible
}

// style is the style to render with, whatever name says.
func (s *Streams) style(name string) (ansi.StyleConfig, error) {
	if s.plain() {
		return s.plainStyle(), nil
	}
	config, err := s.chosenStyle(name)
	switch {
	case config != nil:
	case s.lightBackground():
		config = &styles.LightStyleConfig
	default:
		config = &styles.DarkStyleConfig
	}
	return flush(*config), err
}

// chosenStyle is the style that name or GLAMOUR_STYLE chooses, nil if both leave
// it to the background.
func (s *Streams) chosenStyle(name string) (*ansi.StyleConfig, error) {
	if name == "" || name == autoStyle {
		name = s.getenv("GLAMOUR_STYLE")
	}
	if name == "" || name == autoStyle {
		return nil, nil
	}
	if config, ok := styles.DefaultStyles[name]; ok {
		return config, nil
	}
	return readStyle(name)
}

// plainStyle is glamour's ASCII style, which is so but for a few signs; they
// stay where Unicode is welcome.
func (s *Streams) plainStyle() ansi.StyleConfig {
	config := flush(styles.ASCIIStyleConfig)
	if !s.UTF8 || s.Accessible {
		config.Item.BlockPrefix = bulletOfASCII
		config.ImageText.Format = "Image: {{.text}} ->"
	}
	if s.Accessible {
		bar := "> " // as in mail; a screen reader says "vertical bar" at each line
		config.BlockQuote.IndentToken = &bar
	}
	return config
}

// flush takes the margin of a document and the blanks around its title away, so
// that what is copied from the terminal has none.
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
	case !info.Mode().IsRegular() || info.Size() > maxStyleFile:
		return nil, fmt.Errorf("style %q is no regular file of at most 1 MiB", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("style %q: %w", path, err)
	}
	var config ansi.StyleConfig
	if err := json.Unmarshal(data, &config); err != nil {
		return nil, fmt.Errorf("style %q: %w", path, err)
	}
	return &config, nil
}
