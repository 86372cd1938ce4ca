package transfer

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/history"
)

// inUTF16 returns a text with a byte order mark in UTF-16, as written by > in Windows PowerShell.
func inUTF16(order binary.AppendByteOrder, text string) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

func mustImport(t *testing.T, name string) Format {
	t.Helper()
	format, err := ImportFormat(name)
	if err != nil {
		t.Fatal(err)
	}
	return format
}

func TestImportOfFileWrittenByPowerShell(t *testing.T) {
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
					if piped {
						name = "-"
					}
					store, err := history.Open(t.Context(), filepath.Join(dir, "data"))
					if err != nil {
						t.Fatal(err)
					}
					source, err := Open(t.Context(), name, strings.NewReader(written), mustImport(t, how))
					if err != nil {
						t.Fatalf("%s, %s, --format %s, piped %t: %v", format, encoding, how, piped, err)
					}
					if done, err := source.Import(t.Context(), store, "", false); err != nil || source.Format.Name != format || len(done.Profiles) != 1 {
						t.Errorf("%s, %s, --format %s, piped %t: %+v, %v", format, encoding, how, piped, done, err)
					} else if _, err := store.Find(t.Context(), "grüße 🙂"); err != nil {
						t.Errorf("%s, %s, --format %s, piped %t: %v", format, encoding, how, piped, err)
					}
					source.Close()
					if err := store.Close(); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

func TestFormatDetection(t *testing.T) {
	for text, want := range map[string]string{
		"\n {\"format\":1}": "hobnob", " \t[\n{": "llm", "\xef\xbb\xbf[": "llm", "model: x": "aichat", "": "aichat", "- [": "aichat", strings.Repeat(" ", 9000): "aichat",
	} {
		source, err := Open(t.Context(), "-", strings.NewReader(text), Format{})
		switch {
		case err != nil:
			if hint := failure.Of(err).Hint.String(); !strings.Contains(hint, "the detected format is "+want) || !strings.HasPrefix(err.Error(), "-: ") {
				t.Errorf("%.20q: %v, %s, want %s", text, err, hint, want)
			}
		case source.Format.Name != want:
			t.Errorf("%.20q: got %s, want %s", text, source.Format.Name, want)
			fallthrough
		default:
			source.Close()
		}
	}
}

func TestImportErrors(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(dir, "tmp"))
	t.Setenv("TMP", filepath.Join(dir, "tmp"))
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{dir: dir + " is a directory", filepath.Join(dir, "nowhere"): "nowhere: "} {
		if _, err := Open(t.Context(), name, nil, Format{}); failure.Of(err).Kind != failure.Usage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var unknown *UnknownFormatError
	if _, err := ImportFormat("md"); !errors.As(err, &unknown) || unknown.Name != "md" {
		t.Errorf("export-only format: %v", err)
	}
	source, err := Open(t.Context(), "-", strings.NewReader(`{"format":"hobnob-conversations","version":4}`), hobnobFormat)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := source.Import(t.Context(), openStore(t), "", true); !errors.As(err, new(*history.ImportError)) || !failure.Of(err).Hint.IsZero() {
		t.Errorf("newer version: %v", err)
	}
	source.Close()
	if left := filesIn(t, filepath.Join(dir, "tmp")); len(left) > 0 {
		t.Errorf("temporary copies left: %q", left)
	}
}

func TestFilesErrorReportsEachFile(t *testing.T) {
	err := &FilesError{Err: context.Canceled, Done: []Imported{{File: "a.json", Imported: history.Imported{Conversations: 3, Added: 1}}}, Left: []string{"b.json", "c.json"}}
	const want = "nothing imported from b.json, c.json; a.json: 3 new conversations and 1 new turn imported"
	if got := failure.Of(err).Effect; got != want || err.Error() != "context canceled; "+want {
		t.Errorf("effect %q, error %q", got, err)
	}
}
