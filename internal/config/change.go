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

// Find is like Lookup, but returns an error that suggests the nearest key.
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
	return Setting{}, failure.Usagef(hint, "unknown setting %q", key)
}

// Place returns the path of keys at which a setting is written to the file: in the
// selected profile for a connection setting, and for every setting if a flag selects
// the profile; otherwise at the top level. Only base_url creates a missing profile.
func (c *Config) Place(setting Setting) ([]string, error) {
	keys := strings.Split(setting.Key, ".")
	_, chosen := c.options.Flags[ProfileKey]
	if setting.Key == ProfileKey || !setting.Connection && !chosen {
		return keys, nil
	}
	profile, source, err := c.Active()
	var unknown *UnknownProfileError
	switch {
	case setting.Key == "base_url" && errors.As(err, &unknown) && unknown.CanBeCreated():
		profile = unknown.Name
	case err != nil:
		return nil, err
	case setting.Key == "base_url" && profile == Local && chosen:
		return nil, failure.Usagef("choose another profile with -p NAME", "profile %q is the built-in service and has no address", Local)
	case setting.Key == "base_url" && profile == Local:
		profile = Default
	case profile == Local && source.Kind == "default" && setting.Key != "agent":
		return keys, nil // no service is configured yet: apply to all future profiles
	}
	return append([]string{"profiles", profile}, keys...), nil
}

// Checks holds checks that other packages implement.
type Checks struct {
	Style  func(style string) error // fails if replies cannot be rendered in the style
	CAFile func(path string) error  // fails if no certificates can be read from the file
}

// Usable returns the form of value to write at place. Paths become absolute, because
// later commands run in other directories. It returns an error for a value with which
// every later command would fail.
func (c *Config) Usable(setting Setting, value any, place []string, checks Checks) (any, error) {
	if paths, ok := value.([]string); ok && setting.File {
		absolute := make([]string, len(paths))
		for i, path := range paths {
			if strings.HasPrefix(path, "~") { // quoted, or in a list: the shell did not expand it
				path = c.resolvePath(path)
			}
			var err error
			if absolute[i], err = filepath.Abs(path); err != nil {
				return nil, err
			}
		}
		return absolute, nil
	}
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
		_, err := c.named(profile).AgentID(text)
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
			return nil, failure.Usagef("use a readable PEM file of certificates", "%v", err)
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
