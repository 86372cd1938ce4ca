package transfer

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// pageOf returns the HTML page of conversations.
func pageOf(t *testing.T, trees ...history.Tree) string {
	t.Helper()
	var conversations []history.Conversation
	for _, tree := range trees {
		conversations = append(conversations, tree.Conversation)
	}
	var page strings.Builder
	if err := writeHTML(&page, conversations, seqOf(trees)); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func TestMarkdown(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	got := markdownOf(history.Tree{
		Conversation: history.Conversation{Title: "a *b* <c>\nd", Created: at, Turns: 4},
		Turns: []history.Turn{
			{Asked: at, Question: "one\n\n```\ncode\r\nmore", Reply: "# Reply\n\n- a\n  - b", State: history.Answered},
			{Asked: at.Add(time.Minute), Question: "two", State: history.Failed, Failure: history.Failure{Text: "no route\nto *host*"}},
		},
	})
	want := `# a \*b\* \<c\> d

*2026-01-02 03:04 UTC · 2 more turns on other branches*

> **2026-01-02 03:04 UTC**
>
> one
>
> ` + "```" + `
> code
> more

# Reply

- a
  - b

> **2026-01-02 03:05 UTC**
>
> two

*No answer: failed, no route to \*host\**
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestClosed(t *testing.T) {
	for reply, want := range map[string]string{
		"plain":                        "plain",
		"```go\nx\n```":                "```go\nx\n```",
		"```go\nx":                     "```go\nx\n```",
		"~~~~\nx\n~~~":                 "~~~~\nx\n~~~\n~~~~",
		"- item\n  ```\n  x":           "- item\n  ```\n  x",
		"> ```\n> x":                   "> ```\n> x",
		"    ```\n\nnot a fence":       "    ```\n\nnot a fence",
		"`` ``` ``":                    "`` ``` ``",
		"<!-- open\n\nmore":            "```\n<!-- open\n\nmore\n```",
		"<script>\n\n````":             "`````\n<script>\n\n````\n`````",
		"<pre>\n\nx":                   "```\n<pre>\n\nx\n```",
		"<div>\nx":                     "<div>\nx",
		"```\n<!--\n```\n```\nx":       "```\n<!--\n```\n```\nx\n```",
		"\n\n  indented":               "  indented",
		"text\n\n[ref]: http://x.test": "text\n\n[ref]: http://x.test",
	} {
		if got := closed(reply); got != want {
			t.Errorf("%q: got\n%s\nwant\n%s", reply, got, want)
		}
	}
}

func FuzzClosed(f *testing.F) {
	for _, reply := range []string{"```\nx", "<!-- x", "- ```\n\n~~~", "> <pre>\n````", "\\```\n<?x", "\t```", "***\n`````js x\n```"} {
		f.Add(reply)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		if got := closed(reply); parsable(got) && strings.TrimSpace(got) != "" && !endsClosed(got) {
			t.Errorf("%q is not closed", got)
		}
	})
}

func TestPageStyle(t *testing.T) {
	page := hostilePage(t)
	_, rest, _ := strings.Cut(page, "<style>")
	css, _, _ := strings.Cut(rest, "</style>")
	sum := sha256.Sum256([]byte(css))
	if want := "style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(page, want) {
		t.Errorf("%s not found in the page", want)
	}
	if strings.Contains(css, "url(") || strings.Contains(css, "@import") {
		t.Error("the style loads a resource")
	}
	for _, want := range []string{"prefers-color-scheme: dark", "@media print", `<meta name="viewport"`, `.chroma .k`} {
		if !strings.Contains(page, want) {
			t.Errorf("%s not found in the page", want)
		}
	}
	checkDOM(t, page)
}

func TestPageTableOfContents(t *testing.T) {
	one := history.Conversation{ID: stableID("1"), Title: "first", Turns: 1}
	two := history.Conversation{ID: stableID("2"), Title: "second & last", Turns: 1}
	tree := func(c history.Conversation) history.Tree {
		return history.Tree{Conversation: c, Turns: []history.Turn{{Question: "q <" + c.Title, Reply: "**r**", State: history.Answered}}}
	}
	page, single := pageOf(t, tree(one), tree(two)), pageOf(t, tree(two))
	for _, want := range []string{`<a href="#c-` + two.ID + `"><bdi>second &amp; last</bdi></a>`, `<article id="c-` + two.ID + `">`, "q &lt;first", "<strong>r</strong>"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s not found in the page", want)
		}
	}
	if strings.Contains(single, "<nav") || !strings.Contains(single, "<title>second &amp; last</title>") {
		t.Error("page of one conversation: want its title and no table of contents")
	}
}

func TestPageStopsAtError(t *testing.T) {
	err := writeHTML(&bytes.Buffer{}, []history.Conversation{{ID: "x"}}, func(yield func(history.Tree, error) bool) { yield(history.Tree{}, errors.ErrUnsupported) })
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got error %v", err)
	}
}

func TestExpensiveRepliesAreShownAsText(t *testing.T) {
	r := newReplyRenderer()
	for name, reply := range map[string]string{
		"deep":       strings.Repeat("> ", 50_000),
		"deep lists": strings.Repeat("1. ", 50_000),
		"wide":       strings.Repeat("|a", 50_000) + "\n" + strings.Repeat("|-", 50_000) + "\n" + strings.Repeat("x\n", 5000),
		"long":       strings.Repeat("`a``", 100_000),
	} {
		if got := string(r.render(reply)); !strings.HasPrefix(got, "<pre>") {
			t.Errorf("%s: %.60s…", name, got)
		}
	}
	if got := string(r.render(strings.Repeat("-", 400) + "\n\n" + strings.Repeat(" ", 8) + "code")); !strings.HasPrefix(got, "<hr>") {
		t.Errorf("long rule: got %.60s", got)
	}
}

func FuzzReply(f *testing.F) {
	for _, attack := range attacks {
		f.Add(attack)
	}
	r := newReplyRenderer()
	f.Fuzz(func(t *testing.T, reply string) {
		reply = visible(reply)
		checkDOM(t, "<!DOCTYPE html><div>"+string(r.render(reply))+string(r.question(reply))+"</div>")
	})
}
