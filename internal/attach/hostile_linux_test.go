package attach

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const limit = 10 << 20

// TestHostileDirectories attaches directories in which one thing is hostile. Each has a
// file that is attached nevertheless.
func TestHostileDirectories(t *testing.T) {
	outside := t.TempDir()
	write(t, filepath.Join(outside, "secret"), "secret")
	link := func(target string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { must(t, os.Symlink(target, filepath.Join(dir, "x"))) }
	}
	file := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) { write(t, filepath.Join(dir, name), text) }
	}
	for name, tc := range map[string]struct {
		make func(t *testing.T, dir string)
		want string // part of a note, or "" for none
	}{
		"loop of links": {func(t *testing.T, dir string) {
			must(t, errors.Join(os.Symlink("b", filepath.Join(dir, "a")), os.Symlink("a", filepath.Join(dir, "b"))))
		}, "a (a broken link)"},
		"link to itself":                  {link("x"), "x ("},
		"link to the directory":           {link("."), "x (a link to a directory)"},
		"link to the parent":              {link(".."), "x (a link out of the directory)"},
		"link to a file outside":          {link(filepath.Join(outside, "secret")), "x (a link out of the directory)"},
		"link to a directory outside":     {link(outside), "x (a link out of the directory)"},
		"link to a device":                {link("/dev/zero"), "x (a link out of the directory)"},
		"broken link":                     {link("missing"), "x (a broken link)"},
		"link to a file that is attached": {link("good.txt"), ""},
		"pipe":                            {func(t *testing.T, dir string) { must(t, unix.Mkfifo(filepath.Join(dir, "x"), 0o600)) }, "x (a named pipe)"},
		"5 GB without data": {func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "x"), "")
			must(t, os.Truncate(filepath.Join(dir, "x"), 5_000_000_000))
		}, "binary file"},
		"5 GB of text": {func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "x"), strings.Repeat("x", sniffed))
			must(t, os.Truncate(filepath.Join(dir, "x"), 5_000_000_000))
		}, "x (4.7 GiB)"},
		"name with a newline and an escape": {file("x\n\x1b[31m\xff.bin", "\x00"), "x\n\x1b[31m\xff.bin"},
		"binary after the beginning":        {file("x", strings.Repeat("x", sniffed)+"\x00"), "1 binary file"},
		"half a UTF-16 character":           {file("x", "\xff\xfex"), "1 binary file"},
		"patterns in a pipe":                {func(t *testing.T, dir string) { must(t, unix.Mkfifo(filepath.Join(dir, ignoreFile), 0o600)) }, ".gitignore (a named pipe)"},
		"patterns behind a link":            {func(t *testing.T, dir string) { must(t, os.Symlink("../good.txt", filepath.Join(dir, ignoreFile))) }, ".gitignore (a link out of the directory)"},
		"patterns that need many steps":     {file(ignoreFile, strings.Repeat(strings.Repeat("*a", 100)+"b\n"+strings.Repeat("**/", 100)+"b\n", 50)), ""},
		"directories in directories":        {file(strings.Repeat("d/", maxDepth+5)+"x", "x"), "(nested too deeply)"},
		"repository that configures a program": {func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, ".git/config"), "[core]\n\tfsmonitor = \"touch "+outside+"/ran\"\n")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "good.txt"), "good")
			tc.make(t, dir)
			found, err := Reader{Limit: limit}.Read(t.Context(), []string{dir})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(found.Files, func(f File) bool { return f.Name == filepath.Join(dir, "good.txt") && string(f.Data) == "good" }) {
				t.Errorf("attached %v", found.Files)
			}
			notes := strings.Join(found.Omissions(), "\n")
			if tc.want == "" && notes != "" || !strings.Contains(notes, tc.want) {
				t.Errorf("notes are %q, want %q", notes, tc.want)
			}
			for _, f := range found.Files {
				if strings.Contains(string(f.Data), "secret") {
					t.Errorf("%s is outside", f.Name)
				}
			}
			if _, err := os.Stat(filepath.Join(outside, "ran")); !errors.Is(err, fs.ErrNotExist) {
				t.Error("a program was run")
			}
		})
	}
}

func TestUnreadableFilesAreSkipped(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"good.txt", "x", "sub/y"} {
		write(t, filepath.Join(dir, name), "text")
	}
	must(t, errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o755), os.Chmod(filepath.Join(dir, "good.txt"), 0o644), os.Chmod(filepath.Join(dir, "x"), 0), os.Chmod(filepath.Join(dir, "sub"), 0)))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "sub"), 0o700) })
	if os.Geteuid() == 0 { // root may read everything, so this thread stops being root
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		_ = unix.Setfsuid(65534)
		defer func() { _ = unix.Setfsuid(0) }()
	}
	found, err := Reader{Limit: limit}.read(t.Context(), []string{dir})
	want := fmt.Sprintf("skipped %s/sub (permission denied), %s/x (permission denied)", dir, dir)
	if notes := found.Omissions(); err != nil || len(found.Files) != 1 || !slices.Equal(notes, []string{want}) {
		t.Errorf("%v, notes %q, %v", found.Files, notes, err)
	}
}

