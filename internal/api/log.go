package api

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
)

// logRequest logs the request line and the headers in curl's format.
func (o *operation) logRequest(r *http.Request) {
	if o.client.options.Log == nil {
		return
	}
	header := r.Header.Clone()
	header.Set("Host", r.URL.Host)
	o.log("> ", r.Method+" "+r.URL.RequestURI()+" HTTP/1.1", header)
}

func (o *operation) logResponse(r *http.Response) {
	if o.client.options.Log == nil {
		return
	}
	o.log("< ", cmp.Or(strings.TrimSpace(r.Status), fmt.Sprintf("%d %s", r.StatusCode, http.StatusText(r.StatusCode))), r.Header)
}

// log logs one line for each header. It escapes control characters, so that a
// hostile header cannot forge a second line.
func (o *operation) log(prefix, first string, header http.Header) {
	var lines []string
	for name, values := range header {
		for _, value := range values {
			switch http.CanonicalHeaderKey(name) {
			case "Authorization":
				value = "Bearer " + masked
			case "Proxy-Authorization", "Cookie", "Set-Cookie":
				value = masked
			}
			lines = append(lines, name+": "+value)
		}
	}
	slices.Sort(lines)
	for _, line := range slices.Insert(lines, 0, first) {
		line = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, strings.ToValidUTF8(prefix+line, "\uFFFD"))
		o.client.options.Log(o.mask.text(line))
	}
}
