package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"mime"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// maxMessage is the maximum length of the service's text in an error, in runes.
const maxMessage = 1000

// errorText returns the message in the body of an error. The interface defines no
// errors, so all common forms are supported: error.message, error, message, detail
// (a string, or FastAPI's list of {"msg"}), title, an HTML page, or the body itself.
// The result is valid UTF-8 of at most maxMessage runes without the token.
func errorText(contentType string, body []byte, m mask) string {
	text := jsonErrorText(body)
	if text == "" && isHTML(contentType, body) {
		text = htmlText(body)
	}
	if text == "" {
		text = string(body)
	}
	text = m.text(strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")))
	return cut(text, maxMessage)
}

// cut shortens text to limit runes including an ellipsis.
func cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit-1]) + "…"
}

// jsonErrorText returns the message in a JSON object, or "" if there is none.
func jsonErrorText(body []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil {
		return ""
	}
	var nested map[string]json.RawMessage
	_ = json.Unmarshal(fields["error"], &nested)
	var details []struct {
		Msg string `json:"msg"`
	}
	if json.Unmarshal(fields["detail"], &details) != nil {
		details = nil
	}
	var parts []string
	for _, d := range details {
		if d.Msg != "" {
			parts = append(parts, d.Msg)
		}
	}
	return cmp.Or(jsonString(nested["message"]), jsonString(fields["error"]), jsonString(fields["message"]),
		jsonString(fields["detail"]), strings.Join(parts, "; "), jsonString(fields["title"]))
}

// jsonString returns a JSON string, or "" for any other value.
func jsonString(raw json.RawMessage) string {
	var text string
	_ = json.Unmarshal(raw, &text)
	return strings.TrimSpace(text)
}

func isHTML(contentType string, body []byte) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	return media == "text/html" || media == "application/xhtml+xml" ||
		bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}

// htmlText returns the title of a page, its first heading or its text, as one line.
func htmlText(body []byte) string {
	var title, heading, all strings.Builder
	var inside string
	for z := html.NewTokenizer(bytes.NewReader(body)); ; {
		switch z.Next() {
		case html.ErrorToken:
			for _, b := range []*strings.Builder{&title, &heading, &all} {
				if line := strings.Join(strings.Fields(b.String()), " "); line != "" {
					return line
				}
			}
			return ""
		case html.StartTagToken:
			name, _ := z.TagName()
			switch string(name) {
			case "title", "h1", "script", "style":
				inside = string(name)
			}
			all.WriteByte(' ')
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == inside {
				inside = ""
			}
			all.WriteByte(' ')
		case html.TextToken:
			text := z.Token().Data
			switch inside {
			case "title":
				title.WriteString(text)
			case "h1":
				heading.WriteString(text)
			}
			if inside != "script" && inside != "style" {
				all.WriteString(text)
			}
		}
	}
}

// readErrorBody returns at most MaxErrorBody bytes of the body, without an error if
// reading fails, because the status is known already. A truncated body loses its
// last bytes, which may be a part of the token that cannot be masked.
func readErrorBody(body io.Reader, m mask) []byte {
	data, _ := io.ReadAll(io.LimitReader(body, MaxErrorBody+1))
	if len(data) <= MaxErrorBody {
		return data
	}
	return data[:max(0, MaxErrorBody-len(`%41`)*m.maxLength())]
}
