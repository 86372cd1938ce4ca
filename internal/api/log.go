package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// logRequest writes the request line and the headers in the manner of curl.
func (o *operation) logRequest(r *http.Request) {
	if o.client.options.Log == nil {
		return
	}
	header := r.Header.Clone()
	header.Set("Host", r.URL.Host)
	o.logLine("> " + r.Method + " " + r.URL.RequestURI() + " HTTP/1.1")
	o.logHeader("> ", header)
}

func (o *operation) logResponse(r *http.Response) {
	if o.client.options.Log == nil {
		return
	}
	status := strings.TrimSpace(r.Status)
	if status == "" {
		status = fmt.Sprintf("%d %s", r.StatusCode, http.StatusText(r.StatusCode))
	}
	o.logLine("< " + status)
	o.logHeader("< ", r.Header)
}

func (o *operation) logHeader(prefix string, header http.Header) {
	var lines []string
	for name, values := range header {
		for _, value := range values {
			switch http.CanonicalHeaderKey(name) {
			case "Authorization":
				value = "Bearer " + masked
			case "Proxy-Authorization", "Cookie", "Set-Cookie":
				value = masked
			}
			lines = append(lines, prefix+name+": "+value)
		}
	}
	slices.Sort(lines)
	for _, line := range lines {
		o.logLine(line)
	}
}

// logLine hands on one line: a control character in a hostile header must not
// make two of it.
func (o *operation) logLine(line string) {
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(line, "\uFFFD"))
	o.client.options.Log(o.mask.text(line))
}
