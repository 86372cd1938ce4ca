package transfer

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/hobnob-cli/hobnob/internal/history"
)

// browser is Chromium with a proxy that records all requests and serves one page.
type browser struct {
	t       *testing.T
	program string
	proxy   *httptest.Server
	page    string

	mu       sync.Mutex
	requests []string
}

const pageURL = "http://page.test/page.html"

func newBrowser(t *testing.T) *browser {
	t.Helper()
	b := &browser{t: t}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			b.program = path
			break
		}
	}
	if b.program == "" {
		if os.Getenv("HOBNOB_TEST_REQUIRE") == "1" {
			t.Fatal("chromium is not installed, and HOBNOB_TEST_REQUIRE=1")
		}
		t.Skip("chromium is not installed")
	}
	b.proxy = httptest.NewServer(http.HandlerFunc(b.answer))
	t.Cleanup(b.proxy.Close)
	return b
}

func (b *browser) answer(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	// Ignore requests of the browser itself, such as for updates.
	if host := r.URL.Hostname(); !strings.HasSuffix(host, ".google.com") && !strings.HasSuffix(host, ".googleapis.com") {
		b.requests = append(b.requests, r.Method+" "+r.URL.String())
	}
	if r.Method == http.MethodGet && r.URL.String() == pageURL {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, b.page)
		return
	}
	http.Error(w, "not found", http.StatusNotFound)
}

// run opens the page for ten seconds of virtual time and returns the output of Chromium
// and its requests.
func (b *browser) run(page string, flags ...string) (string, []string) {
	b.t.Helper()
	b.mu.Lock()
	b.page, b.requests = page, nil
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(b.t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, b.program, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check",
		"--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--disable-sync",
		"--user-data-dir=" + b.t.TempDir(), "--proxy-server=" + b.proxy.URL, "--proxy-bypass-list=<-loopback>", "--virtual-time-budget=10000",
	}, append(flags, pageURL)...)...)
	command.WaitDelay = 5 * time.Second
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		b.t.Fatalf("chromium: %v\n%s", err, stderr.String())
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(out), b.requests
}

// attacks try to load a resource or to run a script, which would change the title of the
// page.
var attacks = []string{
	`<script>document.title='run'</script>`,
	"text <script src=http://evil.test/1.js></script> text",
	`<img src=x onerror="document.title='run'">`,
	`<img src="http://evil.test/2.png" srcset="http://evil.test/3.png 2x">`,
	`<svg onload="document.title='run'"><script>document.title='run'</script><image href="http://evil.test/4.svg"/></svg>`,
	`<svg><style><img src=x onerror=document.title='run'></style></svg>`,
	`<math><mtext><table><mglyph><style><img src=x onerror=document.title='run'>`,
	`<iframe src="http://evil.test/5.html"></iframe><iframe srcdoc="<script>parent.document.title='run'</script>"></iframe>`,
	`<object data="http://evil.test/6"></object><embed src="http://evil.test/7">`,
	`<link rel=stylesheet href="http://evil.test/8.css"><link rel=prefetch href="http://evil.test/9"><link rel=preconnect href="http://evil.test">`,
	`<meta http-equiv="refresh" content="1;url=http://evil.test/10">`,
	`<base href="http://evil.test/">`,
	`<style>@import url(http://evil.test/11.css); body{background:url(http://evil.test/12.png)}</style>`,
	`<div style="background:url(http://evil.test/13.png)">x</div>`,
	`<video src="http://evil.test/14" poster="http://evil.test/15" autoplay></video><audio src="http://evil.test/16" autoplay></audio>`,
	`<form action="http://evil.test/17"><input autofocus onfocus="document.title='run'"></form>`,
	`<details open ontoggle="document.title='run'"></details><body onload="document.title='run'">`,
	`<a href="http://evil.test/18" ping="http://evil.test/19">x</a>`,
	`<template><script>document.title='run'</script></template><noscript><p title="</noscript><img src=x onerror=document.title='run'>">`,
	`<script type="speculationrules">{"prefetch":[{"source":"list","urls":["http://evil.test/20"]}]}</script>`,
	"![picture](http://evil.test/21.png) ![data](data:image/svg+xml,<svg/onload=document.title='run'>)",
	"[a](javascript:document.title='run') [b](JaVaScRiPt&colon;document.title='run') [c](java\tscript:document.title='run') [d](vbscript:x) [e](data:text/html,<script>document.title='run'</script>)",
	"<javascript:document.title='run'> [ref]\n\n[ref]: javascript:document.title='run'",
	"[f](//evil.test/22) [g](page.html) [h](\\\\evil.test\\23) [i](file:///etc/passwd) [j](http://evil.test/24)",
	"[k](http://x.test/\" onmouseover=\"document.title='run') ![\" onerror=\"document.title='run'](x) [l](http://x.test 'a\" onfocus=\"x')",
	"```html\n</code></pre><script>document.title='run'</script>\n```",
	"```\"><img/src=x/onerror=document.title='run'>\nx\n```",
	"    </pre><script>document.title='run'</script>",
	"| <script>document.title='run'</script> | a |\n|:-:|---|\n| ![x](http://evil.test/25.png) | `<script>` |",
	"- [x] <img src=http://evil.test/26.png>\n- [ ] done",
	"</div></section></article></main></body></html><script>document.title='run'</script>",
	"<!--><script>document.title='run'</script>-->  <![CDATA[<script>document.title='run'</script>]]> <?php <script>document.title='run'</script> ?>",
	"&lt;script&gt;document.title='run'&lt;/script&gt; &#60;script&#62; {{constructor.constructor('x')()}}",
	"\x00<scr\x00ipt>document.title='run'</scr\x00ipt> \u202e<\u2066script>",
}

