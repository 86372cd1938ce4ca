package project_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"

	"github.com/hobnob-cli/hobnob/internal/config"
	"github.com/hobnob-cli/hobnob/internal/project"
)

// write writes a project file and returns its directory.
func write(t *testing.T, text string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, project.Name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRead(t *testing.T) {
	for text, agent := range map[string]string{
		"":                              "",
		"# nothing\n":                   "",
		"{}":                            "",
		"agent: reviewer":               "reviewer",
		"\ufeffagent: reviewer\r\n":     "reviewer",
		"---\nagent: \"Reviewer\"\n...": "reviewer",
	} {
		if got, err := project.Read(write(t, text)); err != nil || got.Agent != agent {
			t.Errorf("%q: %+v, %v; want %q", text, got, err, agent)
		}
	}
}

// invalid are project files with the beginning of their errors.
var invalid = map[string]string{
	"base_url: https://evil.example":                    `:1: a project file cannot set "base_url"`,
	"# c\nBase_URL: https://evil.example":               `:2: a project file cannot set "Base_URL"`,
	"profiles: {default: {base_url: x}}":                `a project file cannot set "profiles"`,
	"profile: evil":                                     `a project file cannot set "profile"`,
	"token_command: [sh, -c, id]":                       `a project file cannot set "token_command"`,
	"token: secret":                                     `a project file cannot set "token"`,
	"ca_file: ca.pem":                                   `a project file cannot set "ca_file"`,
	"allow_insecure_http: true":                         `a project file cannot set "allow_insecure_http"`,
	"conversations_path: /x":                            `a project file cannot set "conversations_path"`,
	"proxy: http://evil.example":                        `a project file cannot set "proxy"`,
	"notify: bell":                                      `a project file cannot set "notify"`,
	"agents: {reviewer: x}":                             `a project file cannot set "agents"`,
	"Agent: reviewer":                                   `a project file cannot set "Agent"`,
	"\"agent\\0\": reviewer":                            `a project file cannot set "agent\x00"`,
	"? [a, b]\n: c":                                     `a project file cannot set "{…}"`,
	"instructions: [a]":                                 "invalid value of instructions: must be text",
	"instructions: \"\\e]0;x\\a\"":                      "invalid value of instructions: a control character (U+001B) is not allowed",
	"instructions: \"a\\r\"":                            "a control character (U+000D) is not allowed",
	"instructions: |\n  " + strings.Repeat("x", 65<<10): "larger than 64 KiB",
	"instructions: a\ninstructions_file: b":             "instructions and instructions_file cannot be used together",
	"instructions_file: ../x":                           `"../x" must be a path inside the directory of the project file`,
	"instructions_file: /etc/passwd":                    `"/etc/passwd" must be a path inside`,
	"instructions_file: ~/.ssh/id_rsa":                  `"~/.ssh/id_rsa" must be a path inside`,
	"instructions_file: missing.md":                     "missing.md: no such file",
	"instructions_file: .":                              "is a directory, not a regular file",
	"templates: prompts":                                "invalid value of templates: must be a list",
	"templates: [a, [b]]":                               "invalid value of templates: must be text",
	"templates: [a/../../b]":                            `"a/../../b" must be a path inside`,
	"templates: ['a\\..\\..\\b']":                       "must be a path inside",
	"templates: ['']":                                   `invalid path ""`,
	"templates: [\"a\\nb\"]":                            `invalid path "a\nb"`,
	"templates: [https://evil.example/x]":               "must be a path, not a URL",
	"templates: &t [a]":                                 "anchors and aliases are not allowed",
	"agent: reviewer\nagent: other":                     `:2: duplicate setting "agent"`,
	"<<: {agent: reviewer}":                             `a project file cannot set "<<"`,
	"agent: &a reviewer":                                "invalid value of agent: anchors and aliases are not allowed",
	"agent: !!binary cmV2aWV3ZXI=":                      "invalid value of agent: tags are not allowed",
	"agent: !custom reviewer":                           "invalid value of agent: tags are not allowed",
	"!custom\nagent: reviewer":                          "invalid project file: tags are not allowed",
	"agent: 7":                                          "invalid value of agent: must be text",
	"agent:":                                            "invalid value of agent: must be text",
	"agent: [reviewer]":                                 "invalid value of agent: must be text",
	"agent: https://evil.example":                       `invalid value of agent: "https://evil.example" must be an alias`,
	"agent: 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f":       "must be an alias of hobnob agents list",
	"agent: \"x\\e[31m\"":                               "invalid value of agent: a control character (U+001B) is not allowed",
	"- agent":                                           "invalid project file: must be a mapping",
	"agent: reviewer\n---\nagent: other":                "it contains more than one YAML document",
	"agent: \xff":                                       "invalid UTF-8 at byte 7",
	"agent: [":                                          "invalid YAML: line 1: did not find",
	"agent: \x00":                                       "invalid YAML: control characters are not allowed",
	strings.Repeat("#", 64<<10) + "\nagent: r":          "larger than 64 KiB",
	strings.Repeat("[", 60<<10):                         "invalid YAML: ",
	bomb():                                              `a project file cannot set "a"`,
}

// bomb returns YAML that would expand to 10^9 elements.
func bomb() string {
	text := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for name := 'b'; name <= 'i'; name++ {
		alias := "*" + string(name-1)
		text += fmt.Sprintf("%c: &%c [%s]\n", name, name, strings.Join([]string{alias, alias, alias, alias, alias, alias, alias, alias, alias, alias}, ","))
	}
	return text + "agent: *i\n"
}

func TestReadErrors(t *testing.T) {
	for text, want := range invalid {
		got, err := project.Read(write(t, text))
		if !errors.As(err, new(*project.FileError)) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.60q: %v; want %q", text, err, want)
		}
		if got.Agent != "" && !strings.Contains(text, "\n") {
			t.Errorf("%.60q set %+v", text, got)
		}
	}
}

