package config_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/config"
)

// guideID is an agent built into the profile "local".
const guideID = "6f1d3c52-7c1e-4b0a-9a57-2f0c4f6a1e01"

const sample = `
profile: work
timeout: 3m
style: light
profiles:
  work:
    base_url: https://work.example.com
    agent: reviewer
    agents: {reviewer: 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f, Broken: nope}
    timeout: 2m
    token_command: [pass, show, "a b"]
    ca_file: ca.pem
  home:
    base_url: https://home.example.com
history: {save: false}
`

func load(t *testing.T, yaml string, flags, env map[string]string) *config.Config {
	t.Helper()
	c, err := tryLoad(t, yaml, flags, env)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func tryLoad(t *testing.T, yaml string, flags, env map[string]string) (*config.Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if yaml != "" {
		if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config.Load(config.Options{Path: path, Flags: flags, Env: func(k string) string { return env[k] }, LocalAgents: map[string]string{"guide": guideID}})
}

func TestPrecedence(t *testing.T) {
	timeout, _ := config.Lookup("timeout")
	for _, tc := range []struct {
		yaml       string
		flags, env map[string]string
		profile    string
		want       time.Duration
		source     string
	}{
		{"", nil, nil, "work", 5 * time.Minute, "default"},
		{sample, nil, nil, "home", 3 * time.Minute, "file"},
		{sample, nil, nil, "work", 2 * time.Minute, "profile work"},
		{sample, nil, map[string]string{"HOBNOB_TIMEOUT": "1m"}, "work", time.Minute, "environment HOBNOB_TIMEOUT"},
		{sample, map[string]string{"timeout": "9s"}, map[string]string{"HOBNOB_TIMEOUT": "1m"}, "work", 9 * time.Second, "flag --timeout"},
	} {
		got, err := load(t, tc.yaml, tc.flags, tc.env).Get(tc.profile, timeout)
		if err != nil || got.Value != tc.want || got.Source.String() != tc.source {
			t.Errorf("timeout: got %v from %q, %v; want %v from %q", got.Value, got.Source, err, tc.want, tc.source)
		}
	}
}

func TestActiveProfile(t *testing.T) {
	one := "profiles: {work: {base_url: https://w}}"
	two := "profiles: {work: {base_url: https://w}, default: {base_url: https://d}}"
	url := map[string]string{"HOBNOB_BASE_URL": "https://x"}
	for name, tc := range map[string]struct {
		yaml       string
		flags, env map[string]string
		want       string
	}{
		"nothing configured":         {"", nil, nil, "local"},
		"base URL only":              {"", nil, url, "default"},
		"one profile":                {one, nil, nil, "work"},
		"profile default":            {two, nil, nil, "default"},
		"selected in file":           {sample, nil, nil, "work"},
		"selected by environment":    {sample, nil, map[string]string{"HOBNOB_PROFILE": "Home"}, "home"},
		"selected by flag":           {sample, map[string]string{"profile": "local"}, nil, "local"},
		"base URL, selected in file": {sample, nil, url, "work"},
		"base URL, new profile":      {sample, map[string]string{"profile": "new", "base_url": "https://n"}, nil, "new"},
		"base URL, none selected":    {one, nil, url, "default"},
		"local selected, empty file": {"", map[string]string{"profile": "local"}, nil, "local"},
	} {
		if got, _, err := load(t, tc.yaml, tc.flags, tc.env).Active(); err != nil || got != tc.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, tc.want)
		}
	}
	var unknown *config.UnknownProfileError
	if _, _, err := load(t, sample, map[string]string{"profile": "nope"}, nil).Active(); !errors.As(err, &unknown) || !slices.Equal(unknown.Known, []string{"home", "local", "work"}) {
		t.Errorf("unknown profile: %v", err)
	}
	var several *config.AmbiguousProfileError
	if _, _, err := load(t, "profiles: {a: {base_url: https://a}, b: {base_url: https://b}}", nil, nil).Active(); !errors.As(err, &several) {
		t.Errorf("two profiles, none selected: %v", err)
	}
}