func hostilePage(t *testing.T) string {
	t.Helper()
	var trees []history.Tree
	for i, attack := range append(attacks, strings.Join(attacks, "\n\n")) {
		c := history.Conversation{ID: stableID("test", fmt.Sprint(i)), Title: attack, Created: time.Unix(1_700_000_000, 0), Turns: 2}
		trees = append(trees, history.Tree{Conversation: c, Turns: []history.Turn{
			{Question: attack, Reply: attack, State: history.Answered, Service: history.Service{Model: attack}},
			{Question: attack, Failure: history.Failure{Text: attack}, State: history.Failed},
		}})
	}
	return pageOf(t, trees...)
}

func TestPageRunsAndLoadsNothing(t *testing.T) {
	b := newBrowser(t)
	// An unprotected page shows that the test detects the attacks.
	control := "<!DOCTYPE html><title>still</title>" + strings.Join(attacks, "\n")
	dom, requests := b.run(control, "--dump-dom")
	if !strings.Contains(dom, "<title>run</title>") || len(requests) < 8 {
		t.Fatalf("unprotected page: requests %q, page\n%s", requests, dom)
	}

	page := hostilePage(t)
	dom, requests = b.run(page, "--dump-dom")
	if len(requests) != 1 || requests[0] != "GET "+pageURL {
		t.Errorf("requests %q", requests)
	}
	if !strings.Contains(dom, "<title>Conversations</title>") {
		t.Error("the title changed: a script ran")
	}
	checkDOM(t, dom)
	checkDOM(t, page)
	// Even without the policy nothing runs, and the browser only requests the icon of
	// the site.
	open := strings.Replace(page, `http-equiv="Content-Security-Policy"`, `name="removed"`, 1)
	dom, requests = b.run(open, "--dump-dom")
	for _, request := range requests {
		if request != "GET "+pageURL && request != "GET http://page.test/favicon.ico" {
			t.Errorf("without the policy: request %q", request)
		}
	}
	if !strings.Contains(dom, "<title>Conversations</title>") {
		t.Error("without the policy: the title changed")
	}
}

