package cmd

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/hobnob-cli/hobnob/internal/cli"
	"github.com/hobnob-cli/hobnob/internal/terminal"
)

// inUTF16 is a text as `>` of Windows PowerShell writes it, with its byte order mark.
func inUTF16(order binary.AppendByteOrder, text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

func TestAnExportThatWentThroughPowerShellIsImported(t *testing.T) {
	const (
		hobnob = `{"format":"hobnob-conversations","version":1,"conversations":[{"id":"aaaaaaaa-0000-4000-8000-000000000000","title":"grüße 🙂","profile":"local","created":"2026-01-02T03:04:05Z","updated":"2026-01-02T03:04:05Z","turns":[]}]}`
		llm    = `[{"id":"01jm8ec74wxsdatyn5pq1fp0s5","model":"m","prompt":"grüße 🙂","response":"a","conversation_id":"01jm8ec74t","conversation_name":"grüße 🙂","datetime_utc":"2025-02-16T22:34:30"}]`
		aichat = "model: m\nmessages:\n- role: user\n  content: grüße 🙂\n- role: assistant\n  content: a\n"
	)
	for format, text := range map[string]string{"hobnob": hobnob, "llm": llm, "aichat": aichat} {
		for encoding, written := range map[string]string{
			"UTF-8":           text,
			"UTF-8 with mark": "\xef\xbb\xbf" + text,
			"UTF-16LE":        inUTF16(binary.LittleEndian, text),
			"UTF-16BE":        inUTF16(binary.BigEndian, text),
		} {
			for _, how := range []string{"auto", format} {
				for _, piped := range []bool{false, true} {
					dir := t.TempDir()
					name := filepath.Join(dir, "grüße 🙂.yaml")
					if err := os.WriteFile(name, []byte(written), 0o600); err != nil {
						t.Fatal(err)
					}
					streams := &terminal.Streams{In: strings.NewReader(written), Out: io.Discard, Err: io.Discard}
					f := cli.New(streams, func(key string) string {
						return map[string]string{"HOBNOB_DATA_DIR": filepath.Join(dir, "data"), "HOME": dir}[key]
					})
					if piped {
						name = "-"
					}
					err := runConversationsImport(t.Context(), conversationsImportOptions{f: f, Files: []string{name}, Format: how})
					if err != nil {
						t.Errorf("%s, %s, --format %s, piped %t: %v", format, encoding, how, piped, err)
					} else if store, err := f.ReadHistory(t.Context()); err != nil {
						t.Error(err)
					} else if _, err := store.Find(t.Context(), "grüße 🙂"); err != nil {
						t.Errorf("%s, %s, --format %s, piped %t: %v", format, encoding, how, piped, err)
					}
					if err := f.Close(); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}