func TestInstructionsFile(t *testing.T) {
	dir, outside := write(t, "instructions_file: docs/AGENTS.md"), filepath.Join(t.TempDir(), "secret")
	file := filepath.Join(dir, "docs", "AGENTS.md")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"\ufeffBe brief.\r\nUse tabs.\n\n": "Be brief.\nUse tabs.",
		"":                                 "",
		"\x1b[31m":                         "a control character (U+001B)",
		"\xff":                             "UTF-8",
		strings.Repeat("x", 65<<10):        "larger than 64 KiB",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := project.Read(dir); err == nil && got.Instructions != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %.20q, %v", text, got.Instructions, err)
		}
	}
	for name, target := range map[string]string{"absolute": outside, "relative": "../../../../../../../../" + outside} {
		if err := errors.Join(os.Remove(file), os.Symlink(target, file)); err != nil {
			t.Skip(err)
		}
		if got, err := project.Read(dir); err == nil || !strings.Contains(err.Error(), "leads out of "+dir) || got.Instructions != "" {
			t.Errorf("%s link: %+v, %v", name, got, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for text := range invalid {
		f.Add(text)
	}
	f.Add("agent: reviewer")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := project.Read(write(t, text))
		switch {
		case err != nil && !errors.As(err, new(*project.FileError)):
			t.Fatalf("unexpected error %v", err)
		case err != nil && strings.ContainsFunc(err.Error(), unicode.IsControl):
			t.Fatalf("error with a control character: %q", err)
		case err == nil && got.Agent != "" && (config.CheckName(got.Agent) != nil || config.IsUUID(got.Agent)):
			t.Fatalf("%q set the agent %q", text, got.Agent)
		}
	})
}

func TestFind(t *testing.T) {
	top := write(t, "")
	for _, dir := range []string{"home/src/app/deep", "other/deep", "home/link"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "home/src/app", project.Name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for start, want := range map[string]string{
		"home/src/app/deep": "home/src/app",
		"home/src/app":      "home/src/app",
		"home/src":          "none", // the search ends at home
		"home":              "none",
		"other/deep":        ".",
		".":                 ".",
		"missing":           "none",
	} {
		got := project.Find(filepath.Join(top, start), filepath.Join(top, "home"))
		if want == "none" && got != "" || want != "none" && got != filepath.Join(top, want) {
			t.Errorf("%s: found %q, want %s", start, got, want)
		}
	}
}

func TestFindResolvesLinks(t *testing.T) {
	top, elsewhere := write(t, ""), t.TempDir()
	link := filepath.Join(elsewhere, "link")
	if err := os.Symlink(top, link); err != nil {
		t.Skip(err)
	}
	if got := project.Find(link, "/nowhere"); got != top {
		t.Errorf("found %q, want %q", got, top)
	}
}

func TestProjectFileIsNoLink(t *testing.T) {
	dir, target := t.TempDir(), write(t, "agent: reviewer")
	if err := os.Symlink(filepath.Join(target, project.Name), filepath.Join(dir, project.Name)); err != nil {
		t.Skip(err)
	}
	if _, err := project.Read(dir); err == nil || !strings.Contains(err.Error(), "it is a symbolic link") {
		t.Error(err)
	}
}

func TestTrust(t *testing.T) {
	trusted := project.Trusted{Path: filepath.Join(t.TempDir(), "new", project.TrustFile)}
	dir := write(t, "agent: reviewer")
	load := func() project.Project { return project.Load(dir, "", trusted) }
	if p := load(); !errors.As(p.Ignored, new(*project.UntrustedError)) || p.Agent != "" {
		t.Fatalf("before trust: %+v", p)
	}
	if err := trusted.Add(dir); err != nil {
		t.Fatal(err)
	}
	if p := load(); p.Ignored != nil || p.Err != nil || p.Agent != "reviewer" {
		t.Fatalf("after trust: %+v", p)
	}
	if found, err := trusted.Remove(dir); err != nil || !found {
		t.Fatal(found, err)
	}
	if found, err := trusted.Remove(dir); err != nil || found {
		t.Fatal(found, err)
	}
	if p := load(); p.Ignored == nil || p.Agent != "" {
		t.Fatalf("after revocation: %+v", p)
	}
}

func TestTrustingInParallelLosesNothing(t *testing.T) {
	trusted := project.Trusted{Path: filepath.Join(t.TempDir(), project.TrustFile)}
	var all sync.WaitGroup
	dirs := make([]string, 20)
	for i := range dirs {
		dirs[i] = write(t, "")
		all.Go(func() {
			if err := trusted.Add(dirs[i]); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, dir := range dirs {
		if err := trusted.Check(dir); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestDamagedListTrustsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), project.TrustFile)
	dir := write(t, "agent: reviewer")
	for _, text := range []string{"", "[]", "{", `{"version":2,"directories":[]}`, `{"version":1,"directories":"` + dir + `"}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		trusted := project.Trusted{Path: path}
		if p := project.Load(dir, "", trusted); p.Ignored == nil || p.Agent != "" {
			t.Errorf("%q: %+v", text, p)
		}
		if err := trusted.Add(dir); !errors.As(err, new(*project.ListError)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
