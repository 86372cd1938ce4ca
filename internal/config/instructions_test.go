package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	idOne = "0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f"
	idTwo = "6f1d3c52-7c1e-4b0a-9a57-2f0c4f6a1e02"
)

func TestSetAgentLeavesTheRestOfTheFile(t *testing.T) {
	const flow = "profiles:\n  work:\n    agents: {a: " + idOne + "} # mine\n"
	const block = "profiles:\n  work:\n    agents:\n      # first\n      a: " + idOne + " # one\n      b: " + idTwo + "\n"
	nested := "profiles:\n  work:\n    agents:\n      a:\n        id: " + idOne + "\n        instructions: Old.\n"
	for name, tc := range map[string]struct {
		before       string
		id           string
		instructions *string
		want         string
	}{
		"new alias":           {"", idOne, nil, "profiles:\n  work:\n    agents:\n      a: " + idOne + "\n"},
		"new instructions":    {"", idOne, new("New."), "profiles:\n  work:\n    agents:\n      a:\n        id: " + idOne + "\n        instructions: New.\n"},
		"several lines":       {"", idOne, new("One: 1\nTwo: 2"), "profiles:\n  work:\n    agents:\n      a:\n        id: " + idOne + "\n        instructions: |-\n          One: 1\n          Two: 2\n"},
		"no instructions":     {"", idOne, new(""), "profiles:\n  work:\n    agents:\n      a: " + idOne + "\n"},
		"UUID gets some":      {block, idTwo, new("New."), "profiles:\n  work:\n    agents:\n      # first\n      a:\n        id: " + idTwo + " # one\n        instructions: New.\n      b: " + idTwo + "\n"},
		"flow gets some":      {flow, idOne, new("New."), "profiles:\n  work:\n    agents: {a: {id: " + idOne + ", instructions: New.}} # mine\n"},
		"mapping, unchanged":  {nested, idTwo, nil, strings.Replace(nested, idOne, idTwo, 1)},
		"mapping, new text":   {nested, idOne, new("New."), strings.Replace(nested, "Old.", "New.", 1)},
		"mapping, none":       {nested, idOne, new(""), strings.Replace(nested, "        instructions: Old.\n", "", 1)},
		"looks like a number": {nested, idOne, new("42"), strings.Replace(nested, "Old.", `"42"`, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(path, []byte(tc.before), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := Edit(path, func(d *Document) error { return d.SetAgent("work", "a", tc.id, tc.instructions) }); err != nil {
				t.Fatal(err)
			}
			if got, _ := os.ReadFile(path); string(got) != tc.want {
				t.Errorf("got\n%swant\n%s", got, tc.want)
			}
		})
	}
}

func TestInstructionsFor(t *testing.T) {
	p := Profile{
		Name: "work", Agents: map[string]string{"kind": idOne, "plain": idTwo, "strict": idOne},
		AgentInstructions: map[string]string{"kind": "Be kind.", "strict": "Find bugs."}, Instructions: "All.",
	}
	for agent, want := range map[string]string{
		"strict": "Find bugs. agent strict", "Strict": "Find bugs. agent strict", idOne: "Be kind. agent kind", "plain": "All. profile work", idTwo: "All. profile work", "": "All. profile work",
	} {
		if text, source := p.InstructionsFor(agent); text+" "+source.String() != want {
			t.Errorf("%q: got %q from %s, want %q", agent, text, source, want)
		}
	}
	p.Instructions = ""
	if text, source := p.InstructionsFor("plain"); text != "" || source != (Source{}) {
		t.Errorf("got %q from %s, want none", text, source)
	}
}

func TestMalformedAliases(t *testing.T) {
	for text, want := range map[string]string{
		"{instructions: x}":                                                                 `profile "work": agent "a" has no id`,
		"{id: " + idOne + ", instructions: [x]}":                                            `instructions of agent "a" must be text`,
		"{id: " + idOne + ", instructions: 5}":                                              `instructions of agent "a" must be text`,
		"{id: " + idOne + `, instructions: "a\0b"}`:                                         `instructions of agent "a" must be text in UTF-8 without NUL`,
		"{id: " + idOne + ", instructions: " + strings.Repeat("x", MaxInstructions+1) + "}": `instructions of agent "a" must be at most 64 KiB`,
		"{id: " + idOne + "}":                                                               "",
		"{id: " + idOne + ", instructions: }":                                               "",
	} {
		_, err := parse(Options{Path: "config.yaml", Env: func(string) string { return "" }}, []byte("profiles: {work: {agents: {a: "+text+"}}}"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.60s: got %v, want %q", text, err, want)
		}
	}
	c, err := parse(Options{Path: "config.yaml"}, []byte("profiles: {work: {agents: {a: {id: "+idOne+", instruction: x}}}}"))
	if err != nil || strings.Join(c.Unknown(), " ") != "profiles.work.agents.a.instruction" {
		t.Errorf("unknown settings: %v, %v", c.Unknown(), err)
	}
}

// Instructions are read back as they were set, and nothing else changes.
func FuzzInstructions(f *testing.F) {
	for _, text := range []string{"Be brief.", "a\nb", "a: b\nc: d", "  indented\n\ttab \n\n end ", "# no comment", "\x1b[31m\u2028\u0085", "true", "- x\n...\n---\n", "'\"\\", "\ufeff\ufffe", "| x", "&a *a"} {
		f.Add(text)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		if CheckInstructions(text) != nil || text == "" {
			t.Skip()
		}
		path := filepath.Join(dir, "config.yaml")
		if err := os.WriteFile(path, []byte("profiles: {work: {base_url: https://h}}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Edit(path, func(d *Document) error {
			if err := d.Set(text, "profiles", "work", "instructions"); err != nil {
				return err
			}
			return d.SetAgent("work", "a", idOne, &text)
		}); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Options{Path: path, Env: func(string) string { return "" }})
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.Profile("work")
		if err != nil || p.Instructions != text || p.AgentInstructions["a"] != text || p.Agents["a"] != idOne || p.BaseURL != "https://h" {
			t.Errorf("%q: got %q and %q, %v", text, p.Instructions, p.AgentInstructions["a"], err)
		}
	})
}
