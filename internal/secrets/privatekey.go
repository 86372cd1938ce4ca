package secrets

import "strings"

// minBody is the minimum length of a private key in Base64. The shortest, of Ed25519 in
// PKCS #8, has 64.
const minBody = 60

// findPrivateKeys adds private keys in the textual encodings of RFC 7468 (PKCS #1 and #8,
// SEC 1, OpenSSH), RFC 9580 §6.2 (PGP) and PuTTY. Lines may be indented, quoted, or
// escaped as in the JSON of a service account. A header without a key is an example or a
// pattern.
func findPrivateKeys(text string, add func(match) bool) {
	const begin, dashes = "-----BEGIN ", "-----"
	for from := 0; ; {
		at := strings.Index(text[from:], begin)
		if at < 0 {
			break
		}
		start := from + at
		from = start + len(begin)
		label, _, ok := strings.Cut(text[from:min(len(text), from+40)], dashes)
		if !ok || !strings.HasSuffix(label, "PRIVATE KEY") && label != "PGP PRIVATE KEY BLOCK" {
			continue
		}
		end, ok := body(text, from+len(label)+len(dashes))
		if from = end; ok && !add(match{start, end, "private key"}) {
			return
		}
	}
	const putty = "PuTTY-User-Key-File-"
	for from := 0; ; {
		at := strings.Index(text[from:], putty)
		if at < 0 {
			return
		}
		start := from + at
		from = start + len(putty)
		section, _, _ := strings.Cut(text[from:min(len(text), from+16<<10)], putty)
		lines := strings.Index(section, "\nPrivate-Lines: ")
		if lines < 0 {
			continue
		}
		if !add(match{start, from + lines, "private key"}) {
			return
		}
	}
}

// minLine is the minimum length of the lines of a key, except the last. No word of a
// sentence is as long.
const minLine = 32

// maxHeaders is the maximum number of headers of a key.
const maxHeaders = 10

// body returns the end of the Base64 text at an offset, after headers such as Proc-Type,
// and reports whether it is that of a private key.
func body(text string, at int) (end int, ok bool) {
	length, headers := 0, 0
	for end = gap(text, at); length <= 4096; end = gap(text, end) {
		start := end
		for end < len(text) && base64Chars[text[end]] {
			end++
		}
		if length == 0 && headers < maxHeaders && isHeader(text, end) {
			headers++
			end = lineEnd(text, end)
			continue
		}
		if end-start < minLine || entropy(text[start:end]) < minEntropy {
			break
		}
		length += end - start
	}
	return end, length >= minBody && !strings.HasPrefix(text[end:], "...") && !strings.HasPrefix(text[end:], "…")
}

// lineEnd returns the offset of the next line end, which may be escaped, within 200 bytes.
func lineEnd(text string, at int) int {
	rest := text[at:min(len(text), at+200)]
	end := len(rest)
	for _, mark := range []string{"\n", `\n`, `\r`} {
		if i := strings.Index(rest, mark); i >= 0 {
			end = min(end, i)
		}
	}
	return at + end
}

// isHeader reports whether a word that ends at an offset is the name of a header, such as
// Proc-Type and Version.
func isHeader(text string, at int) bool {
	for at < len(text) && word[text[at]] {
		at++
	}
	return strings.HasPrefix(text[at:], ": ") || strings.HasPrefix(text[at:], ":\n")
}

// gap returns the offset after what may be between two lines of a key: white space, line
// ends that are escaped, and quotes and operators of source code.
func gap(text string, at int) int {
	for at < len(text) {
		rest := text[at:]
		switch c := rest[0]; {
		case strings.IndexByte(" \t\r\n\"'`,>#*|", c) >= 0:
			at++
		case c == '\\' && len(rest) > 1 && strings.IndexByte("nrt", rest[1]) >= 0:
			at += 2
		case c == '\\':
			at++
		case c == '+' && len(rest) > 1 && (rest[1] == ' ' || rest[1] == '\n' || rest[1] == '\r'):
			at++
		default:
			return at
		}
	}
	return at
}
