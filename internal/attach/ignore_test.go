package attach

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestIgnoredFilesAreThoseOfGit compares the files of a directory with those that git lists,
// for random trees with random patterns.
func TestIgnoredFilesAreThoseOfGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	fixed := [][]string{
		{"*", "!*/", "!*.go"},
		{"/*", "!/a"},
		{"a/**", "!a/**/", "!x"},
		{"a/**", "!a/x"},
		{"a/**/*", "!a/b"},
		{"a/", "!a/x"},
		{"**/b/x", `\!x`, `x\ `, "b   "},
		{"[[:alpha:]].go", "[!x].go", "[a-", `a\`, "{a,b}"},
	}
	random := rand.New(rand.NewPCG(1, 72))
	for i := range 60 {
		dir := t.TempDir()
		git(t, dir, "init", "-q")
		for _, d := range []string{"", "a", "b", "a/b", "a/b/a", "b/a"} {
			for _, name := range []string{"x", "y.go", "x.go", "c"} {
				write(t, filepath.Join(dir, d, name), "text")
			}
			if i >= len(fixed) && random.IntN(3) == 0 {
				write(t, filepath.Join(dir, d, ".gitignore"), randomPatterns(random))
			}
		}
		if i < len(fixed) {
			write(t, filepath.Join(dir, ".gitignore"), strings.Join(fixed[i], "\n"))
		} else if random.IntN(3) == 0 {
			write(t, filepath.Join(dir, ".git/info/exclude"), randomPatterns(random))
		}
		want := strings.Split(strings.TrimSuffix(git(t, dir, "ls-files", "--others", "--exclude-standard", "-z"), "\x00"), "\x00")
		slices.Sort(want)
		if got := walked(t, dir); !slices.Equal(got, slices.DeleteFunc(want, func(name string) bool { return name == "" })) {
			t.Errorf("tree %d:\n got %q\nwant %q\n%s", i, got, want, ignoreFiles(t, dir))
		}
		if t.Failed() {
			return
		}
	}
}

func randomPatterns(random *rand.Rand) string {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	var text strings.Builder
	for range 1 + random.IntN(4) {
		text.WriteString(pick("", "", "!", "/"))
		for j := range 1 + random.IntN(3) {
			if j > 0 {
				text.WriteString("/")
			}
			text.WriteString(pick("a", "b", "x", "*", "**", "c", "y.go", "*.go", "?", "[ab]", "[!a]", "[^x]*", "**a", "x.g*o", "*x*", "{a,b}", `\a`, "[]a]"))
		}
		text.WriteString(pick("", "", "", "/", " ", "\r", "/**") + "\n")
	}
	return text.String()
}

func walked(t *testing.T, dir string) []string {
	t.Helper()
	tree := tree{dir: dir, room: 1 << 20, seen: map[string]bool{}}
	if err := tree.read(context.Background()); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range tree.files {
		name, err := filepath.Rel(dir, file.Name)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.ToSlash(name))
	}
	return names
}

func ignoreFiles(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	for _, pattern := range []string{"", "a", "b", "a/b", "a/b/a", "b/a"} {
		for _, name := range []string{".gitignore", ".git/info/exclude"} {
			if data, err := os.ReadFile(filepath.Join(dir, pattern, name)); err == nil {
				fmt.Fprintf(&out, "%s: %q\n", filepath.Join(pattern, name), data)
			}
		}
	}
	return out.String()
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	command := exec.Command("git", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_DIR="+filepath.Join(dir, ".git"), "GIT_WORK_TREE="+dir)
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