func TestHostileValues(t *testing.T) {
	dir := t.TempDir()
	many := filepath.Join(dir, "many")
	must(t, os.Mkdir(many, 0o700))
	for i := range maxEntries + 1 {
		must(t, unix.Mknod(filepath.Join(many, fmt.Sprint(i)), unix.S_IFREG|0o600, 0))
	}
	sparse := filepath.Join(dir, "sparse")
	write(t, sparse, "")
	must(t, os.Truncate(sparse, 5_000_000_000))
	write(t, filepath.Join(dir, "patterns", ignoreFile), strings.Repeat("x\n", maxIgnoreFile))
	write(t, filepath.Join(dir, "logo.png"), "\x89PNG\r\n\x1a\n\x00")
	for value, want := range map[string]string{
		many:                            "more than 100000 files",
		sparse:                          "larger than the limit of 10 MiB",
		"/dev/zero":                     "larger than the limit of 10 MiB",
		"/proc/self/mem":                "cannot read /proc/self/mem: input/output error",
		filepath.Join(dir, "patterns"):  "larger than 256 KiB",
		filepath.Join(dir, "logo.png"):  "is an image (PNG): the service takes text",
		filepath.Join(dir, "*.png"):     "nothing to attach",
		filepath.Join(dir, "*.rs"):      "no file matches",
		"http://169.254.169.254/latest": "the address 169.254.169.254 is not public",
		"http://localhost/":             `the address "localhost" is not public`,
		"http://LOCALHOST./":            `the address "localhost" is not public`,
		"http://2130706433/":            `the address "2130706433" is not public`,
		"http://0x7f000001/":            "is not public",
		"http://127.1/":                 "is not public",
		"http://0/":                     "is not public",
		"http://[::ffff:127.0.0.1]/":    "the address 127.0.0.1 is not public",
		"http://[64:ff9b::7f00:1]/":     "is not public",
		"http://[::1%25lo]/":            "is not public",
		"http://user:canary@127.0.0.1/": "has a user name or a password",
		"https://":                      "invalid URL",
	} {
		before := allocated()
		_, err := Reader{Limit: limit}.Read(t.Context(), []string{value})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v, want %q", value, err, want)
		}
		if grown := allocated() - before; grown > 128<<20 {
			t.Errorf("%s: allocated %d MiB", value, grown>>20)
		}
	}
}

// allocated returns the number of bytes that were ever allocated.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

func TestFileThatChangesWhileItIsRead(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x.txt")
	write(t, name, "begin\n")
	ctx, stop := context.WithCancel(t.Context())
	written := make(chan error)
	go func() {
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
		for i := 0; err == nil && ctx.Err() == nil; i++ {
			if _, err = io.WriteString(file, strings.Repeat("more\n", 1000)); err == nil && i%100 == 99 {
				err = file.Truncate(int64(len("begin\n")))
			}
		}
		written <- errors.Join(err, file.Close())
	}()
	for range 200 {
		for _, value := range []string{name, dir} {
			found, err := Reader{Limit: limit}.Read(ctx, []string{value})
			if err != nil {
				t.Fatal(err)
			}
			if data := string(found.Files[0].Data); strings.Trim(strings.ReplaceAll(strings.TrimPrefix(data, "begin\n"), "more\n", ""), "more\n") != "" {
				t.Fatalf("read %.40q", data)
			}
		}
	}
	stop()
	must(t, <-written)
}

