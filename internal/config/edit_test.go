package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hobnob-cli/hobnob/internal/config"
)

func edit(t *testing.T, before string, change func(*config.Document) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "dir", "config.yaml")
	if before != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := config.Edit(path, change); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(after)
}

func TestEditPreservesCommentsAndOrder(t *testing.T) {
	before := `# our team's settings
style: light # easier on projectors
profiles:
  # the office
  work:
    base_url: https://old.example.com
    agents: {reviewer: 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f}
`
	want := `# our team's settings
style: dark # easier on projectors
profiles:
  # the office
  work:
    base_url: https://new.example.com
    agents: {reviewer: 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f}
    timeout: 1m30s
history:
  save: false
`
	got := edit(t, before, func(d *config.Document) error {
		return errors.Join(
			d.Set("dark", "style"),
			d.Set("https://new.example.com", "profiles", "Work", "base_url"),
			d.Set(90*time.Second, "profiles", "work", "timeout"),
			d.Set(false, "history", "save"),
		)
	})
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEditCreatesFileAndQuotesValues(t *testing.T) {
	got := edit(t, "", func(d *config.Document) error {
		return errors.Join(d.Set("true", "style"), d.Set([]string{"pass", "show", "a: b", "5"}, "token_command"), d.Set(0, "retries"))
	})
	want := "style: \"true\"\ntoken_command: [pass, show, \"a: b\", \"5\"]\nretries: 0\n"
	if got != want {
		t.Errorf("wrote %q, want %q", got, want)
	}
}

func TestUnsetRemovesEmptyMappings(t *testing.T) {
	got := edit(t, "style: dark\nprofiles:\n  a:\n    agents:\n      x: y\n", func(d *config.Document) error {
		found, err := d.Unset("profiles", "a", "agents", "x")
		if !found {
			t.Error("key not found")
		}
		if again, _ := d.Unset("profiles", "a", "agents", "x"); again {
			t.Error("key found again after Unset")
		}
		return err
	})
	if got != "style: dark\n" {
		t.Errorf("got %q", got)
	}
}

func TestFailedEditLeavesFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	for _, before := range []string{"- a\n- b\n", "style: [", "profiles: text\n"} {
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := config.Edit(path, func(d *config.Document) error { return d.Set("x", "profiles", "work", "agent") }); err == nil {
			t.Errorf("%q was edited", before)
		}
		if after, _ := os.ReadFile(path); string(after) != before {
			t.Errorf("%q became %q", before, after)
		}
	}
}

func TestConcurrentEdits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := config.Edit(path, func(d *config.Document) error {
				return d.Set("x", "profiles", "p"+string(rune('a'+i)), "agent")
			}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	data, _ := os.ReadFile(path)
	if n := strings.Count(string(data), "agent: x"); n != 20 {
		t.Errorf("%d of 20 edits are in the file", n)
	}
}

func FuzzEdit(f *testing.F) {
	f.Add("style: light # c\nprofiles: {a: {agents: {x: y}}}\n", "v: # '\"\n")
	f.Add("", "null")
	f.Add("&a a: *a", "<<")
	f.Fuzz(func(t *testing.T, before, value string) {
		path := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		err := config.Edit(path, func(d *config.Document) error { return d.Set(value, "style") })
		after, rerr := os.ReadFile(path)
		if rerr != nil {
			t.Fatal(rerr)
		}
		if err != nil {
			if string(after) != before {
				t.Fatalf("failed edit changed %q to %q", before, after)
			}
			return
		}
		c, err := config.Load(config.Options{Path: path, Env: func(string) string { return "" }})
		if err != nil {
			return // already unreadable before the edit: an invalid profile name
		}
		setting, _ := config.Lookup("style")
		if got, err := c.FromFile("p", setting); err != nil || got.Value != value {
			t.Fatalf("style %q reads back as %q, %v from %q", value, got.Value, err, after)
		}
	})
}

func TestRenamePreservesContent(t *testing.T) {
	const before = "profiles:\n  # the office\n  work: # since May\n    base_url: https://w\n    agents:\n      work: 0b6f2f0e-8d0c-4f0e-9d4e-3a5b1c2d3e4f\n  home:\n    base_url: https://h\n"
	got := edit(t, before, func(d *config.Document) error {
		if found, err := d.Rename("true", "profiles", "Work"); !found || err != nil {
			t.Errorf("Rename: %t, %v", found, err)
		}
		if found, err := d.Rename("x", "profiles", "nope"); found || err != nil {
			t.Errorf("Rename of a missing key: %t, %v", found, err)
		}
		if found, err := d.Rename("x", "nope", "work"); found || err != nil {
			t.Errorf("Rename below a missing key: %t, %v", found, err)
		}
		return nil
	})
	if want := strings.Replace(before, "  work: #", "  \"true\": #", 1); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
