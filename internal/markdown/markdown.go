// Package markdown renders Markdown for a terminal and lays out the result in cells.
// It uses glamour, goldmark and chroma; no other package uses them for terminals.
//
// It must not import commands or settings, or use the streams of the process: Options
// describes the terminal. All text is treated as hostile.
package markdown

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/glamour/ansi"
	"github.com/muesli/termenv"

	"github.com/hobnob-cli/hobnob/internal/cells"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

const (
	maxTextWidth = 100             // columns; longer lines are hard to read
	maxMarkdown  = 1 << 20         // bytes; longer text is not rendered
	renderLimit  = 2 * time.Second // per rendering
)

// Options describes the terminal and the user's choices for Render.
type Options struct {
	// Width is the width of the terminal in columns. Lines are no wider than this and
	// no wider than 100 columns.
	Width int
	// Colors is the number of colours of the terminal: 16, 256 or 1<<24. If it is 0,
	// the output contains no SGR sequences.
	Colors int
	// Unicode reports whether the locale supports Unicode.
	Unicode bool
	// Accessible requests output for a screen reader.
	Accessible bool
	// Style is the name of a glamour style or the path of a JSON style file. If it is
	// empty or "auto", GlamourStyle, the value of GLAMOUR_STYLE, is used. If that is
	// empty or "auto" too, the background decides between dark and light.
	Style, GlamourStyle string
	// Light reports whether the background is light. It is called only if the style
	// depends on it. A nil Light means a dark background.
	Light func() bool
}

// Render renders text as Markdown. The result contains no control characters except
// newline and SGR sequences, the latter only with Colors. No line is too wide, and
// the result ends with one newline unless it is empty. Markup that cannot be
// rendered, such as HTML, is shown as written.
//
// If the chosen style cannot be used, the dark or light one is; see CheckStyle.
// Without colour, without Unicode and with Accessible, the ASCII style is used.
//
// The result is the cleaned text if it is larger than 1 MiB, is nested too deeply or
// contains too much that is slow to parse (see bounds), if its rendering is empty, if
// the renderer panics, or if rendering takes more than two seconds.
func Render(text string, o Options) string {
	if o.Unicode {
		text = terminal.Clean(text)
	} else {
		text = terminal.CleanASCII(text)
	}
	if len(text) <= maxMarkdown {
		config := o.style()
		rendered, err := limited(renderLimit, func(stopped func() error) (string, error) {
			return layout(text, o, config, stopped)
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

// limited runs fn in a goroutine and abandons it after limit, because much of glamour
// cannot be interrupted. From then on stopped returns an error.
func limited(limit time.Duration, fn func(stopped func() error) (string, error)) (string, error) {
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
		return "", errors.New("rendering timed out")
	}
}

// layout renders clean text. It gives up when stopped returns an error.
func layout(text string, o Options, config ansi.StyleConfig, stopped func() error) (string, error) {
	w := &work{stopped: stopped}
	document, source := w.parse(text)
	if w.over() {
		return "", w.err
	}
	width := min(o.Width, maxTextWidth)
	b := (&blocks{
		script: &script{source, config}, work: w, profile: o.profile(), accessible: o.Accessible, columns: width,
	}).styled(config)
	var fitting []cells.Row
	for _, row := range b.all(document, width, false) {
		if row = row.Join(); row.Columns() > width {
			fitting = append(fitting, row.Wrap(width)...)
		} else {
			fitting = append(fitting, row)
		}
	}
	return cells.Text(cells.Trim(fitting)), w.err
}

// work is the state of one rendering. It is over after its first error, or when
// stopped returns one.
type work struct {
	stopped func() error
	err     error
}

// over reports whether to give up.
func (w *work) over() bool {
	if w.err == nil {
		w.err = w.stopped()
	}
	return w.err != nil
}

// plain reports whether to use the ASCII style without colour.
func (o Options) plain() bool {
	return o.Colors == 0 || !o.Unicode || o.Accessible
}

func (o Options) profile() termenv.Profile {
	switch {
	case o.plain():
		return termenv.Ascii
	case o.Colors > 256:
		return termenv.TrueColor
	case o.Colors == 256:
		return termenv.ANSI256
	default:
		return termenv.ANSI
	}
}
