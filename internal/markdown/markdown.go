// Package markdown renders Markdown for a terminal with glamour, goldmark and
// chroma, of which it is the only user for terminals, and places the result into
// cells.
//
// It must not know the streams of the process, commands, settings or where a text
// came from: what it has to know of the terminal are plain facts in Options, and
// all text counts as hostile.
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
	renderLimit  = 2 * time.Second // for one rendering
)

// Options are what Render has to know of the terminal and the user's choice.
type Options struct {
	// Width is the width of the terminal in columns; no line is wider than this,
	// nor than 100 columns.
	Width int
	// Colors is the number of colours that the terminal shows: 16, 256 or 1<<24;
	// 0 allows no SGR sequences at all.
	Colors int
	// Unicode reports whether the locale can show it.
	Unicode bool
	// Accessible asks for output that a screen reader can read.
	Accessible bool
	// Style is the name of one of glamour's styles or the path of a style in JSON.
	// If it is empty or "auto", GlamourStyle, the value of GLAMOUR_STYLE, takes its
	// place, and if that is as well, dark or light by the background.
	Style, GlamourStyle string
	// Light reports whether the background is light. It is only called if the style
	// depends on it; nil is dark.
	Light func() bool
}

// Render renders text: no control but newline and SGR is left, SGR only with
// Colors, no line is too wide, and one newline is at the end; empty stays empty.
// Markup that cannot be shown, such as HTML, is shown as written.
//
// A style that cannot be used is replaced by dark or light; see CheckStyle.
// Without colour, without Unicode and with Accessible the style is plain ASCII.
//
// The result is the cleaned text if it is larger than 1 MiB, is nested too deeply
// or contains too much of what takes long to parse (see bounds), if nothing of it
// would be shown, if the renderer panics or if it takes more than two seconds.
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

// limited runs fn in a goroutine and abandons it after limit, from when on stopped
// returns an error: much of glamour cannot be interrupted.
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
		return "", errors.New("rendering took too long")
	}
}

// layout renders clean text and gives up when stopped returns an error.
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

// work ends at its first error, or when stopped returns one.
type work struct {
	stopped func() error
	err     error
}

// over reports whether to end.
func (w *work) over() bool {
	if w.err == nil {
		w.err = w.stopped()
	}
	return w.err != nil
}

// plain reports whether the output is ASCII without colour.
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
