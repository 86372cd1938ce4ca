// Package config reads and edits the settings: their table, the configuration file
// and its profiles, and the precedence of sources (flag > environment > project file >
// profile > top level of the file > default). It does not depend on commands or the service, and
// never holds a token.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"github.com/hobnob-cli/hobnob/internal/atomicfile"
	"github.com/hobnob-cli/hobnob/internal/failure"
	"github.com/hobnob-cli/hobnob/internal/input"
)

// Local is the profile of the embedded service; it needs no configuration.
const Local = "local"

// Default is the profile that a base URL creates if no profile is named.
const Default = "default"

// maxFile is the maximum size of the configuration file in bytes.
const maxFile = 1 << 20

// delimiter separates the keys of a path for viper. Viper's default, a dot, would
// split names that contain one.
const delimiter = "\x1f"

// Source is the origin of a value.
type Source struct {
	Kind string // "flag", "environment", "project", "profile", "file" or "default"
	Name string // the flag, the variable, the path of the project file, or the profile
}

func (s Source) String() string { return strings.TrimSpace(s.Kind + " " + s.Name) }

// Note returns the source in parentheses, to print after the value: "(from flag
// --profile)", "(default)".
func (s Source) Note() string {
	if s.Kind == "default" {
		return "(default)"
	}
	return "(from " + s.String() + ")"
}

// Value is a setting with its source.
type Value struct {
	Value  any
	Source Source
}

// Options are the sources of a Config.
type Options struct {
	Path        string            // the file; it may be missing
	Flags       map[string]string // setting key → value of the flags on the command line
	Env         Env
	ProjectFile string            // its path
	Project     map[string]string // setting key → value of the project file
	LocalAgents map[string]string // name → UUID of the agents built into the profile "local"
}

// Config holds the settings from all sources. It is immutable.
type Config struct {
	options Options
	file    *viper.Viper
	raw     map[string]any
}

// FileError reports a file that cannot be read as configuration.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string {
	return fmt.Sprintf("cannot read %s: %v", e.Path, failure.Reason(e.Err))
}
func (e *FileError) Unwrap() error { return e.Err }

// invalidYAML returns a parser's error without the name of its package.
func invalidYAML(err error) error {
	return fmt.Errorf("invalid YAML: %s", strings.TrimPrefix(strings.Join(strings.Fields(err.Error()), " "), "yaml: "))
}

// Load reads the file. A missing file counts as empty. Errors are *FileError.
func Load(o Options) (*Config, error) {
	data, err := ReadFile(o.Path)
	if err != nil {
		return nil, err
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
		return nil, &FileError{Path: o.Path, Err: invalidYAML(err)}
	}
	c.raw = c.file.AllSettings()
	if err := c.checkShape(); err != nil {
		return nil, &FileError{Path: o.Path, Err: err}
	}
	return c, nil
}

// checkShape rejects malformed profiles. Ignoring them could send a question to
// another service.
func (c *Config) checkShape() error {
	if value := c.file.Get("profiles"); value != nil {
		if _, ok := value.(map[string]any); !ok {
			return errors.New("profiles must be a mapping of names to settings")
		}
	}
	for name, value := range c.profiles() {
		if err := CheckName(name); err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		settings, ok := value.(map[string]any)
		if !ok && value != nil {
			return fmt.Errorf("profile %q must be a mapping of settings", name)
		}
		if agents := settings["agents"]; agents != nil {
			aliases, ok := agents.(map[string]any)
			if !ok {
				return fmt.Errorf("agents of profile %q must be a mapping of names to UUIDs", name)
			}
			if err := checkAgents(aliases); err != nil {
				return fmt.Errorf("profile %q: %w", name, err)
			}
		}
	}
	return nil
}

// ReadFile returns the content of the file at path, or nil if it does not exist.
// Errors are *FileError.
func ReadFile(path string) ([]byte, error) {
	data, err := input.ReadFile(path, maxFile)
	switch {
	case atomicfile.Missing(err):
		return nil, nil
	case err != nil:
		return nil, &FileError{Path: path, Err: err}
	}
	return data, nil
}

// Known returns the name of a profile in lower case. If there is no such profile, the
// error is an *UnknownProfileError.
func (c *Config) Known(name string) (string, error) {
	low := strings.ToLower(name)
	if _, ok := c.profiles()[low]; !ok && low != Local {
		return "", &UnknownProfileError{Name: name, Source: Source{Kind: "argument"}, Known: c.Profiles()}
	}
	return low, nil
}

// WithBaseURL returns a copy of c with address as the value of --base-url.
func (c *Config) WithBaseURL(address string) *Config {
	next := *c
	next.options.Flags = map[string]string{}
	maps.Copy(next.options.Flags, c.options.Flags)
	next.options.Flags["base_url"] = address
	return &next
}

// InFile reports whether the top level of the file has the setting.
func (c *Config) InFile(setting Setting) bool { return c.file.IsSet(path(setting.Key)) }

// Path returns the path of the file, which may be missing.
func (c *Config) Path() string { return c.options.Path }

// Selected returns the profile that a command without flags uses, or "" if a profile
// must be given.
func Selected(c *Config) string {
	plain := *c
	plain.options.Flags = nil
	name, _, err := plain.Active()
	if err != nil {
		return ""
	}
	return name
}

