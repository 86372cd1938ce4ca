package transfer

import (
	"bytes"
	"html"
	"html/template"
	"regexp"
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

const (
	// maxCode is the maximum size of highlighted code, in bytes, and maxLexing the
	// maximum time for a block: crafted code can keep a lexer busy for hours.
	maxCode   = 64 << 10
	maxLexing = time.Second
)

// replyRenderer renders replies as HTML.
type replyRenderer struct {
	markdown goldmark.Markdown
	nodes    nodes
	policy   *bluemonday.Policy
}

func newReplyRenderer() replyRenderer {
	own := nodes{formatter: codeFormatter()}
	return replyRenderer{
		nodes: own,
		markdown: goldmark.New(
			goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
				extension.Strikethrough, extension.Linkify, extension.TaskList),
			goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(own, 1))),
		),
		policy: replyPolicy(),
	}
}

// replyPolicy is the allow-list of the elements of a reply.
func replyPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li",
		"table", "thead", "tbody", "tr", "th", "td", "pre", "code", "em", "strong", "del", "span")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")
	p.AllowAttrs("class").Matching(regexp.MustCompile(`^[a-z0-9]{1,6}$`)).OnElements("span", "pre", "code")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(false)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}

// render returns a reply as sanitized HTML.
func (r replyRenderer) render(reply string) template.HTML {
	var out bytes.Buffer
	if !parsable(reply) || r.markdown.Convert([]byte(reply), &out) != nil {
		out.Reset()
		out.WriteString("<pre>" + html.EscapeString(reply) + "</pre>")
	}
	return template.HTML(r.policy.SanitizeBytes(out.Bytes())) //nolint:gosec // sanitized here
}

// question returns a question as sanitized HTML: plain text, with highlighted code blocks,
// which include attached files.
func (r replyRenderer) question(question string) template.HTML {
	var out strings.Builder
	for _, p := range partsOf(question) {
		if p.fence != "" {
			out.WriteString(r.nodes.code(p.text, p.language))
		} else if plain := strings.Trim(p.text, "\n"); plain != "" {
			out.WriteString("<p>" + html.EscapeString(plain) + "</p>\n")
		}
	}
	return template.HTML(r.policy.Sanitize(out.String())) //nolint:gosec // sanitized here
}

// nodes renders HTML as text, images as links and code with highlighting, in place of
// goldmark's own renderer.
type nodes struct{ formatter *chromahtml.Formatter }

func (n nodes) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	leaf := func(kind ast.NodeKind, render func(source []byte, node ast.Node) string) {
		register.Register(kind, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
			if !entering {
				return ast.WalkContinue, nil
			}
			_, err := w.WriteString(render(source, node))
			return ast.WalkSkipChildren, err
		})
	}
	leaf(ast.KindHTMLBlock, func(source []byte, node ast.Node) string {
		block := node.(*ast.HTMLBlock)
		text := string(block.Lines().Value(source))
		if block.HasClosure() {
			text += string(block.ClosureLine.Value(source))
		}
		return "<pre>" + html.EscapeString(text) + "</pre>\n"
	})
	leaf(ast.KindRawHTML, func(source []byte, node ast.Node) string {
		return html.EscapeString(string(node.(*ast.RawHTML).Segments.Value(source)))
	})
	leaf(ast.KindCodeBlock, func(source []byte, node ast.Node) string { return n.code(string(node.Lines().Value(source)), "") })
	leaf(ast.KindFencedCodeBlock, func(source []byte, node ast.Node) string {
		return n.code(string(node.Lines().Value(source)), string(node.(*ast.FencedCodeBlock).Language(source)))
	})
	leaf(extensionast.KindTaskCheckBox, func(_ []byte, node ast.Node) string {
		if node.(*extensionast.TaskCheckBox).IsChecked {
			return "☑ "
		}
		return "☐ "
	})
	register.Register(ast.KindImage, renderImage)
}

// renderImage writes a link, because loading an image would reveal the reader to its server.
func renderImage(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	before, after := "[image: ", "]"
	if !within(node, ast.KindLink) { // links cannot be nested
		before, after = `<a href="`+html.EscapeString(string(node.(*ast.Image).Destination))+`">[image: `, "]</a>"
	}
	text := after
	if entering {
		text = before
	}
	_, err := w.WriteString(text)
	return ast.WalkContinue, err
}

// within reports whether a node has an ancestor of a kind.
func within(node ast.Node, kind ast.NodeKind) bool {
	for parent := node.Parent(); parent != nil; parent = parent.Parent() {
		if parent.Kind() == kind {
			return true
		}
	}
	return false
}

// code returns a block of code as HTML.
func (n nodes) code(code, language string) string {
	if highlighted, ok := n.highlight(code, language); ok {
		return `<pre class="chroma"><code>` + highlighted + "</code></pre>\n"
	}
	return "<pre><code>" + html.EscapeString(code) + "</code></pre>\n"
}

// highlight returns code as HTML with classes; ok is false for an unknown language and
// for code that takes too long.
func (n nodes) highlight(code, language string) (highlighted string, ok bool) {
	defer func() {
		if recover() != nil { // a bug in a lexer must not affect the rest of the page
			highlighted, ok = "", false
		}
	}()
	lexer := lexers.Get(language)
	if lexer == nil || language == "" || len(code) > maxCode {
		return "", false
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return "", false
	}
	var all []chroma.Token
	deadline := time.Now().Add(maxLexing)
	for token := tokens(); token != chroma.EOF; token = tokens() {
		if time.Now().After(deadline) {
			return "", false
		}
		all = append(all, token)
	}
	var out strings.Builder
	if err := n.formatter.Format(&out, styles.Fallback, chroma.Literator(all...)); err != nil {
		return "", false
	}
	return out.String(), true
}

func codeFormatter() *chromahtml.Formatter {
	return chromahtml.New(chromahtml.WithClasses(true), chromahtml.WithAllClasses(true), chromahtml.PreventSurroundingPre(true), chromahtml.WithCSSComments(false))
}
