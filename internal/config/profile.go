package config

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/hobnob-cli/hobnob/internal/baseurl"
	"github.com/hobnob-cli/hobnob/internal/failure"
)

// Profile holds the effective settings of one profile. The tag of a field is the key
// of its setting.
type Profile struct {
	Name              string
	Sources           map[string]Source // setting key → source of its value
	BuiltIn           map[string]string // name → UUID of all agents of the embedded service; nil for other services
	BaseURL           string            `setting:"base_url"` // empty for the embedded service
	Agent             string            `setting:"agent"`    // alias or UUID; empty if the service chooses
	Agents            map[string]string // alias → UUID
	AgentInstructions map[string]string // alias → instructions, of those that have some
	Instructions      string            `setting:"instructions"`
	Timeout           time.Duration     `setting:"timeout"`
	Retries           int               `setting:"retries"`
	TokenCommand      []string          `setting:"token_command"`
	CAFile            string            `setting:"ca_file"`
	AllowInsecureHTTP bool              `setting:"allow_insecure_http"`
	ConversationsPath string            `setting:"conversations_path"`
	IdempotencyKey    bool              `setting:"idempotency_key"`
	Style             string            `setting:"style"`
	Notify            string            `setting:"notify"`       // off, bell, osc9 or osc777
	NotifyAfter       time.Duration     `setting:"notify_after"` // minimum wait before a notification
	Secrets           string            `setting:"secrets"`      // refuse, warn or off
	Save              bool              `setting:"history.save"`
	ContextTurns      int               `setting:"history.context_turns"`
	ContextTokens     int               `setting:"history.context_tokens"`
}

// Embedded reports whether the profile uses the service inside this process.
func (p Profile) Embedded() bool { return p.BaseURL == "" }

// NoBaseURLError reports a profile without an address.
type NoBaseURLError struct{ Profile string }

func (e *NoBaseURLError) Error() string { return fmt.Sprintf("profile %q has no base_url", e.Profile) }

// ActiveProfile returns the selected profile.
func (c *Config) ActiveProfile() (Profile, error) {
	name, _, err := c.Active()
	if err != nil {
		return Profile{}, err
	}
	return c.Profile(name)
}

// Profile returns the profile called name. Errors are *ValueError and *NoBaseURLError.
func (c *Config) Profile(name string) (Profile, error) {
	p := c.named(name)
	fields := reflect.ValueOf(&p).Elem()
	for i := range fields.NumField() {
		setting, ok := Lookup(fields.Type().Field(i).Tag.Get("setting"))
		if !ok {
			continue
		}
		value, err := c.Get(name, setting)
		if err != nil {
			return Profile{}, err
		}
		fields.Field(i).Set(reflect.ValueOf(value.Value))
		p.Sources[setting.Key] = value.Source
	}
	p.CAFile = c.resolvePath(p.CAFile)
	if name == Local {
		if c.overrides("base_url") {
			setting, _ := Lookup("base_url")
			_, source := c.override(setting)
			return Profile{}, &ValueError{Key: "base_url", Value: setting.shown(p.BaseURL), Source: source, Err: fmt.Errorf("profile %q is the built-in service and has no address", Local)}
		}
		p.BaseURL = ""
		return p, nil
	}
	if p.BaseURL == "" {
		return Profile{}, &NoBaseURLError{Profile: name}
	}
	return p, nil
}

// ParseBaseURL parses a new address for a profile. The profile's permission to use
// http:// counts only for its own origin; otherwise the error's hint shows how to
// allow it for the new one.
func (c *Config) ParseBaseURL(profile, address string) (*url.URL, error) {
	setting, _ := Lookup("allow_insecure_http")
	insecure, err := c.WithBaseURL(address).Get(profile, setting)
	if err != nil {
		return nil, err
	}
	base, err := baseurl.Parse(address, insecure.Value == true)
	var bad *baseurl.Error
	if _, other := baseurl.Parse(address, true); other == nil && errors.As(err, &bad) {
		return nil, failure.WithHint(err, "%s", bad.HintIn(profile))
	}
	return base, err
}