func TestProfileSettings(t *testing.T) {
	c := load(t, sample, nil, nil)
	p, err := c.ActiveProfile()
	if err != nil {
		t.Fatal(err)
	}
	if p.BaseURL != "https://work.example.com" || p.Save || p.Style != "light" || p.Retries != 2 || p.Embedded() ||
		!slices.Equal(p.TokenCommand, []string{"pass", "show", "a b"}) || p.CAFile != filepath.Join(filepath.Dir(c.Path()), "ca.pem") {
		t.Errorf("profile is %+v", p)
	}
	if id, err := p.AgentID("Reviewer"); err != nil || id != "0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f" || p.AgentName(strings.ToUpper(id)) != "reviewer" {
		t.Errorf("reviewer is %q, %v", id, err)
	}
	var unknown *config.UnknownAgentError
	if _, err := p.AgentID("someone"); !errors.As(err, &unknown) || len(unknown.Known) != 2 {
		t.Errorf("unknown agent: %v", err)
	}
	var bad *config.ValueError
	if _, err := p.AgentID("broken"); !errors.As(err, &bad) {
		t.Errorf("alias of an invalid UUID: %v", err)
	}
	if local, err := c.Profile(config.Local); err != nil || !local.Embedded() || local.Agents["guide"] != guideID {
		t.Errorf("local is %+v, %v", local, err)
	}
	var missing *config.NoBaseURLError
	if _, err := load(t, "profile: x\nprofiles: {x: {agent: a}}", nil, nil).ActiveProfile(); !errors.As(err, &missing) {
		t.Errorf("profile without an address: %v", err)
	}
}

func TestTokenCommandOrigin(t *testing.T) {
	for url, want := range map[string]bool{
		"https://work.example.com/other/path": true,
		"https://WORK.example.com":            true,
		"https://work.example.com:443/api/v1": true,
		"http://work.example.com":             false,
		"https://work.example.com:8443":       false,
		"https://elsewhere.example.com":       false,
	} {
		p, err := load(t, sample, map[string]string{"base_url": url}, nil).ActiveProfile()
		if err != nil || (p.TokenCommand != nil) != want {
			t.Errorf("%s: token command %v, %v; want one: %v", url, p.TokenCommand, err, want)
		}
	}
}

func TestOneOriginSetting(t *testing.T) {
	const lab, other = "http://lab.example.com", "http://other.example.com"
	for name, tc := range map[string]struct {
		yaml, profile, address string
		want                   bool
	}{
		"address in file":            {"profiles: {lab: {base_url: '" + lab + "', allow_insecure_http: true}}", "lab", lab + "/path", true},
		"another address":            {"profiles: {lab: {base_url: '" + lab + "', allow_insecure_http: true}}", "lab", other, false},
		"another port":               {"profiles: {lab: {base_url: '" + lab + "', allow_insecure_http: true}}", "lab", lab + ":81", false},
		"top level, address in file": {"allow_insecure_http: true\nprofiles: {lab: {base_url: '" + lab + "'}}", "lab", lab, true},
		"top level, another address": {"allow_insecure_http: true\nprofiles: {lab: {base_url: '" + lab + "'}}", "lab", other, false},
		"top level, another profile": {"allow_insecure_http: true\nprofiles: {lab: {base_url: '" + lab + "'}}", "new", other, false},
		"no address yet":             {"profiles: {lab: {allow_insecure_http: true}}", "lab", other, true},
		"top level, no address yet":  {"allow_insecure_http: true", "new", other, true},
	} {
		for _, source := range []string{"flag", "variable"} {
			flags, env := map[string]string{"profile": tc.profile, "base_url": tc.address}, map[string]string{}
			if source == "variable" {
				flags, env = map[string]string{"profile": tc.profile}, map[string]string{"HOBNOB_BASE_URL": tc.address}
			}
			c := load(t, tc.yaml, flags, env)
			p, err := c.ActiveProfile()
			if err != nil || p.AllowInsecureHTTP != tc.want {
				t.Errorf("%s, from %s: %t, %v; want %t", name, source, p.AllowInsecureHTTP, err, tc.want)
			}
		}
		if _, err := load(t, tc.yaml, nil, nil).ParseBaseURL(tc.profile, tc.address); (err == nil) != tc.want {
			t.Errorf("%s: ParseBaseURL returned %v; want success: %t", name, err, tc.want)
		}
	}
}