// Stored returns the name, agents and address of a profile as stored in the file,
// without flags and environment. The address may use http://; it is empty if missing
// or invalid.
func Stored(c *Config, name string) Profile {
	p := c.named(name)
	setting, _ := Lookup("base_url")
	if value, err := c.FromFile(name, setting); err == nil && name != Local {
		p.BaseURL, p.AllowInsecureHTTP = Format(value.Value), true
	}
	setting, _ = Lookup("agent")
	if value, err := c.FromFile(name, setting); err == nil {
		p.Agent = Format(value.Value)
	}
	return p
}

// Profiles returns the sorted names of all profiles, including the built-in one.
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

// overrides reports whether a flag or an environment variable sets the key.
func (c *Config) overrides(key string) bool {
	setting, _ := Lookup(key)
	return c.options.Flags[key] != "" || setting.Env != "" && c.options.Env(setting.Env) != ""
}

// Overridden returns the variable or the project file that sets a setting, so that its
// value in the configuration file has no effect, or "".
func Overridden(c *Config, setting Setting) string {
	if _, source := c.override(setting); source.Kind == "environment" || source.Kind == "project" {
		return source.Name
	}
	return ""
}

// Get returns the value of a setting for a profile. Errors are *ValueError.
func (c *Config) Get(profile string, setting Setting) (Value, error) {
	if text, source := c.override(setting); source.Kind != "" {
		return setting.value(text, source)
	}
	value, err := c.FromFile(profile, setting)
	if err == nil && setting.OneOrigin && !c.holds(profile, value.Source) {
		return Value{Value: setting.Default, Source: Source{Kind: "default"}}, nil
	}
	return value, err
}

// holds reports whether a OneOrigin setting from the file applies to the effective
// address. If the profile has no address of its own, a setting of the profile applies
// to any address that a flag or variable gives; a top-level setting does so only
// while no profile has an address.
func (c *Config) holds(profile string, source Source) bool {
	setting, _ := Lookup("base_url")
	address, given := c.override(setting)
	if given.Kind == "" {
		return true
	}
	fromFile, err := c.FromFile(profile, setting)
	if text, _ := fromFile.Value.(string); text != "" || err != nil {
		return err == nil && sameOrigin(text, address)
	}
	return source.Kind == "profile" || len(c.withAddress()) == 0
}

// Effective returns the value of a setting for the selected profile. For ProfileKey
// it returns the name of that profile. Errors are those of Active and Get.
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

// FromFile is like Get but ignores flags, environment and project file: it returns the value in the
// file, or the default.
func (c *Config) FromFile(profile string, setting Setting) (Value, error) {
	if key := path("profiles", profile, setting.Key); setting.Key != ProfileKey && c.file.IsSet(key) {
		return setting.value(c.file.Get(key), Source{Kind: "profile", Name: profile})
	}
	if key := path(setting.Key); c.file.IsSet(key) {
		return setting.value(c.file.Get(key), Source{Kind: "file"})
	}
	return Value{Value: setting.Default, Source: Source{Kind: "default"}}, nil
}

// path returns viper's key for a setting in the file.
func path(keys ...string) string {
	keys[len(keys)-1] = strings.ReplaceAll(keys[len(keys)-1], ".", delimiter)
	return strings.Join(keys, delimiter)
}

// override returns the value from a flag, the environment or the project file, with the
// zero Source if none is set.
func (c *Config) override(setting Setting) (text string, source Source) {
	if text, ok := c.options.Flags[setting.Key]; ok {
		return text, Source{Kind: "flag", Name: "--" + setting.Flag}
	}
	if setting.Env != "" && c.options.Env(setting.Env) != "" {
		return c.options.Env(setting.Env), Source{Kind: "environment", Name: setting.Env}
	}
	if text := c.options.Project[setting.Key]; text != "" {
		return text, Source{Kind: "project", Name: c.options.ProjectFile}
	}
	return "", Source{}
}

// Unknown returns the keys in the file that are not settings, as sorted dotted paths.
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
			case known[full]:
			case where != "" && full == "agents" && isMap:
				unknown = append(unknown, unknownOfAgents(where+"agents.", nested)...)
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

// TemplatePaths returns the directories of the setting templates.paths as absolute
// paths. Errors are *ValueError.
func TemplatePaths(c *Config) ([]string, error) {
	profile, _, err := c.Active()
	if err != nil {
		profile = "" // templates need no profile
	}
	setting, _ := Lookup(templatePaths)
	value, err := c.Get(profile, setting)
	words, _ := value.Value.([]string)
	paths := make([]string, len(words))
	for i, path := range words {
		paths[i] = c.resolvePath(path)
	}
	return paths, err
}

// resolvePath returns the absolute form of a path in the file: ~ is the home
// directory, and other paths are relative to the file.
func (c *Config) resolvePath(name string) string {
	if rest, ok := strings.CutPrefix(name, "~"); ok && (rest == "" || rest[0] == '/') && c.options.Env("HOME") != "" {
		return filepath.Join(c.options.Env("HOME"), rest)
	}
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(c.options.Path), name)
}
