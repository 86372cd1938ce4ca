// Package config owns the settings: the table of them, the file, the profiles
// in it, and which source wins (flag > environment > profile > top level of the
// file > default). It knows neither commands nor the service; a token is never
// part of it.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
)

// Local is the profile that needs no configuration: the embedded service.
const Local = "local"

// Default is the profile that a base URL makes when none is named.
const Default = "default"

// maxFile bounds the configuration file, in bytes.
const maxFile = 1 << 20

// delimiter separates the keys of a path for viper. Its usual dot would take
// a name that holds one for two names.
const delimiter = "\x1f"

// Source says where a value comes from.
type Source struct {
	Kind string // "flag", "environment", "profile", "file" or "default"
	Name string // the flag, the variable or the profile
}

func (s Source) String() string { return strings.TrimSpace(s.Kind + " " + s.Name) }

// Value is a setting with its source.
type Value struct {
	Value  any
	Source Source
}

// Options say what a Config is made of.
type Options struct {
	Path        string            // the file; it need not exist
	Flags       map[string]string // setting key → value, for flags that were given
	Env         Env
	LocalAgents map[string]string // name → UUID, the agents that the profile "local" has by itself
}

// Config answers for every setting. It is read once and does not change.
type Config struct {
	options Options
	file    *viper.Viper
	raw     map[string]any
}

// FileError says that the file cannot be read as configuration.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("cannot read %s: %v", e.Path, e.Err) }
func (e *FileError) Unwrap() error { return e.Err }

// Load reads the file. A missing file is an empty one; one that cannot be read
// is a *FileError.
func Load(o Options) (*Config, error) {
	data, err := readFile(o.Path)
	if err != nil {
		return nil, &FileError{Path: o.Path, Err: err}
	}
	return parse(o, data)
}

func parse(o Options, data []byte) (*Config, error) {
	c := &Config{options: o, file: viper.NewWithOptions(viper.KeyDelimiter(delimiter))}
	c.file.SetConfigType("yaml")
	if err := c.file.ReadConfig(bytes.NewReader(data)); err != nil {
		var parse viper.ConfigParseError
		if errors.As(err, &parse) {
			err = parse.Unwrap()
		}
		return nil, &FileError{Path: o.Path, Err: err}
	}
	c.raw = c.file.AllSettings()
	if err := c.checkShape(); err != nil {
		return nil, &FileError{Path: o.Path, Err: err}
	}
	return c, nil
}

// checkShape refuses what would otherwise count as no profile at all, so that a
// slip in the file cannot send a question to another service.
func (c *Config) checkShape() error {
	if value := c.file.Get("profiles"); value != nil {
		if _, ok := value.(map[string]any); !ok {
			return errors.New("profiles is not a mapping of names to settings")
		}
	}
	for name, value := range c.profiles() {
		if err := CheckName(name); err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		settings, ok := value.(map[string]any)
		if !ok && value != nil {
			return fmt.Errorf("the profile %q is not a mapping of settings", name)
		}
		if agents := settings["agents"]; agents != nil {
			if _, ok := agents.(map[string]any); !ok {
				return fmt.Errorf("agents of the profile %q is not a mapping of names to UUIDs", name)
			}
		}
	}
	return nil
}

// readFile returns the content of the file, nothing when it does not exist.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if atomicfile.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = errors.New("it is larger than 1 MiB")
	}
	return data, err
}

// Known returns the profile called name in its usual spelling, or an
// *UnknownProfileError.
func (c *Config) Known(name string) (string, error) {
	low := strings.ToLower(name)
	if _, ok := c.profiles()[low]; !ok && low != Local {
		return "", &UnknownProfileError{Name: name, Source: Source{Kind: "argument"}, Known: c.Profiles()}
	}
	return low, nil
}

// WithBaseURL returns a copy in which a flag gives the base URL.
func (c *Config) WithBaseURL(address string) *Config {
	next := *c
	next.options.Flags = map[string]string{}
	maps.Copy(next.options.Flags, c.options.Flags)
	next.options.Flags["base_url"] = address
	return &next
}

// InFile reports whether the top level of the file has the setting.
func (c *Config) InFile(setting Setting) bool { return c.file.IsSet(path(setting.Key)) }

// Path is the file's place, whether or not it exists.
func (c *Config) Path() string { return c.options.Path }

// Profiles returns the names of the configured profiles, sorted, with the
// built-in one.
func (c *Config) Profiles() []string {
	names := slices.Collect(maps.Keys(c.profiles()))
	if !slices.Contains(names, Local) {
		names = append(names, Local)
	}
	slices.Sort(names)
	return names
}

func (c *Config) profiles() map[string]any {
	profiles, _ := c.raw["profiles"].(map[string]any)
	return profiles
}