func TestHostilePages(t *testing.T) {
	for _, key := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"} {
		t.Setenv(key, "")
	}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	var headers http.Header
	redirect := func(target string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, target, http.StatusFound) }
	}
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		headers = r.Header
		http.SetCookie(w, &http.Cookie{Name: "c", Value: "1"})
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		_, _ = io.WriteString(w, "<title>T</title><script>x</script><h1>caf\xe9</h1><p>a <b>b</b>\n c<ul><li>d</ul><pre>e\n  f</pre>")
	})
	mux.HandleFunc("/moved", redirect("/page"))
	mux.HandleFunc("/itself", redirect("/itself"))
	mux.HandleFunc("/file", redirect("file:///etc/passwd"))
	mux.HandleFunc("/password", redirect("http://a:canary@127.0.0.1/"))
	mux.HandleFunc("/endless", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for {
			if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		out := gzip.NewWriter(w)
		for range 1 << 10 {
			if _, err := out.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/brotli", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Encoding", "br") })
	mux.HandleFunc("/unknown", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = io.WriteString(w, r.URL.Query().Get("text"))
	})
	mux.HandleFunc("/image", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "image/png") })
	mux.HandleFunc("/nul", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte{0})
	})
	mux.HandleFunc("/headers", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 2*maxHeaders)) })
	mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })

	ours := Reader{Limit: limit, PrivateURLs: true}
	found, err := ours.Read(t.Context(), []string{server.URL + "/moved?token=canary#part"})
	if want := "T\n\n# café\n\na b c\n- d\n```\ne\n  f\n```\n"; err != nil || len(found.Files) != 1 || string(found.Files[0].Data) != want || found.Files[0].Name != server.URL+"/moved" {
		t.Errorf("%q, %v", found.Files, err)
	}
	if headers.Get("Cookie")+headers.Get("Authorization")+headers.Get("Referer") != "" {
		t.Errorf("the request has %v", headers)
	}
	if found, err := ours.Read(t.Context(), []string{server.URL + "/unknown?text=x%3A1"}); err != nil || string(found.Files[0].Data) != "x:1" {
		t.Errorf("text of an unknown type: %q, %v", found.Files, err)
	}
	for path, want := range map[string]string{
		"/itself": "more than 5 redirects", "/file": "it redirects to a file URL", "/password": "a user name or a password",
		"/endless": "larger than the limit of 10 MiB", "/bomb": "larger than the limit of 10 MiB", "/brotli": `has the encoding "br"`, "/image": `is "image/png"`,
		"/nul": "is not text: a NUL byte", "/headers": "server response headers exceeded", "/missing": "the server responded with 404 Not Found",
	} {
		before := allocated()
		_, err := ours.Read(t.Context(), []string{server.URL + path + "?token=canary"})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if grown := allocated() - before; grown > 256<<20 {
			t.Errorf("%s: allocated %d MiB", path, grown>>20)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := ours.Read(ctx, []string{server.URL + "/silent"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that never responds: %v", err)
	}
	if _, err := (Reader{Limit: limit}).Read(t.Context(), []string{server.URL + "/page"}); err == nil || !strings.Contains(err.Error(), "is not public") {
		t.Errorf("loopback: %v", err)
	}

	// A name is resolved when the connection is made, and only then.
	port := server.Listener.Addr().(*net.TCPAddr).Port
	var address *addressError
	if _, err := newFetcher(false).direct.DialContext(t.Context(), "tcp", fmt.Sprintf("localhost:%d", port)); !errors.As(err, &address) {
		t.Errorf("a name of loopback: %v", err)
	}

	// The proxy answers for a public name, and redirects.
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/fine" {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, "through the proxy")
			return
		}
		http.Redirect(w, r, server.URL+"/page", http.StatusFound)
	}))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	if found, err := (Reader{Limit: limit}).Read(t.Context(), []string{"http://example.com/fine"}); err != nil || string(found.Files[0].Data) != "through the proxy" {
		t.Errorf("%v, %v", found.Files, err)
	}
	if _, err := (Reader{Limit: limit}).Read(t.Context(), []string{"http://example.com/"}); !strings.Contains(fmt.Sprint(err), "the address 127.0.0.1 is not public") {
		t.Errorf("redirect to loopback: %v", err)
	}
	secure := httptest.NewRequest(http.MethodGet, "https://example.com/", nil)
	if err := checkRedirect(httptest.NewRequest(http.MethodGet, "http://example.com/", nil), []*http.Request{secure}); err == nil {
		t.Error("a redirect from https to http was followed")
	}
}

func TestPublicAddresses(t *testing.T) {
	for address, want := range map[string]bool{
		"93.184.216.34": true, "1.1.1.1": true, "2606:2800:220:1::1": true, "172.32.0.1": true,
		"127.0.0.1": false, "10.1.2.3": false, "172.16.0.1": false, "192.168.1.1": false, "169.254.169.254": false, "100.64.0.1": false, "0.0.0.0": false, "0.1.2.3": false,
		"224.0.0.1": false, "240.0.0.1": false, "255.255.255.255": false, "198.18.0.1": false, "192.0.0.8": false, "::": false, "::1": false, "::ffff:10.0.0.1": false,
		"::127.0.0.1": false, "64:ff9b::a00:1": false, "64:ff9b:1::1": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false, "fd00:ec2::254": false, "ff02::1": false,
		"2002:7f00:1::": false, "2001::1": false, "fec0::1": false,
	} {
		if err := checkAddress(netip.MustParseAddr(address)); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
