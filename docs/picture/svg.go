package main

import (
	"bytes"
	"fmt"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Sizes in pixels. advance is the character width of most monospace fonts at this
// size. Each span is stretched to it, so that columns align in any font.
const (
	fontSize   = 14
	advance    = 8.4
	lineHeight = 20
	margin     = 20
	titleBar   = 36
)

// Colours of the window. The border makes it visible on GitHub's dark theme.
const (
	background = "#16181d"
	border     = "#3b4048"
	foreground = "#d4d4d4"
)

// render returns the rows as an SVG image of a window.
func render(rows [][]span) []byte {
	width := int(columns*advance) + 2*margin
	height := titleBar + len(rows)*lineHeight + margin
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-labelledby="title">
<title id="title">%s</title>
<style>text{font:%dpx ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;white-space:pre}.b{font-weight:bold}</style>
<rect x=".5" y=".5" width="%d" height="%d" rx="9.5" fill="%s" stroke="%s"/>
<circle cx="20" cy="19" r="6" fill="#ff5f57"/><circle cx="40" cy="19" r="6" fill="#febc2e"/><circle cx="60" cy="19" r="6" fill="#28c840"/>
<g fill="%s">
`, width, height, width, height, html.EscapeString(description()), fontSize, width-1, height-1, background, border, foreground)
	for i, row := range rows {
		for _, s := range row {
			s.draw(&b, titleBar+i*lineHeight)
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// description returns the alternative text of the image: the commands typed.
func description() string {
	var typed []string
	for _, args := range questions {
		typed = append(typed, commandLine(args))
	}
	return "A terminal: " + strings.Join(typed, ", then ") + ", each with the answer of the built-in guide"
}

// draw writes a span of the row at y.
func (s span) draw(b *bytes.Buffer, y int) {
	if s.bg != unset {
		fmt.Fprintf(b, `<rect x="%s" y="%d" width="%s" height="%d" rx="2" fill="%s"/>`+"\n",
			pixels(margin+float64(s.at)*advance), y, pixels(float64(s.end()-s.at)*advance), lineHeight-1, hex(s.bg))
	}
	end := s.end()
	s.text = strings.TrimLeft(s.text, " ")
	s.at = end - utf8.RuneCountInString(s.text)
	if s.text = strings.TrimRight(s.text, " "); s.text == "" {
		return
	}
	fmt.Fprintf(b, `<text x="%s" y="%d" textLength="%s"`,
		pixels(margin+float64(s.at)*advance), y+lineHeight-6, pixels(float64(s.end()-s.at)*advance))
	if s.bold {
		b.WriteString(` class="b"`)
	}
	if s.fg != unset {
		fmt.Fprintf(b, ` fill="%s"`, hex(s.fg))
	}
	fmt.Fprintf(b, ">%s</text>\n", html.EscapeString(s.text))
}

// pixels formats a length with at most one decimal place.
func pixels(n float64) string {
	return strconv.FormatFloat(float64(int(n*10+0.5))/10, 'f', -1, 64)
}

// basic holds the first 16 colours, which each terminal defines itself.
var basic = [16]string{
	"#1d1f21", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf",
	"#5c6370", "#f07178", "#7ee787", "#ffcb6b", "#82aaff", "#d2a8ff", "#89ddff", "#ffffff",
}

// hex returns one of xterm's 256 colours: 16 basic ones, a cube of 6×6×6, and 24
// greys.
func hex(n int) string {
	switch {
	case n < 16:
		return basic[n]
	case n < 232:
		level := func(i int) int { return 55*min(i, 1) + 40*i }
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", level(n/36), level(n/6%6), level(n%6))
	}
	grey := 8 + 10*(n-232)
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}