// UnknownProfileError says that a profile was named that does not exist.
type UnknownProfileError struct {
	Name   string
	Source Source
	Known  []string
}

func (e *UnknownProfileError) Error() string {
	return fmt.Sprintf("no profile %q (from %s)", e.Name, e.Source)
}

// AmbiguousProfileError says that several profiles exist and none is selected.
type AmbiguousProfileError struct{ Known []string }

func (e *AmbiguousProfileError) Error() string {
	return "no profile is selected, and there are " + strings.Join(e.Known, ", ")
}

// Active returns the name of the selected profile: the one named by flag,
// environment or file; else, when a flag or the environment gives a base URL,
// "default"; else the only one, or the one called "default"; else, with none
// configured, "local".
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
	// A profile that says nothing of its service, such as one that only names
	// agents, is nothing to fall back on.
	setting, _ = Lookup("base_url")
	names := slices.DeleteFunc(c.Profiles(), func(n string) bool {
		value, err := c.FromFile(n, setting)
		return n == Local || err == nil && value.Value == ""
	})
	switch {
	case len(names) == 0:
		return Local, Source{Kind: "default"}, nil
	case len(names) == 1:
		return names[0], Source{Kind: "default"}, nil
	case slices.Contains(names, Default):
		return Default, Source{Kind: "default"}, nil
	}
	return "", Source{}, &AmbiguousProfileError{Known: names}
}

// overrides reports whether a flag or the environment sets the key.
func (c *Config) overrides(key string) bool {
	setting, _ := Lookup(key)
	return c.options.Flags[key] != "" || setting.Env != "" && c.options.Env(setting.Env) != ""
}

// Get returns the value of a setting for a profile. Errors are *ValueError.
func (c *Config) Get(profile string, setting Setting) (Value, error) {
	if text, source := c.override(setting); source.Kind != "" {
		return setting.value(text, source)
	}
	return c.FromFile(profile, setting)
}

// Effective returns the value of a setting for the selected profile; that of
// ProfileKey is the profile itself, however it was selected. Errors are those of
// Active and Get.
func (c *Config) Effective(setting Setting) (Value, error) {
	profile, source, err := c.Active()
	if err != nil {
		return Value{}, err
	}
	if setting.Key == ProfileKey {
		return Value{Value: profile, Source: source}, nil
	}
	return c.Get(profile, setting)
}

// FromFile is Get without flags and environment: what the file, or the
// default, says.
func (c *Config) FromFile(profile string, setting Setting) (Value, error) {
	if key := path("profiles", profile, setting.Key); setting.Key != ProfileKey && c.file.IsSet(key) {
		return setting.value(c.file.Get(key), Source{Kind: "profile", Name: profile})
	}
	if key := path(setting.Key); c.file.IsSet(key) {
		return setting.value(c.file.Get(key), Source{Kind: "file"})
	}
	return Value{Value: setting.Default, Source: Source{Kind: "default"}}, nil
}

// path is the place of a setting in the file, as viper has it.
func path(keys ...string) string {
	keys[len(keys)-1] = strings.ReplaceAll(keys[len(keys)-1], ".", delimiter)
	return strings.Join(keys, delimiter)
}

// override returns what a flag or the environment gives, with the zero Source when
// neither does.
func (c *Config) override(setting Setting) (text string, source Source) {
	if text, ok := c.options.Flags[setting.Key]; ok {
		return text, Source{Kind: "flag", Name: "--" + setting.Flag}
	}
	if setting.Env != "" && c.options.Env(setting.Env) != "" {
		return c.options.Env(setting.Env), Source{Kind: "environment", Name: setting.Env}
	}
	return "", Source{}
}

// Unknown returns the keys in the file that no setting has, sorted, as dotted paths.
func (c *Config) Unknown() []string {
	var unknown []string
	known := map[string]bool{"profiles": true}
	for _, s := range Settings() {
		known[s.Key] = true
	}
	var walk func(prefix, where string, values map[string]any)
	walk = func(prefix, where string, values map[string]any) {
		for key, value := range values {
			full := prefix + key
			nested, isMap := value.(map[string]any)
			switch {
			case where != "" && full == "agents", known[full]:
			case isMap && slices.ContainsFunc(Settings(), func(s Setting) bool { return strings.HasPrefix(s.Key, full+".") }):
				walk(full+".", where, nested)
			default:
				unknown = append(unknown, where+full)
			}
		}
	}
	walk("", "", c.raw)
	for name, values := range c.profiles() {
		if nested, ok := values.(map[string]any); ok {
			walk("", "profiles."+name+".", nested)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// resolvePath makes a path of the file absolute: ~ is the home directory, a
// relative path is relative to the file.
func (c *Config) resolvePath(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok && c.options.Env("HOME") != "" {
		return filepath.Join(c.options.Env("HOME"), rest)
	}
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(c.options.Path), name)
}
