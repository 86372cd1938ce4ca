package config

import (
	"fmt"
	"slices"
	"strings"
)

// UnknownProfileError reports a profile name that does not exist.
type UnknownProfileError struct {
	Name   string
	Source Source
	Known  []string
}

func (e *UnknownProfileError) Error() string {
	if e.Source.Kind == "argument" {
		return fmt.Sprintf("unknown profile %q", e.Name)
	}
	return fmt.Sprintf("unknown profile %q %s", e.Name, e.Source.Note())
}

// CanBeCreated reports whether setting the profile's base URL would create it: the
// name is valid and comes from a flag, a variable or an argument.
func (e *UnknownProfileError) CanBeCreated() bool {
	return e.Source.Kind != "file" && CheckName(strings.ToLower(e.Name)) == nil
}

// AmbiguousProfileError reports that several profiles exist and none is selected.
type AmbiguousProfileError struct{ Known []string }

func (e *AmbiguousProfileError) Error() string {
	return "no profile is selected; available profiles: " + strings.Join(e.Known, ", ")
}

// Active returns the name of the selected profile: the one set by flag, environment
// or file. If none is set, it is "default" when a flag or the environment gives a
// base URL, the only profile with an address, the profile "default", or, when no
// profile has an address, "local".
func (c *Config) Active() (string, Source, error) {
	setting, _ := Lookup(ProfileKey)
	named, err := c.Get("", setting)
	if err != nil {
		return "", Source{}, err
	}
	baseURL := c.overrides("base_url")
	if name, _ := named.Value.(string); name != "" {
		name = strings.ToLower(name)
		_, known := c.profiles()[name]
		if !known && name != Local && !(baseURL && named.Source.Kind != "file") {
			return "", named.Source, &UnknownProfileError{Name: name, Source: named.Source, Known: c.Profiles()}
		}
		return name, named.Source, nil
	}
	if baseURL {
		return Default, Source{Kind: "default"}, nil
	}
	switch names := c.withAddress(); {
	case len(names) == 0:
		return Local, Source{Kind: "default"}, nil
	case len(names) == 1:
		return names[0], Source{Kind: "default"}, nil
	case slices.Contains(names, Default):
		return Default, Source{Kind: "default"}, nil
	}
	return "", Source{}, &AmbiguousProfileError{Known: c.withAddress()}
}

// withAddress returns the sorted names of the profiles that have a base URL. A
// profile without one, for example with agents only, is never selected by default.
func (c *Config) withAddress() []string {
	setting, _ := Lookup("base_url")
	return slices.DeleteFunc(c.Profiles(), func(n string) bool {
		value, err := c.FromFile(n, setting)
		return n == Local || err == nil && value.Value == ""
	})
}
