package transfer

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/hobnob-cli/hobnob/internal/codeblock"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// markdownFormat is Markdown for reading and pasting; it cannot be imported.
var markdownFormat = Format{Name: "markdown", Extensions: []string{"md", "markdown", "txt"}, Export: writeMarkdown}

func writeMarkdown(w io.Writer, _ []history.Conversation, trees iter.Seq2[history.Tree, error]) error {
	separator := ""
	for tree, err := range trees {
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, separator+markdownOf(tree)); err != nil {
			return err
		}
		separator = "\n"
	}
	return nil
}

// markdownOf returns a conversation as Markdown: the title as a heading, questions as
// quotations, and replies unchanged. A reply that leaves a block open, which would
// include the next turn, is closed or fenced.
func markdownOf(t history.Tree) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n*%s*\n", escapeMarkdown(title(t.Conversation)), aside(t))
	if text := t.Instructions.Text; text != "" {
		fmt.Fprintf(&b, "\n> **%s**\n>\n", escapeMarkdown(instructionsTitle(t.Instructions)))
		quoteMarkdown(&b, text)
	}
	for _, turn := range t.Turns {
		fmt.Fprintf(&b, "\n> **%s**\n>\n", shownTime(turn.Asked))
		quoteMarkdown(&b, turn.Question)
		b.WriteString("\n")
		if why := outcome(turn); why != "" {
			fmt.Fprintf(&b, "*%s*\n", escapeMarkdown(why))
			continue
		}
		b.WriteString(closed(turn.Reply))
		b.WriteString("\n")
	}
	return b.String()
}

func quoteMarkdown(b *strings.Builder, text string) {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight("> "+strings.TrimSuffix(line, "\n"), " ") + "\n")
	}
}

// punctuation matches the special characters within a line of Markdown.
var punctuation = regexp.MustCompile("[\\\\`*_{}\\[\\]()#+\\-!|<>&~$]")

// escapeMarkdown escapes a line of text.
func escapeMarkdown(text string) string { return punctuation.ReplaceAllString(text, `\$0`) }

const (
	// maxMarkdown is the maximum size of parsed Markdown, in bytes. In larger texts, the
	// quadratic cases of the parser take many seconds.
	maxMarkdown = 256 << 10
	maxCells    = 1 << 20 // of a table
)

// parsable reports whether a text can be parsed as Markdown in reasonable time and
// memory. In a table, every row has as many cells as the widest one.
func parsable(markdown string) bool {
	if len(markdown) > maxMarkdown || codeblock.NestsDeep(markdown) {
		return false
	}
	lines, bars := 0, 0
	for line := range strings.Lines(markdown) {
		lines++
		bars = max(bars, strings.Count(line, "|"))
	}
	return lines*bars <= maxCells
}

// closed returns a reply with all blocks closed, so that other Markdown can follow.
func closed(reply string) string {
	reply = strings.Trim(reply, "\r\n")
	parts, with := partsOf(reply), reply
	if fence := parts[len(parts)-1].fence; fence != "" {
		with += "\n" + fence
	}
	switch {
	case !parsable(reply), endsClosed(with):
		return with
	case endsClosed(reply):
		return reply
	}
	return fenced(reply)
}

// endsClosed reports whether a paragraph after the text is parsed as a separate paragraph.
func endsClosed(markdown string) bool {
	const next = "next"
	source := []byte(markdown + "\n\n" + next + "\n")
	document := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(source))
	last := document.LastChild()
	return last != nil && last.Kind() == ast.KindParagraph && string(bytes.TrimSpace(last.Lines().Value(source))) == next
}

// part is a code block, or the text between two of them.
type part struct{ fence, language, text string } // fence is empty outside of a block

// partsOf splits Markdown at its fences. The last part is a block only if it is not closed.
func partsOf(markdown string) []part {
	parts := []part{{}}
	start, at := 0, 0
	for line := range strings.Lines(markdown) {
		at += len(line)
		last := &parts[len(parts)-1]
		mark, info := fenceOf(line)
		switch {
		case last.fence == "" && mark != "":
			parts = append(parts, part{fence: mark, language: info})
			start = at
		case last.fence != "" && strings.HasPrefix(mark, last.fence) && info == "":
			parts = append(parts, part{})
			start = at
		default:
			last.text = markdown[start:at]
		}
	}
	return parts
}

// fenceLine matches a line that can begin or end a code block (CommonMark 4.5).
var fenceLine = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[ \t]*([^\n]*?)[ \t]*\r?\n?$")

// fenceOf returns the fence of a line and the first word after it, or two empty strings
// if the line is no fence.
func fenceOf(line string) (mark, info string) {
	match := fenceLine.FindStringSubmatch(line)
	if match == nil || match[1][0] == '`' && strings.Contains(match[2], "`") {
		return "", ""
	}
	info, _, _ = strings.Cut(match[2], " ")
	return match[1], info
}

// fenced returns text as a code block.
func fenced(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if run++; text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}