func TestErrorsNameSource(t *testing.T) {
	for yaml, want := range map[string]string{
		"a: [":                              "config.yaml",
		"a: 1\na: 2":                        "already defined",
		"profiles: {'../x': {agent: a}}":    "invalid name",
		"timeout: soon":                     `invalid value "soon" for timeout (from file)`,
		"timeout: 30":                       "unit is missing",
		"profiles: {p: {timeout: -1s}}":     "(from profile p)",
		"profiles: {p: {base_url: nope}}":   `invalid value "nope" for base_url (from profile p): the base URL has no scheme: did you mean https://nope?`,
		"retries: many":                     "whole number",
		"history: {save: perhaps}":          "true or false",
		"style: [a]":                        "not a list",
		"style: {a: b}":                     "not a mapping",
		"conversations_path: ../../secrets": "must be a path",
	} {
		c, err := tryLoad(t, yaml, map[string]string{"profile": "p", "base_url": "https://x"}, nil)
		if err == nil && strings.Contains(yaml, "base_url") {
			c, err = tryLoad(t, yaml, nil, nil)
		}
		if err == nil {
			_, err = c.ActiveProfile()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want an error containing %q", yaml, err, want)
		}
	}
}

func TestAddressErrorHidesPassword(t *testing.T) {
	for address, want := range map[string]string{
		"https://user:hunter2@host/x?y=1": "no query",
		"https://user:hunter2@host":       "no user name and no password",
		"https://hunter2@ho st":           "no user name and no password",
		"user:hunter2@host":               "no scheme",
		"https://host/?token=hunter2":     "no query",
		"https://host/#hunter2":           "no query and no fragment",
	} {
		setting, _ := config.Lookup("base_url")
		_, errSet := setting.Parse(address)
		_, errFile := load(t, "profiles: {p: {base_url: '"+address+"'}}", nil, nil).ActiveProfile()
		for _, err := range []error{errSet, errFile} {
			var bad *config.ValueError
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error()+bad.Value, "hunter2") {
				t.Errorf("%s: got %v, want an error containing %q", address, err, want)
			}
		}
	}
	setting, _ := config.Lookup("base_url")
	for _, address := range []string{"", "http://intranet.example.com", "https://host/@team"} {
		if value, err := setting.Parse(address); err != nil || value != address {
			t.Errorf("%q: got %v, %v", address, value, err)
		}
	}
}

func TestUnknownKeys(t *testing.T) {
	c := load(t, "basurl: x\nhistory: {save: true, sav: 1}\nprofiles: {p: {base_url: https://x, agents: {a: b}, tiemout: 1}}", nil, nil)
	if got := c.Unknown(); !slices.Equal(got, []string{"basurl", "history.sav", "profiles.p.tiemout"}) {
		t.Errorf("unknown keys: %v", got)
	}
	if got := load(t, sample, nil, nil).Unknown(); len(got) != 0 {
		t.Errorf("unknown keys in the sample: %v", got)
	}
}

func TestParseAndFormatAgree(t *testing.T) {
	values := map[string][]string{
		"timeout": {"90s=1m30s", "5m=5m", "2h=2h", "1h30m=1h30m"}, "history.save": {"true=true", "0=false"}, "retries": {"0=0"},
		"token_command": {"pass show hobnob=[pass, show, hobnob]", `[op, read, "a b"]=[op, read, a b]`, "="}, "style": {"dark=dark"},
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		setting, ok := config.Lookup(key)
		if !ok {
			t.Fatalf("no setting %s", key)
		}
		for _, pair := range values[key] {
			in, want, _ := strings.Cut(pair, "=")
			value, err := setting.Parse(in)
			if got := config.Format(value); err != nil || got != want {
				t.Errorf("%s %q is %q, %v; want %q", key, in, got, err, want)
			}
			if again, err := setting.Parse(want); err != nil || config.Format(again) != want {
				t.Errorf("%s: round trip of %q: got %v, %v", key, want, again, err)
			}
		}
	}
}