// checkDOM checks that a page only has allowed elements and attributes.
func checkDOM(t *testing.T, page string) {
	t.Helper()
	document, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{}
	for _, name := range strings.Fields("html head meta title style body main nav article header section div p bdi time small a span pre code em strong del " +
		"br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li table thead tbody tr th td") {
		allowed[name] = true
	}
	attributes := map[string]bool{}
	for _, name := range strings.Fields("lang charset name content http-equiv class id dir rel href start align aria-label") {
		attributes[name] = true
	}
	for node := range document.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		if !allowed[node.Data] {
			t.Errorf("element <%s>", node.Data)
		}
		for _, a := range node.Attr {
			value := strings.ToLower(strings.TrimSpace(a.Val))
			switch {
			case !attributes[a.Key]:
				t.Errorf("attribute %s=%q of <%s>", a.Key, a.Val, node.Data)
			case a.Key == "href" && !(node.Data == "a" && (strings.HasPrefix(value, "http:") || strings.HasPrefix(value, "https:") || strings.HasPrefix(value, "mailto:") || strings.HasPrefix(value, "#c-"))):
				t.Errorf("link of <%s> to %q", node.Data, a.Val)
			case a.Key == "http-equiv" && value != "content-security-policy" && value != "x-dns-prefetch-control":
				t.Errorf("element <meta http-equiv=%q>", a.Val)
			}
		}
	}
}

// sample returns the conversation in docs/export.png.
func sample() history.Tree {
	at := time.Date(2026, 3, 2, 9, 14, 0, 0, time.UTC)
	c := history.Conversation{ID: stableID("sample"), Title: "Why does this goroutine leak?", Created: at, Turns: 3}
	turns := []history.Turn{{
		State: history.Answered, Asked: at, Service: history.Service{Model: "reviewer-2"},
		Question: "Why does this goroutine leak?\n\n```go\nresults := make(chan string)\ngo func() { results <- fetch(url) }()\nselect {\ncase r := <-results:\n\treturn r, nil\ncase <-ctx.Done():\n\treturn \"\", ctx.Err()\n}\n```",
		Reply:    "If `ctx` is cancelled first, nothing receives from `results`, and the goroutine blocks forever in its **send**. Give the channel a buffer for the value:\n\n```go\nresults := make(chan string, 1) // the send never blocks\ngo func() { results <- fetch(ctx, url) }()\n```\n\nPass `ctx` to `fetch` too, so that the request itself is cancelled:\n\n| | leaks | stops early |\n|---|:-:|:-:|\n| unbuffered | yes | no |\n| buffered | no | no |\n| buffered, with `ctx` | no | **yes** |",
	}, {
		State: history.Answered, Asked: at.Add(3 * time.Minute), Service: history.Service{Model: "reviewer-2"},
		Question: "How do I test that?",
		Reply:    "Run it in a `testing/synctest` bubble, which fails if a goroutine is still running:\n\n```go\nfunc TestGetStopsGoroutine(t *testing.T) {\n\tsynctest.Test(t, func(t *testing.T) {\n\t\tctx, cancel := context.WithCancel(t.Context())\n\t\tcancel()\n\t\tif _, err := get(ctx, \"/slow\"); err == nil {\n\t\t\tt.Error(\"no error\")\n\t\t}\n\t})\n}\n```",
	}}
	return history.Tree{Conversation: c, Turns: turns}
}

// maxPicture is the maximum size of docs/export.png in bytes.
const maxPicture = 120 << 10

// TestExportPicture checks docs/export.png. With HOBNOB_TEST_UPDATE=1 it recreates the picture.
func TestExportPicture(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "export.png")
	if os.Getenv("HOBNOB_TEST_UPDATE") != "" {
		shot, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		newBrowser(t).run(pageOf(t, sample()), "--screenshot="+shot, "--window-size=800,1240", "--hide-scrollbars")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(data)); err != nil || len(data) > maxPicture {
		t.Errorf("docs/export.png has %d bytes, %v", len(data), err)
	}
}
