package secrets

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// find returns the places in a text that look like secrets.
func find(name, text string) []Finding { return findings(name, text, scan(name, text, "")) }

func FuzzScan(f *testing.F) {
	g := newGenerator()
	for _, key := range g.keys(f) {
		f.Add("id", key, "")
		f.Add("id.json", quoted(key), "")
	}
	f.Add(".env", "A_KEY="+g.random(20, base62)+"\n\nexport B_TOKEN=\"x", "")
	f.Add("", "AKIA"+g.random(16, base32)+" "+g.awsSecret()+" ghp"+"_"+g.checked(), "")
	f.Add("", "AccountKey="+strings.Repeat("a", 86)+"==", "")
	f.Add("", "-----BEGIN PRIVATE KEY-----A: \\n\n+ ", "-----BEGIN PRIVATE")
	f.Add("", "PuTTY-User-Key-File-3\nPrivate-Lines: ", "token-token-token")
	f.Fuzz(func(t *testing.T, name, text, token string) {
		lines := strings.Count(text, "\n") + 1
		found, matches := find(name, text), scan(name, text, token)
		if len(found) > maxFindings || len(matches) > maxFindings {
			t.Fatalf("%d findings, %d matches", len(found), len(matches))
		}
		for i, finding := range found {
			if finding.Line < 1 || finding.Line > lines || finding.Name != name || i > 0 && finding.Line < found[i-1].Line {
				t.Errorf("%+v in %d lines", finding, lines)
			}
		}
		end := 0
		for _, m := range matches {
			if m.start < end || m.end <= m.start || m.end > len(text) {
				t.Fatalf("%+v after %d in %d bytes", m, end, len(text))
			}
			end = m.end
			if secret := text[m.start:m.end]; strings.Contains(m.what, secret) {
				t.Errorf("%q contains the secret %q", m.what, secret)
			}
		}
		line := Finding{Name: name, Line: 1, What: "private key"}.String()
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) || !utf8.ValidString(line) {
			t.Errorf("%q", line)
		}
	})
}

// hostile returns texts of a size that are expensive for a careless scanner.
func hostile(size int) map[string]string {
	g := newGenerator()
	fill := func(part string) string { return strings.Repeat(part, size/len(part)) }
	return map[string]string{
		"letters":            fill("a"),
		"dashes":             fill("-"),
		"backslashes":        fill(`\`),
		"lines":              fill("\n"),
		"prefixes":           fill("sk-ant-"),
		"words":              fill("sk-ant-api03-" + strings.Repeat("x", 90) + " "),
		"keys without body":  fill("-----BEGIN PRIVATE KEY-----"),
		"headers":            fill("-----BEGIN PRIVATE KEY-----\nA: "),
		"headers of a key":   "-----BEGIN PRIVATE KEY-----\n" + fill("A: b\n"),
		"long body":          "-----BEGIN PRIVATE KEY-----\n" + fill(g.random(64, base62)+"\n"),
		"PuTTY keys":         fill("PuTTY-User-Key-File-"),
		"PuTTY headers":      fill("PuTTY-User-Key-File-" + strings.Repeat("x", 1000) + "\n"),
		"access key IDs":     fill("AKIA" + g.random(16, base32) + " "),
		"secrets without ID": fill(g.awsSecret() + " "),
		"assignments":        fill("A_KEY=" + g.random(20, base62) + "\n"),
		"long assignment":    "A_KEY=" + fill("x"),
		"tokens":             fill("ghp" + "_" + g.checked() + " "),
		"random":             g.random(size, base62+" \n"),
	}
}

// perByte returns the shortest time of three scans, for each byte of a text.
func perByte(text string) time.Duration {
	best := time.Hour
	for range 3 {
		started := time.Now()
		find(".env", text)
		best = min(best, time.Since(started))
	}
	return best * 1000 / time.Duration(len(text))
}

// The time per byte does not grow with the size of a text. A quadratic scan of 16 times
// the size would take 16 times as long per byte.
func TestScanIsLinear(t *testing.T) {
	small, large := hostile(64<<10), hostile(1<<20)
	for name := range small {
		few, many := perByte(small[name]), perByte(large[name])
		if many > 8*few+100 {
			t.Errorf("%s: %s per 1000 bytes, %s for the larger text", name, few, many)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	for name, text := range hostile(10 << 20) {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				find(".env", text)
			}
		})
	}
}

// The sources of the Go distribution have keys for tests, hashes, certificates and tables.
func TestSourcesOfGoHaveFewFindings(t *testing.T) {
	root := filepath.Join(build.Default.GOROOT, "src")
	files, scanned, flagged := 0, 0, 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if files++; files%4 != 0 && !strings.Contains(path, "crypto") {
			return nil
		}
		data, err := os.ReadFile(path)
		scanned++
		if found := find(path, string(data)); len(found) > 0 {
			flagged++
			t.Log(found)
		}
		return err
	})
	if err != nil || scanned < 1000 {
		t.Skipf("%d files of the Go distribution: %v", scanned, err)
	}
	t.Logf("%d of %d files", flagged, scanned)
	if flagged*200 > scanned {
		t.Errorf("%d of %d files have findings, more than 0.5%%", flagged, scanned)
	}
}
