package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/suggest"
)

// Find is Lookup with an error that suggests the nearest key.
func Find(key string) (Setting, error) {
	setting, ok := Lookup(key)
	if ok {
		return setting, nil
	}
	var keys []string
	for _, s := range Settings() {
		keys = append(keys, s.Key)
	}
	hint := "see: hobnob config list"
	if near := suggest.Nearest(key, keys); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return Setting{}, failure.Usagef(hint, "there is no setting %q", key)
}

// Place returns the keys under which a change of a setting belongs in the file: those
// of the selected profile for a connection setting, and for every setting if a flag
// selects the profile; otherwise those of the top level. A profile named by a flag
// need not exist yet.
func (c *Config) Place(setting Setting) ([]string, error) {
	keys := strings.Split(setting.Key, ".")
	_, chosen := c.options.Flags[ProfileKey]
	if setting.Key == ProfileKey || !setting.Connection && !chosen {
		return keys, nil
	}
	profile, source, err := c.Active()
	var unknown *UnknownProfileError
	switch {
	case errors.As(err, &unknown) && chosen && CheckName(unknown.Name) == nil:
		profile = unknown.Name
	case err != nil:
		return nil, err
	case setting.Key == "base_url" && profile == Local && chosen:
		return nil, failure.Usagef("choose another profile with -p NAME", "the profile %q is the built-in service and has no address", Local)
	case setting.Key == "base_url" && profile == Local:
		profile = Default
	case profile == Local && source.Kind == "default" && setting.Key != "agent":
		return keys, nil // there is no service yet: for whichever comes
	}
	return append([]string{"profiles", profile}, keys...), nil
}

// Checks test values that this package cannot judge.
type Checks struct {
	Style  func(style string) error // whether replies can be rendered in it
	CAFile func(path string) error  // whether certificates can be read from it
}

// Usable returns a value as it belongs in the file at Place: a path is absolute,
// because later commands run in other directories. A value with which every later
// command would fail is an error.
func (c *Config) Usable(setting Setting, value any, place []string, checks Checks) (any, error) {
	text, _ := value.(string)
	if text == "" || text == setting.Default {
		return value, nil
	}
	profile := ""
	if place[0] == "profiles" {
		profile = place[1]
	}
	switch setting.Key {
	case ProfileKey:
		return c.Known(text)
	case "agent":
		_, err := Profile{Name: profile, Agents: c.Agents(profile)}.AgentID(text)
		return value, err
	case "base_url":
		_, err := c.ParseBaseURL(profile, text)
		return value, err
	case "ca_file":
		path, err := filepath.Abs(text)
		if err == nil {
			err = checks.CAFile(path)
		}
		if err != nil {
			return nil, failure.Usagef("name a PEM file of certificates that you can read", "%v", err)
		}
		return path, nil
	case "style":
		if err := checks.Style(text); err != nil {
			return nil, failure.Usagef(StyleHint(), "%v", err)
		}
		if path, err := filepath.Abs(text); err == nil && !slices.Contains(setting.Values, text) && checks.Style(path) == nil {
			return path, nil
		}
	}
	return value, nil
}