func TestFindPaths(t *testing.T) {
	abs := func(p string) string { return filepath.FromSlash(p) }
	for name, tc := range map[string]struct {
		goos string
		flag string
		env  map[string]string
		want config.Paths
	}{
		"home":             {"linux", "", map[string]string{"HOME": "/h"}, config.Paths{ConfigFile: "/h/.config/hobnob/config.yaml", DataDir: "/h/.local/share/hobnob", StateDir: "/h/.local/state/hobnob"}},
		"macOS":            {"darwin", "", map[string]string{"HOME": "/h"}, config.Paths{ConfigFile: "/h/.config/hobnob/config.yaml", DataDir: "/h/.local/share/hobnob", StateDir: "/h/.local/state/hobnob"}},
		"XDG":              {"linux", "", map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "relative"}, config.Paths{ConfigFile: "/c/hobnob/config.yaml", DataDir: "/d/hobnob", StateDir: "/h/.local/state/hobnob"}},
		"HOBNOB variables": {"linux", "", map[string]string{"HOBNOB_CONFIG": "/x.yaml", "HOBNOB_DATA_DIR": "/d", "HOBNOB_STATE_DIR": "/s"}, config.Paths{ConfigFile: "/x.yaml", DataDir: "/d", StateDir: "/s"}},
		"flag":             {"linux", "/f.yaml", map[string]string{"HOME": "/h", "HOBNOB_CONFIG": "/x.yaml"}, config.Paths{ConfigFile: "/f.yaml", DataDir: "/h/.local/share/hobnob", StateDir: "/h/.local/state/hobnob"}},
		"Windows folders":  {"windows", "", map[string]string{"AppData": "/roaming", "LocalAppData": "/local"}, config.Paths{ConfigFile: "/roaming/hobnob/config.yaml", DataDir: "/local/hobnob", StateDir: "/local/hobnob"}},
	} {
		got, err := config.FindPaths(func(k string) string { return tc.env[k] }, tc.goos, tc.flag)
		if err != nil || got.ConfigFile != abs(tc.want.ConfigFile) || got.DataDir != abs(tc.want.DataDir) || got.StateDir != abs(tc.want.StateDir) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, tc.want)
		}
	}
	if _, err := config.FindPaths(func(string) string { return "" }, "linux", ""); err == nil {
		t.Error("no error without HOME")
	}
}

func TestTemplatePathsAreAbsolute(t *testing.T) {
	c := load(t, "templates: {paths: [~/a, b, /c, '~']}", nil, map[string]string{"HOME": "/home/me"})
	want := []string{filepath.Join("/home/me", "a"), filepath.Join(filepath.Dir(c.Path()), "b"), "/c", filepath.Clean("/home/me")}
	if got, err := config.TemplatePaths(c); err != nil || filepath.IsAbs("/c") && !slices.Equal(got, want) {
		t.Errorf("the paths are %q, %v; want %q", got, err, want)
	}
	var bad *config.ValueError
	for _, text := range []string{"[a, '']", "[a, ~]", "{a: b}"} {
		if _, err := config.TemplatePaths(load(t, "templates: {paths: "+text+"}", nil, nil)); !errors.As(err, &bad) {
			t.Errorf("%s: %v", text, err)
		}
	}
	several := load(t, "templates: {paths: [/c]}\nprofiles: {a: {base_url: https://a}, b: {base_url: https://b}}", nil, nil)
	if got, err := config.TemplatePaths(several); err != nil || len(got) != 1 {
		t.Errorf("without a selected profile: %q, %v", got, err)
	}
}