// Moved returns the keys of the OneOrigin settings in the file that would apply to
// another origin if address replaced the profile's base_url.
func (c *Config) Moved(profile, address string) []string {
	setting, _ := Lookup("base_url")
	if old, err := c.FromFile(profile, setting); err != nil || old.Value == "" || sameOrigin(Format(old.Value), address) {
		return nil
	}
	var keys []string
	for _, s := range Settings() {
		value, err := c.FromFile(profile, s)
		if s.OneOrigin && err == nil && Format(value.Value) != Format(s.Default) {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

func sameOrigin(a, b string) bool {
	first, errA := baseurl.Parse(a, true)
	second, errB := baseurl.Parse(b, true)
	return errA == nil && errB == nil && baseurl.Origin(first) == baseurl.Origin(second)
}

// named returns a profile with only its name and its agents.
func (c *Config) named(name string) Profile {
	p := Profile{Name: name, Sources: map[string]Source{}}
	p.Agents, p.AgentInstructions = c.agents(name)
	if name == Local {
		p.BuiltIn = c.options.LocalAgents
	}
	return p
}

// agents returns the UUIDs and the instructions of the aliases of a profile as written
// in the file.
func (c *Config) agents(profile string) (ids, instructions map[string]string) {
	ids, instructions = map[string]string{}, map[string]string{}
	if profile == Local {
		maps.Copy(ids, c.options.LocalAgents)
	}
	for alias, value := range c.file.GetStringMap(path("profiles", profile, "agents")) {
		form, ok := value.(map[string]any)
		if !ok {
			form = map[string]any{agentID: value}
		}
		if id := form[agentID]; id != nil {
			ids[alias] = fmt.Sprint(id)
		}
		if text, _ := form[agentInstructions].(string); text != "" {
			instructions[alias] = text
		}
	}
	return ids, instructions
}

// UnknownAgentError reports a name that is neither a UUID nor an alias.
type UnknownAgentError struct {
	Name, Profile string
	Known         []string // sorted
	Source        Source   // set if the project file chooses the agent
}

func (e *UnknownAgentError) Error() string {
	if e.Source.Kind != "" {
		return fmt.Sprintf("unknown agent %q in profile %q %s", e.Name, e.Profile, e.Source.Note())
	}
	return fmt.Sprintf("unknown agent %q in profile %q", e.Name, e.Profile)
}

// NotBuiltInError reports an agent that the built-in service does not have. Alias is
// its alias in the profile "local" or "". Default is set if it is the default agent.
type NotBuiltInError struct {
	ID, Alias string
	Default   bool
}

func (e *NotBuiltInError) Error() string {
	what := e.ID
	if e.Alias != "" {
		what = fmt.Sprintf("%q (%s)", e.Alias, e.ID)
	}
	return fmt.Sprintf("agent %s not found: profile %q is the built-in service and has only built-in agents", what, Local)
}

// AgentID returns the UUID of an alias, or name itself if it is a UUID or empty. The
// error is an *UnknownAgentError, a *ValueError or a *NotBuiltInError.
func (p Profile) AgentID(name string) (string, error) {
	id, alias := name, ""
	if name != "" && !IsUUID(name) {
		alias = strings.ToLower(name)
		var ok bool
		if id, ok = p.Agents[alias]; !ok {
			unknown := &UnknownAgentError{Name: name, Profile: p.Name, Known: p.AgentNames()}
			if source := p.Sources["agent"]; name == p.Agent && source.Kind == "project" {
				unknown.Source = source
			}
			return "", unknown
		}
	}
	switch {
	case id == "":
	case !IsUUID(id):
		return "", &ValueError{Key: "agents." + name, Value: id, Source: Source{Kind: "profile", Name: p.Name}, Err: fmt.Errorf("must be a UUID")}
	case p.BuiltIn != nil && !slices.Contains(slices.Collect(maps.Values(p.BuiltIn)), strings.ToLower(id)):
		return "", &NotBuiltInError{ID: id, Alias: alias, Default: name == p.Agent}
	}
	return id, nil
}

// AgentFilter is like AgentID, but also accepts agents that the built-in service does
// not have, which can occur in older conversations.
func (p Profile) AgentFilter(name string) (string, error) {
	id, err := p.AgentID(name)
	var foreign *NotBuiltInError
	if errors.As(err, &foreign) {
		return foreign.ID, nil
	}
	return id, err
}

// AgentNames returns the sorted aliases.
func (p Profile) AgentNames() []string { return slices.Sorted(maps.Keys(p.Agents)) }

// AgentName returns the alias of an id, or the id itself if it has none.
func (p Profile) AgentName(id string) string {
	for _, name := range p.AgentNames() {
		if strings.EqualFold(p.Agents[name], id) {
			return name
		}
	}
	return id
}

// IsUUID reports whether text is a UUID in the standard form of 36 characters.
func IsUUID(text string) bool { return len(text) == 36 && uuid.Validate(text) == nil }
